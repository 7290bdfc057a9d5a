// What libllama takes for granted about a file's vocabulary.
#pragma once

#include <cstdint>

#include "model/metadata.h"

namespace skimfill {

// Notes faults in the tokenizer's keys. Returns the number of tokens, 0 where there are none to count.
std::int64_t check_vocabulary(Metadata& metadata);

}  // namespace skimfill
