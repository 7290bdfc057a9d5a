#include <map>

#include "gateway/dialect/reply_assembly.h"

namespace skimfill {
namespace {

using MemberList = std::vector<JsonMember>;

struct Block {
  std::string start = "{}";  // as its first event gives it
  std::map<std::string, JoinedText, std::less<>> texts;
  JoinedText input;  // JSON as text, in pieces

  void open(const JsonView& block) {
    start = block.bytes();
    for (const std::string_view name : {"text", "thinking", "signature"}) {
      const std::optional<JsonView> text = block.find(name);
      if (text && text->is(JsonKind::string)) texts[std::string(name)].add(*text);
    }
  }

  void add(const MemberList& delta) {
    for (const JsonMember& member : delta) {
      if (member.name == "type" || !member.value.is(JsonKind::string)) continue;
      if (member.name == "partial_json") {
        input.add(member.value);
      } else {
        texts[member.name].add(member.value);
      }
    }
  }

  std::string json() const {
    const JsonView block = JsonView::of(start);
    JsonMembers members;
    for (const auto& [name, text] : texts) members.emplace_back(name, text.json());
    if (string_of(block.members(), "type") == "tool_use") members.emplace_back("input", input_json());
    JsonEdits edits(start);
    edits.set_members(block, members);
    return edits.apply();
  }

  // An answer that was cut short has no whole input.
  std::string input_json() const {
    const std::string literal = input.json();
    std::string json = JsonView::of(literal).as_string();
    return check_json(json) ? json : "{}";
  }
};

class MessageAssembly : public Assembly {
 public:
  void add(const JsonView& data) override {
    const MemberList members = data.members();
    const std::string type = string_of(members, "type").value_or("");
    if (type == "message_start") {
      if (const std::optional<JsonView> message = find_member(members, "message")) {
        for (const JsonMember& member : message->members()) {
          if (member.name == "usage") {
            put_all(usage_, member.value.members());
          } else {
            put_member(message_, member.name, member.value.bytes());
          }
        }
      }
    } else if (type == "content_block_start") {
      const std::optional<JsonView> block = find_member(members, "content_block");
      if (block) blocks_[integer_of(members, "index").value_or(0)].open(*block);
    } else if (type == "content_block_delta") {
      blocks_[integer_of(members, "index").value_or(0)].add(members_of(find_member(members, "delta")));
    } else if (type == "message_delta") {
      for (const JsonMember& member : members) {
        if (member.name == "delta") {
          put_all(message_, member.value.members());
        } else if (member.name == "usage") {
          put_all(usage_, member.value.members());
        } else if (member.name != "type") {
          put_member(message_, member.name, member.value.bytes());
        }
      }
    }
  }

  std::string reply() const override {
    std::vector<std::string> blocks;
    for (const auto& [index, block] : blocks_) blocks.push_back(block.json());
    JsonMembers members = message_;
    put_member(members, "content", json_array(blocks));
    put_member(members, "usage", json_object(usage_));
    return json_object(members);
  }

 private:
  static void put_all(JsonMembers& members, const MemberList& added) {
    for (const JsonMember& member : added) put_member(members, member.name, member.value.bytes());
  }

  JsonMembers message_;
  JsonMembers usage_;
  std::map<std::int64_t, Block> blocks_;
};

}  // namespace

std::unique_ptr<Assembly> make_message_assembly() { return std::make_unique<MessageAssembly>(); }

}  // namespace skimfill
