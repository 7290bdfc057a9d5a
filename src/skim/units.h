// Lines and sentences: the units that are kept or left out as a whole.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/tokenizer.h"
#include "signal/segments.h"

namespace skimfill {

// A unit of one text: [begin, end) in bytes, [first_token, last_token) in tokens (a token belongs to the unit
// in which it begins, so a unit may hold none).
struct TextUnit {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t first_token = 0;
  std::int64_t last_token = 0;

  std::int64_t n_token() const { return last_token - first_token; }
};

// Lines; a long line is cut into sentences, a long sentence between words, text without any break between
// code points. Blank lines belong to the unit before them. The units cover the text without gaps.
std::vector<TextUnit> split_units(std::string_view text, const TokenizedText& tokens);

// For each token, what ends before it: [n_token].
std::vector<Border> token_borders(std::string_view text, const TokenizedText& tokens);

}  // namespace skimfill
