// What of a prompt may be skimmed, and what it asks.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "skimfill/skimfill.h"

namespace skimfill {

// A piece of a passage that may be skimmed, [begin, end) in bytes.
struct BodyRange {
  std::int64_t passage = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

struct Conversation {
  std::string question;         // empty: none was found
  std::vector<BodyRange> body;  // in order; never covers the question, a system or an assistant text
};

// The body is every long text of users and tools. The question is `question` where given (and, where it
// stands in the last user message, that place is protected); else it is found in the last user message: its
// short texts, or in a long one the sentences around the last question mark at its end or its beginning, or
// its last and first line.
Conversation read_conversation(std::span<const Passage> passages, std::string_view question);

}  // namespace skimfill
