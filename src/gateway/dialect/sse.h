// Server-sent events, cut out of a stream that arrives in pieces of any size.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gateway/json/json_edit.h"

namespace skimfill {

class SseSplitter {
 public:
  void feed(std::string_view piece) { pending_ += piece; }

  // The next whole event as it came, with the blank line that ends it; nothing until there is one.
  std::optional<std::string> next();

  // What is left of an event that never ended.
  std::string_view rest() const { return std::string_view(pending_).substr(begin_); }
  std::string take_rest();

 private:
  std::string pending_;
  std::size_t begin_ = 0;    // of the event that is not yet whole
  std::size_t scanned_ = 0;  // no end of an event before here
};

// Where the data of an event stands in it; nothing for a comment, and for data on several lines.
std::optional<ByteRange> sse_data(std::string_view event);

// The same where the data is one JSON object.
std::optional<ByteRange> sse_object(std::string_view event);

// What stands on the `event:` line; empty where there is none.
std::string_view sse_name(std::string_view event);

}  // namespace skimfill
