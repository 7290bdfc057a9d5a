#include "gateway/dialect/check.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/dialect/check_fields.h"
#include "gateway/dialect/recursion.h"

namespace skimfill {
namespace {

using Members = std::vector<JsonMember>;
using Value = std::optional<JsonView>;

bool is_null(const Value& value) { return !value || value->is(JsonKind::null); }

bool is_string(const Value& value) { return value && value->is(JsonKind::string); }

bool says(const Value& value, std::string_view text) {
  return is_string(value) && value->as_string() == text;
}

std::string element(std::string_view list, std::size_t i) {
  return std::string(list) + '[' + std::to_string(i) + ']';
}

std::string member(const std::string& object, std::string_view name) {
  return object + '.' + std::string(name);
}

Result<void> require_string(const Members& members, const std::string& place, std::string_view name) {
  if (is_string(find_member(members, name))) return {};
  return unexpected(member(place, name), "a string");
}

Result<void> allow_string(const Members& members, const std::string& place, std::string_view name) {
  const Value value = find_member(members, name);
  if (is_null(value) || is_string(value)) return {};
  return unexpected(member(place, name), "a string");
}

class BodyChecker {
 public:
  BodyChecker(Dialect dialect, const BodyLimits& limits) : dialect_(dialect), limits_(limits) {}

  Result<void> check(const Members& body) {
    if (Result<void> r = check_fields(dialect_, body); !r) return r;
    if (Result<void> r = check_constraints(body); !r) return r;
    if (dialect_ == Dialect::other) return {};
    if (dialect_ == Dialect::completion) return check_prompt(find_member(body, "prompt"));
    if (Result<void> r = check_texts(body); !r) return r;
    if (Result<void> r = check_tools(find_member(body, "tools")); !r) return r;
    return check_tool_choice(find_member(body, "tool_choice"));
  }

 private:
  // Where the dialect keeps what was said.
  Result<void> check_texts(const Members& body) {
    switch (dialect_) {
      case Dialect::messages: {
        const Value system = find_member(body, "system");
        if (Result<void> r = check_content(system, "system"); !r) return r;
        return check_messages(find_member(body, "messages"));
      }
      case Dialect::responses: {
        const Value instructions = find_member(body, "instructions");
        if (!is_null(instructions) && !is_string(instructions)) return unexpected("instructions", "a string");
        return check_input(find_member(body, "input"));
      }
      default:
        return check_messages(find_member(body, "messages"));
    }
  }

  // Anthropic's list may be empty, as it may be at llama-server: there, max_tokens always ends the answer.
  Result<void> check_messages(const Value& messages) {
    const bool may_be_empty = dialect_ == Dialect::messages;
    const std::vector<JsonView> list = messages ? messages->elements() : std::vector<JsonView>();
    if (!messages || !messages->is(JsonKind::array) || (list.empty() && !may_be_empty)) {
      return unexpected("messages", may_be_empty ? "a list of messages" : "a list of at least one message");
    }
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::string place = element("messages", i);
      if (Result<void> r = count(place); !r) return r;
      if (!list[i].is(JsonKind::object)) return unexpected(place, "an object");
      if (Result<void> r = check_message(list[i].members(), place); !r) return r;
    }
    return {};
  }

  Result<void> check_message(const Members& message, const std::string& place) {
    if (Result<void> r = require_string(message, place, "role"); !r) return r;
    for (const std::string_view name : {"name", "tool_call_id", "reasoning_content"}) {
      if (Result<void> r = allow_string(message, place, name); !r) return r;
    }
    const Value content = find_member(message, "content");
    const Value calls = find_member(message, "tool_calls");
    const bool is_answer = says(find_member(message, "role"), "assistant");
    if (!content && !(is_answer && (calls || dialect_ == Dialect::messages))) {
      return unexpected(member(place, "content"), "a string, null or a list of parts");
    }
    if (Result<void> r = check_content(content, member(place, "content")); !r) return r;
    return check_tool_calls(calls, member(place, "tool_calls"));
  }

  // A string, null, or a list of parts (Anthropic calls them blocks).
  Result<void> check_content(const Value& content, const std::string& place) {
    if (is_null(content) || is_string(content)) return {};
    if (!content->is(JsonKind::array)) return unexpected(place, "a string, null or a list of parts");
    const std::vector<JsonView> parts = content->elements();
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const std::string part = element(place, i);
      if (Result<void> r = count(part); !r) return r;
      if (!parts[i].is(JsonKind::object)) return unexpected(part, "an object");
      if (Result<void> r = check_part(parts[i].members(), part); !r) return r;
    }
    return {};
  }

  Result<void> check_part(const Members& part, const std::string& place) {
    if (Result<void> r = require_string(part, place, "type"); !r) return r;
    const std::string type = find_member(part, "type")->as_string();
    if (type == "text" || type == "input_text" || type == "output_text") {
      return require_string(part, place, "text");
    }
    if (type == "tool_use") return require_string(part, place, "name");
    if (type != "tool_result") return {};
    if (Result<void> r = require_string(part, place, "tool_use_id"); !r) return r;
    return check_content(find_member(part, "content"), member(place, "content"));
  }

  Result<void> check_tool_calls(const Value& calls, const std::string& place) {
    if (is_null(calls)) return {};
    if (!calls->is(JsonKind::array)) return unexpected(place, "a list of tool calls");
    const std::vector<JsonView> list = calls->elements();
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::string call_place = element(place, i);
      if (Result<void> r = count(call_place); !r) return r;
      if (!list[i].is(JsonKind::object)) return unexpected(call_place, "an object");
      const Members call = list[i].members();
      if (Result<void> r = require_string(call, call_place, "type"); !r) return r;
      if (Result<void> r = allow_string(call, call_place, "id"); !r) return r;
      if (!says(find_member(call, "type"), "function")) continue;
      const Value function = find_member(call, "function");
      const std::string function_place = member(call_place, "function");
      if (!function || !function->is(JsonKind::object)) return unexpected(function_place, "an object");
      if (Result<void> r = check_call(function->members(), function_place); !r) return r;
    }
    return {};
  }

  // The arguments may be any text or value: a model wrote them, and may have been cut short. But a target
  // parses them, with no bound on their depth.
  Result<void> check_call(const Members& call, const std::string& place) {
    if (Result<void> r = require_string(call, place, "name"); !r) return r;
    const Value arguments = find_member(call, "arguments");
    const std::string arguments_place = member(place, "arguments");
    if (!arguments) return unexpected(arguments_place, "a string");
    if (is_string(arguments) && is_deeper_than(arguments->as_string(), limits_.max_depth)) {
      return unexpected(arguments_place,
                        "at most " + std::to_string(limits_.max_depth) + " levels of nesting");
    }
    return {};
  }

  Result<void> check_input(const Value& input) {
    if (is_string(input)) return {};
    const std::vector<JsonView> items = input ? input->elements() : std::vector<JsonView>();
    if (items.empty()) return unexpected("input", "a string or a list of at least one item");
    for (std::size_t i = 0; i < items.size(); ++i) {
      const std::string place = element("input", i);
      if (Result<void> r = count(place); !r) return r;
      if (!items[i].is(JsonKind::object)) return unexpected(place, "an object");
      if (Result<void> r = check_item(items[i].members(), place); !r) return r;
    }
    return {};
  }

  Result<void> check_item(const Members& item, const std::string& place) {
    if (Result<void> r = allow_string(item, place, "type"); !r) return r;
    const Value type = find_member(item, "type");
    if (says(type, "function_call")) {
      if (Result<void> r = require_string(item, place, "call_id"); !r) return r;
      return check_call(item, place);
    }
    if (says(type, "function_call_output")) {
      if (Result<void> r = require_string(item, place, "call_id"); !r) return r;
      const Value output = find_member(item, "output");
      if (is_null(output)) return unexpected(member(place, "output"), "a string or a list of parts");
      return check_content(output, member(place, "output"));
    }
    if (!is_null(type) && !says(type, "message")) return {};
    if (Result<void> r = require_string(item, place, "role"); !r) return r;
    const Value content = find_member(item, "content");
    if (is_null(content)) return unexpected(member(place, "content"), "a string or a list of parts");
    return check_content(content, member(place, "content"));
  }

  // One prompt, or several: a text, tokens, texts among tokens, or llama-server's {"prompt_string": …}.
  Result<void> check_prompt(const Value& prompt) {
    static constexpr std::string_view kPrompt = "a string, tokens, an object with a prompt_string, or a list";
    if (is_string(prompt)) return {};
    if (prompt && prompt->is(JsonKind::object)) return check_prompt_object(*prompt, "prompt");
    if (!prompt || !prompt->is(JsonKind::array)) return unexpected("prompt", kPrompt);
    const std::vector<JsonView> elements = prompt->elements();
    if (elements.empty()) return unexpected("prompt", "at least one prompt or token");
    for (std::size_t i = 0; i < elements.size(); ++i) {
      if (is_string(elements[i]) || is_token(elements[i])) continue;
      const std::string place = element("prompt", i);
      if (elements[i].is(JsonKind::object)) {
        if (Result<void> r = check_prompt_object(elements[i], place); !r) return r;
        continue;
      }
      if (!elements[i].is(JsonKind::array)) return unexpected(place, "a string, a token or a list of them");
      const std::vector<JsonView> tokens = elements[i].elements();
      for (std::size_t j = 0; j < tokens.size(); ++j) {
        if (!is_string(tokens[j]) && !is_token(tokens[j])) {
          return unexpected(element(place, j), "a string or a token, from 0 to 2147483647");
        }
      }
    }
    return {};
  }

  static Result<void> check_prompt_object(const JsonView& prompt, const std::string& place) {
    return require_string(prompt.members(), place, "prompt_string");
  }

  static bool is_token(const JsonView& value) {
    const std::optional<std::int64_t> token = value.as_integer();
    return token && *token >= 0 && *token <= std::numeric_limits<std::int32_t>::max();
  }

  Result<void> check_tools(const Value& tools) {
    if (is_null(tools)) return {};
    if (!tools->is(JsonKind::array)) return unexpected("tools", "a list of tools");
    const std::vector<JsonView> list = tools->elements();
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::string place = element("tools", i);
      if (Result<void> r = count(place); !r) return r;
      if (!list[i].is(JsonKind::object)) return unexpected(place, "an object");
      if (Result<void> r = check_tool(list[i].members(), place); !r) return r;
      if (Result<void> r = check_schema(list[i], place); !r) return r;
    }
    return {};
  }

  Result<void> check_tool(const Members& tool, const std::string& place) {
    if (dialect_ == Dialect::messages) return take_tool_name(tool, place);
    if (Result<void> r = require_string(tool, place, "type"); !r) return r;
    if (!says(find_member(tool, "type"), "function")) return {};
    if (dialect_ == Dialect::responses) return take_tool_name(tool, place);
    const Value function = find_member(tool, "function");
    const std::string function_place = member(place, "function");
    if (!function || !function->is(JsonKind::object)) return unexpected(function_place, "an object");
    return take_tool_name(function->members(), function_place);
  }

  Result<void> take_tool_name(const Members& tool, const std::string& place) {
    if (Result<void> r = require_string(tool, place, "name"); !r) return r;
    if (Result<void> r = allow_string(tool, place, "description"); !r) return r;
    tool_names_.push_back(find_member(tool, "name")->as_string());
    return {};
  }

  // A choice that is a string, or an object with a type; where it names a tool, the tool must be there.
  Result<void> check_tool_choice(const Value& choice) const {
    if (is_null(choice)) return {};
    const bool is_anthropic = dialect_ == Dialect::messages;
    if (!choice->is(JsonKind::object)) {
      if (is_anthropic) return unexpected("tool_choice", "an object");
      if (says(choice, "none") || says(choice, "auto") || says(choice, "required")) return {};
      return unexpected("tool_choice", "\"none\", \"auto\", \"required\" or an object");
    }
    const Members members = choice->members();
    if (Result<void> r = require_string(members, "tool_choice", "type"); !r) return r;
    const std::string type = find_member(members, "type")->as_string();
    if (is_anthropic) {
      if (type == "tool") return check_chosen(members, "tool_choice");
      if (type == "auto" || type == "any" || type == "none") return {};
      return unexpected("tool_choice.type", "\"auto\", \"any\", \"tool\" or \"none\"");
    }
    if (type != "function") return {};
    if (dialect_ == Dialect::responses) return check_chosen(members, "tool_choice");
    const Value function = find_member(members, "function");
    return check_chosen(function ? function->members() : Members(), "tool_choice.function");
  }

  Result<void> check_chosen(const Members& chosen, const std::string& place) const {
    if (Result<void> r = require_string(chosen, place, "name"); !r) return r;
    const std::string name = find_member(chosen, "name")->as_string();
    if (std::find(tool_names_.begin(), tool_names_.end(), name) != tool_names_.end()) return {};
    return unexpected(member(place, "name"), "the name of one of the tools");
  }

  static Result<void> check_constraints(const Members& body) {
    const Value grammar = find_member(body, "grammar");
    if (is_string(grammar)) {
      if (Result<void> r = check_grammar(grammar->as_string(), "grammar"); !r) return r;
    }
    for (const std::string_view name : {"json_schema", "response_format", "text"}) {
      const Value schema = find_member(body, name);
      if (!schema) continue;
      if (Result<void> r = check_schema(*schema, name); !r) return r;
    }
    return {};
  }

  // Everything that a list of the body holds counts against one limit.
  Result<void> count(const std::string& place) {
    if (++entries_ <= limits_.max_messages) return {};
    return unexpected(place, "at most " + std::to_string(limits_.max_messages) +
                                 " messages, parts, calls and tools in one request");
  }

  const Dialect dialect_;
  const BodyLimits& limits_;
  std::size_t entries_ = 0;
  std::vector<std::string> tool_names_;
};

}  // namespace

Result<void> check_body(const Task& task, const JsonView& body, const BodyLimits& limits) {
  if (!body.is(JsonKind::object)) return Error{Status::invalid, "the body is not a JSON object"};
  if (has_more_values_than(body.bytes(), limits.max_values)) {
    return Error{Status::invalid, "the body has more than " + std::to_string(limits.max_values) + " values"};
  }
  return BodyChecker(task.dialect, limits).check(body.members());
}

}  // namespace skimfill
