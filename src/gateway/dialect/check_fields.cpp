#include "gateway/dialect/check_fields.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

namespace skimfill {
namespace {

enum class Kind {
  boolean,
  integer,  // low to high
  number,   // low to high
  string,
  object,
  count_or_flag,  // an integer from low to high, or a boolean
  stop,           // a string, or a list of strings; none of them empty
};

constexpr double kInt32 = std::numeric_limits<std::int32_t>::max();
constexpr double kUint32 = std::numeric_limits<std::uint32_t>::max();
constexpr double kFloat = std::numeric_limits<float>::max();
constexpr double kMilliseconds = 9007199254740992;  // 2^53: every integer up to here is exact

struct Field {
  std::string_view name;  // of a field within an object: "object.field"
  Kind kind;
  double low = 0;
  double high = 0;
};

// OpenAI's names and llama-server's own, with its limits where it has them. It narrows numbers before it
// compares, so that 4294967297 would pass there for 1. Penalties act on logits of some tens: what lies beyond
// a hundred changes nothing more, until it overflows.
constexpr auto kOpenAiFields = std::to_array<Field>({
    {"adaptive_decay", Kind::number, 0, 0.99},
    {"adaptive_target", Kind::number, -kFloat, 1},
    {"add_generation_prompt", Kind::boolean},
    {"backend_sampling", Kind::boolean},
    {"cache_prompt", Kind::boolean},
    {"chat_template_kwargs", Kind::object},
    {"dry_allowed_length", Kind::integer, 0, kInt32},
    {"dry_base", Kind::number, -kFloat, kFloat},
    {"dry_multiplier", Kind::number, -kFloat, kFloat},
    {"dry_penalty_last_n", Kind::integer, 0, kInt32},
    {"dynatemp_exponent", Kind::number, -kFloat, kFloat},
    {"dynatemp_range", Kind::number, -kFloat, kFloat},
    {"echo", Kind::boolean},
    {"frequency_penalty", Kind::number, -100, 100},
    {"grammar", Kind::string},
    {"id_slot", Kind::integer, -1, kInt32},
    {"ignore_eos", Kind::boolean},
    {"logprobs", Kind::count_or_flag, 0, kInt32},
    {"max_completion_tokens", Kind::integer, -1, kInt32},
    {"max_output_tokens", Kind::integer, -1, kInt32},
    {"max_tokens", Kind::integer, -1, kInt32},
    {"min_keep", Kind::integer, 0, kInt32},
    {"min_p", Kind::number, 0, 1},
    {"mirostat", Kind::integer, 0, 2},
    {"mirostat_eta", Kind::number, -kFloat, kFloat},
    {"mirostat_tau", Kind::number, -kFloat, kFloat},
    {"model", Kind::string},
    {"n", Kind::integer, 1, kInt32},
    {"n_cache_reuse", Kind::integer, 0, kInt32},
    {"n_cmpl", Kind::integer, 1, kInt32},
    {"n_discard", Kind::integer, 0, kInt32},
    {"n_indent", Kind::integer, 0, kInt32},
    {"n_keep", Kind::integer, -1, kInt32},
    {"n_predict", Kind::integer, -1, kInt32},
    {"n_probs", Kind::integer, 0, kInt32},
    {"parallel_tool_calls", Kind::boolean},
    {"parse_tool_calls", Kind::boolean},
    {"post_sampling_probs", Kind::boolean},
    {"presence_penalty", Kind::number, -100, 100},
    {"reasoning", Kind::object},
    {"reasoning.effort", Kind::string},
    {"reasoning_budget_message", Kind::string},
    {"reasoning_budget_tokens", Kind::integer, -1, kInt32},
    {"reasoning_control", Kind::boolean},
    {"reasoning_effort", Kind::string},
    {"reasoning_format", Kind::string},
    {"repeat_last_n", Kind::integer, 0, kInt32},
    {"repeat_penalty", Kind::number, 0.01, 100},
    {"response_format", Kind::object},
    {"response_format.type", Kind::string},
    {"return_progress", Kind::boolean},
    {"return_tokens", Kind::boolean},
    {"seed", Kind::integer, -1, kUint32},
    {"sse_ping_interval", Kind::integer, -1, kInt32},
    {"stop", Kind::stop},
    {"stream", Kind::boolean},
    {"stream_options", Kind::object},
    {"stream_options.include_usage", Kind::boolean},
    {"t_max_predict_ms", Kind::integer, -1, kMilliseconds},
    {"temperature", Kind::number, 0, kFloat},
    {"thinking_budget_tokens", Kind::integer, -1, kInt32},
    {"timings_per_token", Kind::boolean},
    {"top_k", Kind::integer, -1, kInt32},
    {"top_logprobs", Kind::integer, 0, kInt32},
    {"top_n_sigma", Kind::number, -kFloat, kFloat},
    {"top_p", Kind::number, 0, 1},
    {"typical_p", Kind::number, -kFloat, kFloat},
    {"verbose", Kind::boolean},
    {"xtc_probability", Kind::number, 0, 1},
    {"xtc_threshold", Kind::number, 0, 1},
});

constexpr auto kAnthropicFields = std::to_array<Field>({
    {"chat_template_kwargs", Kind::object},
    {"max_tokens", Kind::integer, 0, kInt32},
    {"metadata", Kind::object},
    {"model", Kind::string},
    {"stop_sequences", Kind::stop},
    {"stream", Kind::boolean},
    {"temperature", Kind::number, 0, kFloat},
    {"thinking", Kind::object},
    {"thinking.budget_tokens", Kind::integer, 0, kInt32},
    {"top_k", Kind::integer, -1, kInt32},
    {"top_p", Kind::number, 0, 1},
});

std::string text_of(double number) {
  std::array<char, 32> digits;
  const auto end = std::abs(number) < kMilliseconds * 2 && number == std::floor(number)
                       ? std::to_chars(digits.begin(), digits.end(), static_cast<std::int64_t>(number)).ptr
                       : std::to_chars(digits.begin(), digits.end(), number).ptr;
  return {digits.begin(), end};
}

std::string range_text(const Field& field) {
  if (field.high < kFloat) return " from " + text_of(field.low) + " to " + text_of(field.high);
  return field.low > -kFloat ? " of at least " + text_of(field.low) + ", within 32-bit floating point"
                             : " within 32-bit floating point";
}

std::string expected(const Field& field) {
  switch (field.kind) {
    case Kind::boolean:
      return "true or false";
    case Kind::integer:
      return "a whole number" + range_text(field);
    case Kind::number:
      return "a number" + range_text(field);
    case Kind::string:
      return "a string";
    case Kind::object:
      return "an object";
    case Kind::count_or_flag:
      return "true, false or a whole number" + range_text(field);
    case Kind::stop:
      return "a string or a list of strings, none of them empty";
  }
  return "";
}

bool is_integer_in_range(const Field& field, const JsonView& value) {
  const std::optional<std::int64_t> integer = value.as_integer();
  return integer && static_cast<double>(*integer) >= field.low && static_cast<double>(*integer) <= field.high;
}

// Written so that what is not finite is out of every range.
bool is_number_in_range(const Field& field, const JsonView& value) {
  if (!value.is(JsonKind::number)) return false;
  const double number = value.as_number();
  return number >= field.low && number <= field.high;
}

bool is_stop(const JsonView& value) {
  const auto is_text = [](const JsonView& v) { return v.is(JsonKind::string) && v.bytes() != "\"\""; };
  if (value.is(JsonKind::string)) return is_text(value);
  const std::vector<JsonView> elements = value.elements();
  return value.is(JsonKind::array) && std::all_of(elements.begin(), elements.end(), is_text);
}

bool is_accepted(const Field& field, const JsonView& value) {
  switch (field.kind) {
    case Kind::boolean:
      return value.is(JsonKind::boolean);
    case Kind::integer:
      return is_integer_in_range(field, value);
    case Kind::number:
      return is_number_in_range(field, value);
    case Kind::string:
      return value.is(JsonKind::string);
    case Kind::object:
      return value.is(JsonKind::object);
    case Kind::count_or_flag:
      return value.is(JsonKind::boolean) || is_integer_in_range(field, value);
    case Kind::stop:
      return is_stop(value);
  }
  return false;
}

// `prefix` names the object that the members are of: "", or "thinking.".
Result<void> check_members(std::span<const Field> fields, const std::string& prefix,
                           const std::vector<JsonMember>& members) {
  for (const JsonMember& member : members) {
    const std::string name = prefix + member.name;
    const auto field =
        std::find_if(fields.begin(), fields.end(), [&](const Field& f) { return f.name == name; });
    if (field == fields.end() || member.value.is(JsonKind::null)) continue;
    if (!is_accepted(*field, member.value)) return unexpected(name, expected(*field));
    if (field->kind != Kind::object) continue;
    if (Result<void> r = check_members(fields, name + '.', member.value.members()); !r) return r;
  }
  return {};
}

}  // namespace

Error unexpected(std::string_view place, std::string_view what) {
  return {Status::invalid, std::string(place) + ": expected " + std::string(what)};
}

Result<void> check_fields(Dialect dialect, const std::vector<JsonMember>& members) {
  if (dialect == Dialect::messages) return check_members(kAnthropicFields, "", members);
  return check_members(kOpenAiFields, "", members);
}

}  // namespace skimfill
