#include "gateway/dialect/prompt.h"

#include <utility>

namespace skimfill {
namespace {

constexpr std::int64_t kOutsideOfMessages = -1;

Role role_of(std::string_view name) {
  if (name == "user") return Role::user;
  if (name == "assistant") return Role::assistant;
  if (name == "tool" || name == "function") return Role::tool;
  return Role::system;
}

std::string string_of(const std::vector<JsonMember>& members, std::string_view name) {
  const std::optional<JsonView> value = find_member(members, name);
  return value && value->is(JsonKind::string) ? value->as_string() : "";
}

// Where a text stands: of which message it is part, and who says it.
struct Place {
  Role role = Role::user;
  std::int64_t message = 0;
  std::optional<std::int64_t> part;
  std::optional<std::int64_t> subpart;
};

class PromptReader {
 public:
  void read_messages(const std::optional<JsonView>& messages) {
    if (!messages) return;
    Place place;
    for (const JsonView& message : messages->elements()) {
      const std::vector<JsonMember> members = message.members();
      place.role = role_of(string_of(members, "role"));
      add_content(find_member(members, "content"), place);
      ++place.message;
    }
  }

  // The responses' items: messages, tool calls and their results, and kinds that hold no text of ours.
  void read_items(const std::optional<JsonView>& input) {
    if (!input) return;
    Place place;
    if (input->is(JsonKind::string)) add_text(*input, place);
    for (const JsonView& item : input->elements()) {
      const std::vector<JsonMember> members = item.members();
      const std::string type = string_of(members, "type");
      if (type == "function_call_output") {
        place.role = Role::tool;
        add_content(find_member(members, "output"), place);
      } else if (type.empty() || type == "message") {
        place.role = role_of(string_of(members, "role"));
        add_content(find_member(members, "content"), place);
      }
      ++place.message;
    }
  }

  void add_content(const std::optional<JsonView>& content, Place place) {
    if (!content) return;
    if (content->is(JsonKind::string)) return add_text(*content, place);
    place.part = 0;
    for (const JsonView& part : content->elements()) {
      add_part(part, place);
      ++*place.part;
    }
  }

  Prompt take(bool stream) {
    Prompt prompt;
    prompt.stream = stream;
    prompt.texts.reserve(texts_.size());
    for (const auto& [literal, place] : texts_) {
      prompt.texts.push_back(literal.as_string());
      prompt.passages.push_back({place.role, prompt.texts.back(), place.message});
      prompt.places.push_back(literal.range());
      prompt.parts.push_back(place.part);
      prompt.subparts.push_back(place.subpart);
    }
    return prompt;
  }

 private:
  void add_text(const JsonView& literal, const Place& place) { texts_.emplace_back(literal, place); }

  void add_part(const JsonView& part, Place place) {
    const std::vector<JsonMember> members = part.members();
    const std::string type = string_of(members, "type");
    if (type == "tool_result" && !place.subpart) {
      place.role = Role::tool;
      const std::optional<JsonView> content = find_member(members, "content");
      if (!content) return;
      if (content->is(JsonKind::string)) return add_text(*content, place);
      place.subpart = 0;
      for (const JsonView& subpart : content->elements()) {
        add_part(subpart, place);
        ++*place.subpart;
      }
    } else if (type == "text" || type == "input_text" || type == "output_text") {
      const std::optional<JsonView> text = find_member(members, "text");
      if (text && text->is(JsonKind::string)) add_text(*text, place);
    }
  }

  std::vector<std::pair<JsonView, Place>> texts_;
};

}  // namespace

Prompt read_prompt(Dialect dialect, const JsonView& body) {
  const std::vector<JsonMember> members = body.members();
  PromptReader reader;
  switch (dialect) {
    case Dialect::chat:
      reader.read_messages(find_member(members, "messages"));
      break;
    case Dialect::messages:
      reader.add_content(find_member(members, "system"), {Role::system, kOutsideOfMessages, {}, {}});
      reader.read_messages(find_member(members, "messages"));
      break;
    case Dialect::responses:
      reader.add_content(find_member(members, "instructions"), {Role::system, kOutsideOfMessages, {}, {}});
      reader.read_items(find_member(members, "input"));
      break;
    case Dialect::completion: {
      // A list is several prompts, or tokens: only a single text can be skimmed.
      const std::optional<JsonView> prompt = find_member(members, "prompt");
      if (prompt && prompt->is(JsonKind::string)) reader.add_content(prompt, {});
      break;
    }
    case Dialect::other:
      break;
  }
  const std::optional<JsonView> stream = find_member(members, "stream");
  return reader.take(stream && stream->as_bool());
}

std::string with_texts(std::string_view body, const Prompt& prompt, const std::vector<std::string>& texts) {
  JsonEdits edits(body);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (texts[i] != prompt.texts[i]) edits.replace(prompt.places[i], quote_json(texts[i]));
  }
  return edits.apply();
}

}  // namespace skimfill
