// What is legal in a body but misread by llama-server, said in its own words.
#pragma once

#include <string>

#include "gateway/dialect/dialect.h"

namespace skimfill {

// The body for a llama-server; check_body() has accepted it. All bytes but these stay:
// - Explicit nulls go (without_nulls()).
// - A choice of one tool by name, which it ignores, becomes a choice of any among that one; Anthropic's
// "none", which it
//   ignores too, takes the tools away.
// - Arguments of earlier tool calls that are no JSON, as a model leaves them behind when it is cut short,
// become an
//   object with the text as its member "arguments": it answers 500 to them, so that the conversation could
//   never go on.
std::string for_llama_server(Dialect dialect, std::string body);

}  // namespace skimfill
