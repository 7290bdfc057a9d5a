#include "gateway/dialect/sse.h"

#include <algorithm>

namespace skimfill {
namespace {

// The place behind the line end at `at`; `at` itself where none is. "\r\n" is one line end.
std::size_t behind_line_end(std::string_view text, std::size_t at) {
  if (at >= text.size()) return at;
  if (text[at] == '\n') return at + 1;
  if (text[at] != '\r') return at;
  return at + 1 < text.size() && text[at + 1] == '\n' ? at + 2 : at + 1;
}

template <class Visit>
void for_each_value(std::string_view event, std::string_view field, const Visit& visit) {
  for (std::size_t at = 0; at < event.size();) {
    const std::size_t end = std::min(event.find_first_of("\r\n", at), event.size());
    if (event.substr(at, end - at).starts_with(field)) {
      ByteRange value{at + field.size(), end};
      if (value.begin < end && event[value.begin] == ' ') ++value.begin;
      visit(value);
    }
    at = end + 1;
  }
}

}  // namespace

std::optional<std::string> SseSplitter::next() {
  for (;;) {
    const std::size_t line_end = pending_.find_first_of("\r\n", scanned_);
    if (line_end == std::string::npos) {
      scanned_ = pending_.size();
      break;
    }
    const std::size_t second = behind_line_end(pending_, line_end);
    // After "\r" a "\n" of the same line end, or of the blank line, may still be on its way.
    if (second == pending_.size()) break;
    const std::size_t end = behind_line_end(pending_, second);
    if (end == second) {
      scanned_ = second;
      continue;
    }
    if (pending_[end - 1] == '\r' && end == pending_.size()) break;
    std::string event = pending_.substr(begin_, end - begin_);
    begin_ = scanned_ = end;
    return event;
  }
  // What was handed out is dropped once a piece is used up, not for every event: that would be quadratic.
  pending_.erase(0, begin_);
  scanned_ -= std::min(scanned_, begin_);
  begin_ = 0;
  return std::nullopt;
}

std::string SseSplitter::take_rest() {
  std::string rest(this->rest());
  pending_.clear();
  begin_ = scanned_ = 0;
  return rest;
}

std::optional<ByteRange> sse_data(std::string_view event) {
  std::optional<ByteRange> data;
  bool several = false;
  for_each_value(event, "data:", [&](ByteRange value) {
    several |= data.has_value();
    data = value;
  });
  return several ? std::nullopt : data;
}

std::optional<ByteRange> sse_object(std::string_view event) {
  const std::optional<ByteRange> range = sse_data(event);
  if (!range) return std::nullopt;
  const std::string_view data = event.substr(range->begin, range->end - range->begin);
  if (!looks_like_json(data) || !check_json(data) || !JsonView::of(data).is(JsonKind::object)) {
    return std::nullopt;
  }
  return range;
}

std::string_view sse_name(std::string_view event) {
  std::string_view name;
  for_each_value(
      event, "event:", [&](ByteRange value) { name = event.substr(value.begin, value.end - value.begin); });
  return name;
}

}  // namespace skimfill
