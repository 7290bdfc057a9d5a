// Puts the signals side by side on one scale and adds them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "skimfill/result.h"

namespace skimfill {

// The weights of one fusion. Each signal is standardised over the prompt before it is weighted.
struct FusionPreset {
  std::string_view name;
  double attention = 0;        // contrast of the question's and the neutral question's attention
  double lexical = 0;          // BM25
  double neighbour_share = 0;  // how much of a chunk's score its two neighbours receive
};

inline constexpr FusionPreset kDefaultPreset{
    .name = "contrast+bm25", .attention = 1.0, .lexical = 0.5, .neighbour_share = 0.25};

// Text that asks for nothing in particular. What it attends to is what attention likes in any case: sinks,
// headings, rare tokens. Subtracting it is the largest single gain of all that was measured.
inline constexpr std::string_view kNeutralQuestion = "Please summarise the text above in one sentence.";

// One value per chunk of the body, [n_chunk] f32.
struct Signals {
  std::vector<float> question;    // attention from the question
  std::vector<float> neutral;     // attention from the neutral question
  std::vector<float> lexical;     // BM25
  std::int64_t n_not_finite = 0;  // rows of attention that held a value that is not finite
};

// z(x) = (x - mean) / deviation; all zero where every value is the same. Finite input only.
std::vector<float> standardise(std::span<const float> values);

// Returns one score per chunk, standardised. Errors (Status::unsupported) where there is no signal to select
// by: a value that is not finite, or an attention contrast that is flat. The message is the reason, for a
// person.
Result<std::vector<float>> fuse(const Signals& signals, const FusionPreset& preset);

}  // namespace skimfill
