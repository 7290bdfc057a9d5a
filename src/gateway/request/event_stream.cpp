#include "gateway/request/event_stream.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

namespace skimfill {
namespace {

bool is_text(const std::optional<JsonView>& value) {
  if (!value) return false;
  if (value->is(JsonKind::string)) return value->bytes().size() > 2;
  return value->is(JsonKind::array) && !value->elements().empty();
}

bool has_text(const std::vector<JsonMember>& members) {
  static constexpr std::array<std::string_view, 6> kNames = {"content", "text",       "reasoning_content",
                                                             "refusal", "tool_calls", "reasoning"};
  return std::any_of(kNames.begin(), kNames.end(),
                     [&](std::string_view name) { return is_text(find_member(members, name)); });
}

struct Chunk {
  bool is_error = false;
  bool has_text = false;
  bool may_be_last = false;
};

// Both dialects, and llama-server's own /completion, whose texts stand at the top.
Chunk read_chunk(const JsonView& event) {
  Chunk chunk;
  const std::vector<JsonMember> members = event.members();
  chunk.is_error = find_member(members, "error").has_value();
  chunk.has_text = has_text(members);
  const std::optional<JsonView> stop = find_member(members, "stop");
  chunk.may_be_last = stop && stop->as_bool();
  const std::optional<JsonView> choices = find_member(members, "choices");
  if (!choices || !choices->is(JsonKind::array)) return chunk;
  const std::vector<JsonView> list = choices->elements();
  chunk.may_be_last |= list.empty();
  for (const JsonView& choice : list) {
    const std::vector<JsonMember> fields = choice.members();
    const std::optional<JsonView> reason = find_member(fields, "finish_reason");
    const std::optional<JsonView> delta = find_member(fields, "delta");
    chunk.may_be_last |= reason && !reason->is(JsonKind::null);
    chunk.has_text |= has_text(delta ? delta->members() : fields);
  }
  return chunk;
}

}  // namespace

// Lets the held event go.
awaitable<void> EventForwarder::release(bool is_last) {
  if (held_.empty()) co_return;
  std::string event = std::exchange(held_, {});
  if (is_last) {
    const ByteRange data = *sse_data(event);
    const std::string amended = co_await amend_(event.substr(data.begin, data.end - data.begin));
    event.replace(data.begin, data.end - data.begin, amended);
  }
  co_await exchange_.write(event);
}

awaitable<void> EventForwarder::forward(std::string event) {
  const std::optional<ByteRange> place = sse_data(event);
  if (!place) co_return co_await exchange_.write(event);
  const std::string_view data = std::string_view(event).substr(place->begin, place->end - place->begin);
  if (data == "[DONE]") {
    co_await release(true);
    complete_ = true;
    co_return co_await exchange_.write(event);
  }
  co_await release(false);
  Chunk chunk;
  if (check_json(data) && JsonView::of(data).is(JsonKind::object)) chunk = read_chunk(JsonView::of(data));
  complete_ |= chunk.is_error;
  if (chunk.may_be_last) {
    held_ = std::move(event);
  } else {
    co_await exchange_.write(event);
  }
  if (chunk.has_text && !std::exchange(text_seen_, true)) on_text_();
}

awaitable<void> EventForwarder::feed(std::string_view piece) {
  splitter_.feed(piece);
  while (auto event = splitter_.next()) co_await forward(std::move(*event));
}

awaitable<bool> EventForwarder::finish() {
  // The blank line after the last event may be missing.
  if (!splitter_.rest().empty()) co_await forward(std::string(splitter_.rest()));
  // llama-server's own /completion has no [DONE].
  complete_ |= !held_.empty();
  co_await release(true);
  co_return complete_;
}

}  // namespace skimfill
