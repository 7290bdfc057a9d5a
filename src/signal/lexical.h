// The lexical signal: BM25 of a question's words over small chunks of the text.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace skimfill {

// Words as BM25 sees them: runs of ASCII letters and digits in lower case, runs of other non-ASCII letters,
// and each CJK character on its own. Works on any bytes.
std::vector<std::string> words_of(std::string_view text);

// Okapi BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009, eq. 3.15; k1 = 1.2, b =
// 0.75) of `question` against each chunk, the chunks being the collection. All zero when no word of it
// occurs.
std::vector<float> bm25(std::string_view question, std::span<const std::string_view> chunks);

}  // namespace skimfill
