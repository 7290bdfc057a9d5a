#include "gateway/dialect/skim_fields.h"

namespace skimfill {
namespace {

Error wrong(std::string_view field, std::string_view expected) {
  return {Status::invalid, "skim." + std::string(field) + ": expected " + std::string(expected)};
}

Result<void> read_field(std::string_view name, const JsonView& value, SkimFields& fields) {
  if (name == "mode") {
    const std::string mode = value.is(JsonKind::string) ? value.as_string() : "";
    if (mode == "off") {
      fields.mode = Mode::off;
    } else if (mode == "auto") {
      fields.mode = Mode::automatic;
    } else if (mode == "always") {
      fields.mode = Mode::always;
    } else {
      return wrong(name, "\"off\", \"auto\" or \"always\"");
    }
  } else if (name == "keep_ratio") {
    const double ratio = value.is(JsonKind::number) ? value.as_number() : 0;
    if (!(ratio > 0 && ratio <= 1)) return wrong(name, "a number above 0 and at most 1");
    fields.keep_ratio = ratio;
  } else if (name == "budget") {
    const std::optional<std::int64_t> budget = value.as_integer();
    if (!budget || *budget < 1) return wrong(name, "a whole number of tokens, at least 1");
    fields.budget_tokens = budget;
  } else if (name == "question") {
    if (!value.is(JsonKind::string)) return wrong(name, "a string");
    fields.question = value.as_string();
  } else if (name == "spans") {
    if (!value.is(JsonKind::boolean)) return wrong(name, "true or false");
    fields.spans = value.as_bool();
  } else if (name == "progress") {
    if (!value.is(JsonKind::boolean)) return wrong(name, "true or false");
    fields.progress = value.as_bool();
  } else {
    return wrong(name, "one of mode, keep_ratio, budget, question, spans, progress; there is no such field");
  }
  return {};
}

}  // namespace

Result<SkimFields> read_skim_fields(const JsonView& body) {
  SkimFields fields;
  const std::optional<JsonView> skim = body.find(kSkimMember);
  if (!skim || skim->is(JsonKind::null)) return fields;
  if (!skim->is(JsonKind::object)) return Error{Status::invalid, "skim: expected an object or null"};
  for (const JsonMember& member : skim->members()) {
    if (member.value.is(JsonKind::null)) continue;
    if (Result<void> read = read_field(member.name, member.value, fields); !read) return read.error();
  }
  return fields;
}

}  // namespace skimfill
