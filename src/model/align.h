// Finds where each token's text lies in the text that was tokenized.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace skimfill {

// pieces: the tokens' texts in order, empty where one is not known (an unknown-word token).
// Returns [n_piece] the byte where each token begins; never falls, first is 0. Exact where the pieces spell
// the text, also with one space put before it. Where a tokenizer changed case, accents or white space the
// places are found leniently: a piece that is not found begins where the one before it ends, and text that no
// piece covers belongs to the piece before it.
std::vector<std::int64_t> align_pieces(std::string_view text, const std::vector<std::string>& pieces);

}  // namespace skimfill
