// Writes the text that is sent in place of a skimmed one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace skimfill {

// Appends `left_out`'s stand-in to `out`: the mark, and a line break or a space after it as the text had one.
// The separator stays where the mark is empty: texts that did not touch before must not grow into one word or
// marker.
void append_mark(std::string& out, std::string_view mark, std::string_view left_out);

}  // namespace skimfill
