#include "gateway/dialect/reply_error.h"

#include <algorithm>
#include <array>

#include "gateway/json/json_members.h"

namespace skimfill {
namespace {

struct Named {
  unsigned status;
  std::string_view type;
};
constexpr std::array kAnthropicTypes = {
    Named{400, "invalid_request_error"}, Named{401, "authentication_error"}, Named{403, "permission_error"},
    Named{404, "not_found_error"},       Named{413, "request_too_large"},    Named{429, "rate_limit_error"},
    Named{503, "overloaded_error"},
};
constexpr std::array kTypes = {
    Named{400, "invalid_request_error"}, Named{400, "exceed_context_size_error"},
    Named{400, "BadRequestError"},       Named{401, "authentication_error"},
    Named{403, "permission_error"},      Named{404, "not_found_error"},
    Named{404, "NotFoundError"},         Named{429, "rate_limit_error"},
    Named{501, "not_supported_error"},   Named{503, "unavailable_error"},
    Named{503, "overloaded_error"},
};

std::string_view anthropic_type(unsigned status) {
  const auto* named = std::find_if(kAnthropicTypes.begin(), kAnthropicTypes.end(),
                                   [&](const Named& entry) { return entry.status == status; });
  return named == kAnthropicTypes.end() ? "api_error" : named->type;
}

// With the error's particulars in the member `error`, an object.
std::string wrapped(std::string_view json) {
  const JsonView view = JsonView::of(json);
  const std::optional<JsonView> error = view.find("error");
  if (error && error->is(JsonKind::object)) return std::string(json);
  if (error && error->is(JsonKind::string)) {
    return json_object({{"error", json_object({{"message", std::string(error->bytes())}})}});
  }
  return json_object({{"error", std::string(view.bytes())}});
}

// One line, as the data of an event must be. White space between values is all that can hold line ends.
std::string on_one_line(std::string json) {
  std::replace_if(
      json.begin(), json.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return json;
}

std::string json_or_null(const std::optional<JsonView>& value) {
  return value ? std::string(value->bytes()) : "null";
}

unsigned status_of(const std::vector<JsonMember>& error) {
  for (const std::string_view name : {"code", "status"}) {
    const std::optional<std::int64_t> code = integer_of(error, name);
    if (code && *code >= 400 && *code < 600) return static_cast<unsigned>(*code);
  }
  const std::string type = string_of(error, "type").value_or("");
  const auto* named =
      std::find_if(kTypes.begin(), kTypes.end(), [&](const Named& entry) { return entry.type == type; });
  return named == kTypes.end() ? 500 : named->status;
}

}  // namespace

std::string error_body(Dialect dialect, unsigned status, std::string_view message, std::string_view type) {
  if (dialect == Dialect::messages) {
    return json_object({{"type", "\"error\""},
                        {"error", json_object({{"type", quote_json(anthropic_type(status))},
                                               {"message", quote_json(message)}})}});
  }
  return openai_error(status, message, type);
}

std::string error_event(Dialect dialect, std::string_view error_json) {
  const std::string json = wrapped(error_json);
  if (dialect != Dialect::messages && dialect != Dialect::responses) {
    return "data: " + on_one_line(json) + "\n\n";
  }
  const JsonView view = JsonView::of(json);
  JsonMembers members{{"type", "\"error\""}};
  if (dialect == Dialect::responses) {
    const std::vector<JsonMember> error = members_of(view.find("error"));
    const std::optional<JsonView> code = find_member(error, "code");
    const bool is_number = code && code->is(JsonKind::number);
    members.emplace_back("code", is_number ? quote_json(code->bytes()) : json_or_null(code));
    members.emplace_back("message", json_or_null(find_member(error, "message")));
    members.emplace_back("param", json_or_null(find_member(error, "param")));
  }
  JsonEdits edits(json);
  edits.set_members(view, members);
  return "event: error\ndata: " + on_one_line(edits.apply()) + "\n\n";
}

ReplyAssembler::Failure failure_of(Dialect dialect, std::string_view error_json) {
  const std::string json = wrapped(error_json);
  const JsonView view = JsonView::of(json);
  const std::optional<JsonView> error = view.find("error");
  ReplyAssembler::Failure failure{.status = is_context_error(json) ? 400 : status_of(members_of(error))};
  JsonMembers members;
  if (dialect == Dialect::messages) members.emplace_back("type", "\"error\"");
  members.emplace_back("error", error->bytes());
  failure.body = json_object(members);
  return failure;
}

std::string progress_event(Dialect dialect, std::string_view stage, double done_ms) {
  const std::string progress = json_object({{"stage", quote_json(stage)}, {"ms", json_number(done_ms)}});
  const auto event = [&](std::string_view name, std::string_view member, std::string_view value) {
    const JsonMembers members{{std::string(member), std::string(value)}, {"skim_progress", progress}};
    const std::string line = name.empty() ? "" : "event: " + std::string(name) + "\n";
    return line + "data: " + json_object(members) + "\n\n";
  };
  if (dialect == Dialect::messages) return event("ping", "type", "\"ping\"");
  if (dialect == Dialect::responses) return event("skim.progress", "type", "\"skim.progress\"");
  return event("", "choices", "[]");
}

}  // namespace skimfill
