#include "skim/rewrite.h"

#include <cassert>
#include <cstdint>

namespace skimfill {
namespace {

std::string_view bytes(std::string_view text, std::int64_t begin, std::int64_t end) {
  return text.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
}

}  // namespace

std::string write_kept(std::string_view text, const std::vector<TextUnit>& units,
                       const std::vector<bool>& kept, std::string_view mark) {
  assert(units.size() == kept.size());
  std::string out;
  std::int64_t written = 0;  // the text before this place is kept or stood in for
  const auto stand_in = [&](std::int64_t end) {
    if (end == written) return;
    out += mark;
    out += bytes(text, written, end).find('\n') != std::string_view::npos ? '\n' : ' ';
  };
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (!kept[i]) continue;
    stand_in(units[i].begin);
    out += bytes(text, units[i].begin, units[i].end);
    written = units[i].end;
  }
  stand_in(static_cast<std::int64_t>(text.size()));
  return out;
}

}  // namespace skimfill
