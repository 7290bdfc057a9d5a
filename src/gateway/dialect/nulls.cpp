#include "gateway/dialect/nulls.h"

#include <optional>
#include <string_view>
#include <vector>

#include "gateway/json/json_members.h"

namespace skimfill {
namespace {

using Members = std::vector<JsonMember>;

void remove_nulls(JsonEdits& edits, const Members& members) {
  edits.remove_members(members, [](const JsonMember& member) {
    return member.value.is(JsonKind::null) && member.name != "content";
  });
}

}  // namespace

std::string without_nulls(Dialect dialect, std::string body) {
  if (body.find("null") == std::string::npos) return body;
  JsonEdits edits(body);
  const Members members = JsonView::of(body).members();
  remove_nulls(edits, members);
  for (const JsonView& message : elements_of(members, dialect == Dialect::responses ? "input" : "messages")) {
    const Members fields = message.members();
    remove_nulls(edits, fields);
    for (const JsonView& call : elements_of(fields, "tool_calls")) remove_nulls(edits, call.members());
  }
  for (const JsonView& tool : elements_of(members, "tools")) {
    const Members fields = tool.members();
    remove_nulls(edits, fields);
    const std::optional<JsonView> function = find_member(fields, "function");
    if (function) remove_nulls(edits, function->members());
  }
  return edits.empty() ? std::move(body) : edits.apply();
}

}  // namespace skimfill
