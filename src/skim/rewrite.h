// Writes the text that is sent in place of a skimmed one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "skim/units.h"

namespace skimfill {

// The kept units of `text` in order, with a stand-in for every run of units that was left out: the mark, and
// a line break or a space after it as the run had one. That separator stays where the mark is empty: texts
// that did not touch before must not grow into one word or one control marker.
//
// units: those of the text, without gaps. kept: [n_unit].
std::string write_kept(std::string_view text, const std::vector<TextUnit>& units,
                       const std::vector<bool>& kept, std::string_view mark);

}  // namespace skimfill
