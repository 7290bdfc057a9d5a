#include "gateway/dialect/prompt.h"

#include <algorithm>
#include <array>

namespace skimfill {
namespace {

// Who is not known to be a user or a tool is left untouched like a system message.
Role role_of(std::string_view name) {
  if (name == "user") return Role::user;
  if (name == "assistant") return Role::assistant;
  if (name == "tool" || name == "function") return Role::tool;
  return Role::system;
}

struct Text {
  JsonView value;
  Role role;
  std::int64_t message;
  std::optional<std::int64_t> part;
};

std::optional<JsonView> text_of_part(const JsonView& part) {
  const std::vector<JsonMember> members = part.members();
  const std::optional<JsonView> type = find_member(members, "type");
  const std::optional<JsonView> text = find_member(members, "text");
  if (!type || !type->is(JsonKind::string) || type->as_string() != "text") return std::nullopt;
  if (!text || !text->is(JsonKind::string)) return std::nullopt;
  return text;
}

Result<std::vector<Text>> texts_of_messages(const std::optional<JsonView>& messages) {
  std::vector<Text> texts;
  const std::vector<JsonView> list = messages ? messages->elements() : std::vector<JsonView>();
  if (list.empty()) return Error{Status::invalid, "messages: expected a list of at least one message"};
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string name = "messages[" + std::to_string(i) + "]";
    if (!list[i].is(JsonKind::object)) return Error{Status::invalid, name + ": expected an object"};
    const std::vector<JsonMember> members = list[i].members();
    const std::optional<JsonView> role = find_member(members, "role");
    const std::optional<JsonView> content = find_member(members, "content");
    if (!role || !role->is(JsonKind::string))
      return Error{Status::invalid, name + ".role: expected a string"};
    if (!content) continue;
    const Role speaker = role_of(role->as_string());
    const auto message = static_cast<std::int64_t>(i);
    if (content->is(JsonKind::string)) texts.push_back({*content, speaker, message, std::nullopt});
    std::int64_t part = 0;
    for (const JsonView& element : content->elements()) {
      if (const auto text = text_of_part(element)) texts.push_back({*text, speaker, message, part});
      ++part;
    }
  }
  return texts;
}

}  // namespace

Dialect dialect_of(std::string_view path) {
  static constexpr std::array<std::string_view, 2> kCompletions = {"/completions", "/completion"};
  path = path.substr(0, path.find('?'));
  if (path.ends_with("/chat/completions")) return Dialect::chat;
  const bool completion = std::any_of(kCompletions.begin(), kCompletions.end(),
                                      [&](std::string_view route) { return path.ends_with(route); });
  return completion ? Dialect::completion : Dialect::other;
}

Result<Prompt> read_prompt(Dialect dialect, const JsonView& body) {
  if (!body.is(JsonKind::object)) return Error{Status::invalid, "the body is not a JSON object"};
  const std::vector<JsonMember> members = body.members();
  std::vector<Text> texts;
  if (dialect == Dialect::chat) {
    Result<std::vector<Text>> read = texts_of_messages(find_member(members, "messages"));
    if (!read) return read.error();
    texts = std::move(*read);
  } else {
    const std::optional<JsonView> prompt = find_member(members, "prompt");
    if (!prompt || prompt->is(JsonKind::null)) return Error{Status::invalid, "prompt: expected a text"};
    if (prompt->is(JsonKind::string)) texts.push_back({*prompt, Role::user, 0, std::nullopt});
  }
  Prompt prompt;
  const std::optional<JsonView> stream = find_member(members, "stream");
  prompt.stream = stream && stream->as_bool();
  prompt.texts.reserve(texts.size());
  for (const Text& text : texts) {
    prompt.texts.push_back(text.value.as_string());
    prompt.passages.push_back({text.role, prompt.texts.back(), text.message});
    prompt.places.push_back(text.value.range());
    prompt.parts.push_back(text.part);
  }
  return prompt;
}

std::string with_texts(std::string_view body, const Prompt& prompt, const std::vector<std::string>& texts) {
  JsonEdits edits(body);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (texts[i] != prompt.texts[i]) edits.replace(prompt.places[i], quote_json(texts[i]));
  }
  return edits.apply();
}

}  // namespace skimfill
