#include "gateway/dialect/recursion.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "gateway/dialect/check_fields.h"

namespace skimfill {
namespace {

// Measured with 8 MiB of stack: 10,000 brackets pass and 30,000 do not; a chain of 50,000 rules (800 kB)
// passes and one of 200,000 does not; 2,000 references over five levels pass and 4,000 do not.
constexpr int kMostBrackets = 1000;
constexpr std::size_t kMostGrammarBytes = 256 << 10;
constexpr std::int64_t kMostLevels = 5000;

int deepest_bracket(std::string_view text) {
  int depth = 0;
  int deepest = 0;
  for (const char c : text) {
    if (c == '(') deepest = std::max(deepest, ++depth);
    if (c == ')') --depth;
  }
  return deepest;
}

struct SchemaSize {
  std::int64_t levels = 0;
  std::int64_t references = 0;
};

// Counts what may be a reference: a string that reads `$ref`, however it is escaped.
SchemaSize measure(std::string_view json) {
  constexpr std::size_t kLongestSpelling = std::string_view(R"("\u0024\u0072\u0065\u0066")").size();
  SchemaSize size;
  std::int64_t depth = 0;
  for (std::size_t at = 0; (at = json.find_first_of("\"{}[]", at)) != std::string_view::npos;) {
    if (json[at] != '"') {
      depth += json[at] == '{' || json[at] == '[' ? 1 : -1;
      size.levels = std::max(size.levels, depth);
      ++at;
      continue;
    }
    const JsonView literal = JsonView::of(json.substr(at));
    const std::size_t end = literal.range().end;
    if (end <= kLongestSpelling && literal.as_string() == "$ref") ++size.references;
    at += end;
  }
  return size;
}

}  // namespace

Result<void> check_grammar(std::string_view grammar, std::string_view place) {
  if (grammar.size() > kMostGrammarBytes) {
    return unexpected(place, "at most " + std::to_string(kMostGrammarBytes) + " bytes");
  }
  if (deepest_bracket(grammar) > kMostBrackets) {
    return unexpected(place, "at most " + std::to_string(kMostBrackets) + " levels of brackets");
  }
  return {};
}

Result<void> check_schema(const JsonView& schema, std::string_view place) {
  const SchemaSize size = measure(schema.bytes());
  if (size.references == 0 || (size.references + 1) * size.levels <= kMostLevels) return {};
  return unexpected(place, "at most " + std::to_string(kMostLevels / size.levels - 1) +
                               " references at this depth of nesting");
}

}  // namespace skimfill
