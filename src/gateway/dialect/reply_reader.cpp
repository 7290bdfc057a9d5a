#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "gateway/dialect/reply.h"
#include "gateway/json/json_members.h"

namespace skimfill {
namespace {

using Part = ReplyEvent::Part;
using MemberList = std::vector<JsonMember>;

constexpr std::string_view kDone = "[DONE]";

bool is_text(const std::optional<JsonView>& value) {
  if (!value) return false;
  if (value->is(JsonKind::string)) return value->bytes().size() > 2;
  return value->is(JsonKind::array) && !value->elements().empty();
}

bool has_text(const MemberList& members) {
  static constexpr std::array<std::string_view, 6> kNames = {"content", "text",       "reasoning_content",
                                                             "refusal", "tool_calls", "reasoning"};
  return std::any_of(kNames.begin(), kNames.end(),
                     [&](std::string_view name) { return is_text(find_member(members, name)); });
}

ReplyEvent added_start(std::string_view model) {
  // An id is how clients tell messages apart.
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  const std::string message = json_object({{"id", "\"msg_" + std::to_string(now) + '"'},
                                           {"type", "\"message\""},
                                           {"role", "\"assistant\""},
                                           {"content", "[]"},
                                           {"model", quote_json(model)},
                                           {"stop_reason", "null"},
                                           {"stop_sequence", "null"},
                                           {"usage", R"({"input_tokens":0,"output_tokens":0})"}});
  return {
      .part = Part::start,
      .bytes = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":" + message + "}\n\n"};
}

}  // namespace

void ReplyReader::feed(std::string_view piece) { splitter_.feed(piece); }

void ReplyReader::finish() { finished_ = true; }

std::optional<ReplyEvent> ReplyReader::next() {
  while (ready_.empty()) {
    std::optional<std::string> event = splitter_.next();
    if (!event) break;
    take(std::move(*event));
  }
  if (ready_.empty() && finished_) {
    // The blank line after the last event may be missing. Half an event is dropped.
    std::string rest = splitter_.take_rest();
    rest.erase(
        std::find_if_not(rest.rbegin(), rest.rend(), [](char c) { return c == '\r' || c == '\n'; }).base(),
        rest.end());
    const std::optional<ByteRange> data = sse_data(rest);
    if (data && (sse_object(rest) || rest.compare(data->begin, rest.npos, kDone) == 0)) take(rest + "\n\n");
    if (held_) {
      complete_ |= ending_;  // not every target ends its streams with [DONE]
      let_go(Part::last);
    }
  }
  if (ready_.empty()) return std::nullopt;
  ReplyEvent event = std::move(ready_.front());
  ready_.pop_front();
  return event;
}

void ReplyReader::let_go(Part part) {
  if (!held_) return;
  held_->part = part;
  ready_.push_back(std::move(*held_));
  held_.reset();
}

void ReplyReader::take(std::string bytes) {
  ReplyEvent event{.bytes = std::move(bytes)};
  const std::optional<ByteRange> range = sse_data(event.bytes);
  const std::string text = range ? event.bytes.substr(range->begin, range->end - range->begin) : "";
  if (text == kDone) {
    complete_ |= started_;
    let_go(Part::last);
    event.part = Part::end;
  } else if (sse_object(event.bytes)) {
    const MemberList members = JsonView::of(text).members();
    const bool is_error = has_value(members, "error") || sse_name(event.bytes) == "error" ||
                          string_of(members, "type") == "error";
    if (is_error) return take_error(std::move(event), text);
    if (dialect_ == Dialect::messages) return take_message_event(std::move(event), members);
    if (dialect_ == Dialect::responses) return take_response_event(std::move(event), members);
    return take_chunk(std::move(event), members);
  }
  ready_.push_back(std::move(event));
}

void ReplyReader::take_error(ReplyEvent event, std::string_view data) {
  let_go(Part::plain);
  complete_ = true;
  event.part = Part::error;
  if (dialect_ == Dialect::messages || dialect_ == Dialect::responses)
    event.bytes = error_event(dialect_, data);
  ready_.push_back(std::move(event));
}

// Both of OpenAI's forms, and llama-server's own /completion, whose texts stand at the top.
void ReplyReader::take_chunk(ReplyEvent event, const MemberList& members) {
  started_ = true;
  event.has_text = has_text(members);
  const std::optional<JsonView> stop = find_member(members, "stop");
  ending_ |= stop && stop->as_bool();
  bool is_bare = false;
  if (const std::optional<JsonView> choices = find_member(members, "choices")) {
    const std::vector<JsonView> list = choices->elements();
    is_bare = list.empty();
    for (const JsonView& choice : list) {
      const MemberList fields = choice.members();
      ending_ |= has_value(fields, "finish_reason");
      const std::optional<JsonView> delta = find_member(fields, "delta");
      event.has_text |= has_text(delta ? delta->members() : fields);
    }
  }
  // With the text of an answer that the client began, progress is not all there is; that text is not
  // generated.
  if (has_value(members, "prompt_progress")) {
    event.part = event.has_text ? Part::plain : Part::progress;
    event.has_text = false;
    return ready_.push_back(std::move(event));
  }
  let_go(Part::plain);
  if (ending_ || is_bare) {
    held_ = std::move(event);
  } else {
    ready_.push_back(std::move(event));
  }
}

void ReplyReader::take_message_event(ReplyEvent event, const MemberList& members) {
  const std::string type = string_of(members, "type").value_or("");
  if (type == "message_start") {
    event.part = Part::start;
    started_ = true;
  } else if (type.starts_with("content_block") || type == "message_delta") {
    if (!std::exchange(started_, true)) ready_.push_back(added_start(model_));
  }
  if (type == "content_block_start") {
    const std::int64_t index = integer_of(members, "index").value_or(last_block_ + 1);
    if (index <= last_block_) return;
    last_block_ = index;
    event.has_text = string_of(members_of(find_member(members, "content_block")), "type") == "tool_use";
  } else if (type == "content_block_delta") {
    event.has_text = true;
  } else if (type == "message_delta") {
    event.part = Part::last;
    complete_ = true;
  } else if (type == "message_stop") {
    event.part = Part::end;
  }
  ready_.push_back(std::move(event));
}

void ReplyReader::take_response_event(ReplyEvent event, const MemberList& members) {
  const std::string type = string_of(members, "type").value_or("");
  if (type == "response.completed" || type == "response.incomplete" || type == "response.failed") {
    event.part = Part::last;
    complete_ = true;
  } else if (type.ends_with(".delta")) {
    event.has_text = !has_value(members, "prompt_progress");
  } else if (type == "response.output_item.added") {
    event.has_text = string_of(members_of(find_member(members, "item")), "type") == "function_call";
  } else if (type == "response.in_progress") {
    // Clients are told once; llama-server says it again for each piece of the prompt.
    if (std::exchange(started_, true) && has_value(members, "prompt_progress")) event.part = Part::progress;
  }
  ready_.push_back(std::move(event));
}

}  // namespace skimfill
