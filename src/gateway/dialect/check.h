// What a request's body must be before anything is done with it: shapes and numbers by one table a dialect,
// so that the target never sees what it would take for something else, or die of.
#pragma once

#include <cstddef>

#include "gateway/dialect/dialect.h"
#include "gateway/json/json_edit.h"
#include "skimfill/result.h"

namespace skimfill {

struct BodyLimits {
  int max_depth = 128;
  std::size_t max_values =
      1'000'000;  // members and elements of all objects and lists; prompts of tokens, mostly
  std::size_t max_messages = 10'000;  // messages, input items, content parts, tool calls and tools together
};

// Checks the body of a generate or count task; of a compute task whose body is JSON, only the fields that
// hold one value. check_json() has accepted its text. Explicit nulls mean the default. Unknown fields are
// left alone. Error: Status::invalid naming the field with its place ("messages[3].content[0].text",
// "max_tokens") and what it takes.
Result<void> check_body(const Task& task, const JsonView& body, const BodyLimits& limits);

}  // namespace skimfill
