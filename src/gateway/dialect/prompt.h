// The texts of a chat or completion request, and where each stands in the body.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/json/json_edit.h"
#include "skimfill/result.h"
#include "skimfill/skimfill.h"

namespace skimfill {

enum class Dialect {
  other,       // passed through
  chat,        // {"messages": [...]}
  completion,  // {"prompt": "..."}
};

// By the route's path. A prefix before it does not matter.
Dialect dialect_of(std::string_view path);

// Move-only: the passages view its texts.
struct Prompt {
  Prompt() = default;
  Prompt(Prompt&&) = default;
  Prompt& operator=(Prompt&&) = default;
  Prompt(const Prompt&) = delete;
  Prompt& operator=(const Prompt&) = delete;

  std::vector<std::string> texts;                  // decoded
  std::vector<Passage> passages;                   // one a text
  std::vector<ByteRange> places;                   // of each text's string literal in the body
  std::vector<std::optional<std::int64_t>> parts;  // its index in a message whose content is a list
  bool stream = false;
};

// Reads a body that check_json() accepted. Texts that are no plain strings (images, lists of prompts or of
// tokens, null) have no passage: they stay as they are. Errors: Status::invalid naming the field, for a body
// that has no messages or no prompt.
Result<Prompt> read_prompt(Dialect dialect, const JsonView& body);

// The body with the texts that differ from the prompt's put in their places.
std::string with_texts(std::string_view body, const Prompt& prompt, const std::vector<std::string>& texts);

}  // namespace skimfill
