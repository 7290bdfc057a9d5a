// The texts of a request, who said them, and where each stands in the body.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/dialect/dialect.h"
#include "gateway/json/json_edit.h"
#include "skimfill/skimfill.h"

namespace skimfill {

// Move-only: the passages view its texts.
//
// Passage::message is the index in `messages`, in `input`, or 0 for a prompt or an input that is one string.
// Anthropic's `system` and the responses' `instructions` stand outside of that list: -1.
struct Prompt {
  Prompt() = default;
  Prompt(Prompt&&) = default;
  Prompt& operator=(Prompt&&) = default;
  Prompt(const Prompt&) = delete;
  Prompt& operator=(const Prompt&) = delete;

  std::vector<std::string> texts;                  // decoded
  std::vector<Passage> passages;                   // one a text
  std::vector<ByteRange> places;                   // of each text's string literal in the body
  std::vector<std::optional<std::int64_t>> parts;  // its index in a content (or output) that is a list
  std::vector<std::optional<std::int64_t>>
      subparts;  // in the list that such a part is: Anthropic's tool_result
  bool stream = false;
};

// Reads a body that check_body() accepted; of any other well-formed body it reads what it can. Texts that are
// no plain strings (images, lists of prompts or of tokens, null), reasoning and tool calls have no passage:
// they stay as they are. Who is not known to be a user, an assistant or a tool counts as the system.
Prompt read_prompt(Dialect dialect, const JsonView& body);

// The body with the texts that differ from the prompt's put in their places.
std::string with_texts(std::string_view body, const Prompt& prompt, const std::vector<std::string>& texts);

}  // namespace skimfill
