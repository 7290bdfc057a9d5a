// Bytes of unknown encoding made safe to show.
#pragma once

#include <string>
#include <string_view>

namespace skimfill {

// `text` with one U+FFFD for each byte sequence that is no UTF-8, as the WHATWG encoding standard counts
// them.
std::string valid_utf8(std::string_view text);

// The same for a terminal: control characters, which could move the cursor or worse, become U+FFFD too; line
// ends and tabs stay.
std::string terminal_text(std::string_view text);

// The same for the text of an HTML element or a quoted attribute, with &, <, > and quotes escaped.
std::string html_text(std::string_view text);

}  // namespace skimfill
