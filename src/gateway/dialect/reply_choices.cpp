#include <map>

#include "gateway/dialect/reply_assembly.h"

namespace skimfill {
namespace {

using MemberList = std::vector<JsonMember>;

struct ToolCall {
  JsonMembers members{{"type", "\"function\""}};
  JsonMembers function;
  JoinedText arguments;

  void add(const MemberList& delta) {
    for (const JsonMember& member : delta) {
      if (member.name == "function") {
        add_function(member.value.members());
      } else if (member.name != "index") {
        put_member(members, member.name, member.value.bytes());
      }
    }
  }

  void add_function(const MemberList& delta) {
    for (const JsonMember& member : delta) {
      if (member.name != "arguments") {
        put_member(function, member.name, member.value.bytes());
      } else if (member.value.is(JsonKind::string)) {
        arguments.add(member.value);
      }
    }
  }

  std::string json() const {
    JsonMembers whole_function = function;
    whole_function.emplace_back("arguments", arguments.json());
    JsonMembers whole = members;
    whole.emplace_back("function", json_object(whole_function));
    return json_object(whole);
  }
};

// The texts of a chat's message or of a completion's choice, and what comes beside them.
struct Texts {
  std::map<std::string, JoinedText, std::less<>> joined;
  JsonMembers others;

  void add(const JsonMember& member) {
    if (member.value.is(JsonKind::string)) {
      joined[member.name].add(member.value);
    } else if (!member.value.is(JsonKind::null)) {
      put_member(others, member.name, member.value.bytes());
    }
  }

  // With `main` even where it is empty.
  JsonMembers members(std::string_view main) const {
    JsonMembers all = others;
    for (const auto& [name, text] : joined) all.emplace_back(name, text.json());
    if (!joined.contains(main)) all.emplace_back(main, "\"\"");
    return all;
  }
};

struct Choice {
  std::string role = "\"assistant\"";
  Texts texts;
  std::map<std::int64_t, ToolCall> tool_calls;
  JsonMembers members;

  void add(const MemberList& choice) {
    for (const JsonMember& member : choice) {
      if (member.name == "delta") {
        add_delta(member.value.members());
      } else if (member.name == "text" && member.value.is(JsonKind::string)) {
        texts.add(member);
      } else {
        put_member(members, member.name, member.value.bytes());
      }
    }
  }

  void add_delta(const MemberList& delta) {
    for (const JsonMember& member : delta) {
      if (member.name == "role") {
        if (member.value.is(JsonKind::string)) role = member.value.bytes();
      } else if (member.name == "tool_calls") {
        for (const JsonView& call : member.value.elements()) {
          const MemberList fields = call.members();
          tool_calls[integer_of(fields, "index").value_or(0)].add(fields);
        }
      } else {
        texts.add(member);
      }
    }
  }

  std::string json(bool is_chat) const {
    JsonMembers whole = members;
    const JsonMembers own = texts.members(is_chat ? "content" : "text");
    if (!is_chat) {
      whole.insert(whole.end(), own.begin(), own.end());
      return json_object(whole);
    }
    JsonMembers message{{"role", role}};
    message.insert(message.end(), own.begin(), own.end());
    if (!tool_calls.empty()) {
      std::vector<std::string> calls;
      for (const auto& [index, call] : tool_calls) calls.push_back(call.json());
      message.emplace_back("tool_calls", json_array(calls));
    }
    whole.emplace_back("message", json_object(message));
    return json_object(whole);
  }
};

class ChoicesAssembly : public Assembly {
 public:
  void add(const JsonView& data) override {
    const MemberList members = data.members();
    last_ = data.bytes();
    if (const std::optional<JsonView> content = find_member(members, "content")) {
      if (content->is(JsonKind::string)) content_.add(*content);
    }
    const std::optional<JsonView> choices = find_member(members, "choices");
    if (!choices) return;
    has_choices_ = true;
    is_chat_ |= string_of(members, "object") == "chat.completion.chunk";
    for (const JsonView& choice : choices->elements()) {
      const MemberList fields = choice.members();
      is_chat_ |= find_member(fields, "delta").has_value();
      choices_[integer_of(fields, "index").value_or(0)].add(fields);
    }
  }

  // The last event has all of the reply but the texts.
  std::string reply() const override {
    const JsonView last = JsonView::of(last_);
    JsonEdits edits(last_);
    if (has_choices_) {
      std::vector<std::string> choices;
      for (const auto& [index, choice] : choices_) choices.push_back(choice.json(is_chat_));
      JsonMembers members{{"choices", json_array(choices)}};
      if (is_chat_) members.emplace_back("object", "\"chat.completion\"");
      edits.set_members(last, members);
    } else {
      edits.set_members(last, {{"content", content_.json()}});
      const std::optional<JsonView> settings = last.find("generation_settings");
      if (settings && settings->find("stream")) edits.set_members(*settings, {{"stream", "false"}});
    }
    return edits.apply();
  }

 private:
  std::string last_ = "{}";
  std::map<std::int64_t, Choice> choices_;
  JoinedText content_;  // of llama-server's own /completion
  bool has_choices_ = false;
  bool is_chat_ = false;
};

}  // namespace

std::unique_ptr<Assembly> make_choices_assembly() { return std::make_unique<ChoicesAssembly>(); }

}  // namespace skimfill
