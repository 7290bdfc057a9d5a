// Explicit nulls, which many client libraries write for every field that was not given.
#pragma once

#include <string>

#include "gateway/dialect/dialect.h"

namespace skimfill {

// The body without the members that are null, where null means the default: of the body itself, of its
// messages or items (their content stays), of tool calls in them, and of tools and their functions.
// llama-server answers 500 to a null `name` or `reasoning_content` in a message, 400 to null `tools` in the
// responses' form. All other bytes stay. check_body() has accepted the body.
std::string without_nulls(Dialect dialect, std::string body);

}  // namespace skimfill
