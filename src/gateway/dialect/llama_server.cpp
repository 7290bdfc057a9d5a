#include "gateway/dialect/llama_server.h"

#include <optional>
#include <string_view>
#include <vector>

#include "gateway/dialect/nulls.h"
#include "gateway/json/json_members.h"

namespace skimfill {
namespace {

using MemberList = std::vector<JsonMember>;

// The fields of a tool, or of a choice of one, that hold its name.
MemberList naming_part(Dialect dialect, const JsonView& value) {
  const MemberList members = value.members();
  return dialect == Dialect::chat ? members_of(find_member(members, "function")) : members;
}

void name_one_tool(JsonEdits& edits, Dialect dialect, const MemberList& body, const JsonView& choice) {
  const std::optional<std::string> name = string_of(naming_part(dialect, choice), "name");
  const std::optional<JsonView> tools = find_member(body, "tools");
  if (!name || !tools) return;
  for (const JsonView& tool : tools->elements()) {
    if (string_of(naming_part(dialect, tool), "name") != name) continue;
    edits.replace(tools->range(), "[" + std::string(tool.bytes()) + "]");
    edits.replace(choice.range(), dialect == Dialect::messages ? R"({"type":"any"})" : "\"required\"");
    return;
  }
}

void say_choice(JsonEdits& edits, Dialect dialect, const MemberList& body) {
  const std::optional<JsonView> choice = find_member(body, "tool_choice");
  if (!choice || !choice->is(JsonKind::object)) return;
  if (dialect == Dialect::messages && string_of(choice->members(), "type") == "none") {
    edits.remove_members(body, [](const JsonMember& member) {
      return member.name == "tools" || member.name == "tool_choice";
    });
  } else {
    name_one_tool(edits, dialect, body, *choice);
  }
}

void mend_arguments(JsonEdits& edits, const MemberList& call) {
  const std::optional<JsonView> arguments = find_member(call, "arguments");
  if (!arguments || !arguments->is(JsonKind::string)) return;
  const std::string text = arguments->as_string();
  if (check_json(text)) return;
  const std::string sound = text.empty() ? "{}" : json_object({{"arguments", quote_json(text)}});
  edits.replace(arguments->range(), quote_json(sound));
}

}  // namespace

std::string for_llama_server(Dialect dialect, std::string body) {
  body = without_nulls(dialect, std::move(body));
  if (dialect == Dialect::other || dialect == Dialect::completion) return body;
  JsonEdits edits(body);
  const MemberList members = JsonView::of(body).members();
  say_choice(edits, dialect, members);
  if (dialect == Dialect::chat) {
    for (const JsonView& message : elements_of(members, "messages")) {
      for (const JsonView& call : elements_of(message.members(), "tool_calls"))
        mend_arguments(edits, members_of(find_member(call.members(), "function")));
    }
  } else if (dialect == Dialect::responses) {
    for (const JsonView& item : elements_of(members, "input")) mend_arguments(edits, item.members());
  }
  return edits.empty() ? std::move(body) : edits.apply();
}

}  // namespace skimfill
