// Chooses units under a hard budget of tokens.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace skimfill {

// A unit as the selection sees it. Units are in text order; a run of the same `range` is one piece of text.
struct Candidate {
  std::int64_t range = 0;
  std::int64_t n_token = 0;
  float score = 0;  // finite
};

// Takes units greedily by score while they fit; ties go to the earlier unit. A run of units left out costs
// `mark_tokens` more, so that the marks are within the budget too. Returns kept[i], [n_unit].
std::vector<bool> select_units(std::span<const Candidate> units, std::int64_t budget_tokens,
                               std::int64_t mark_tokens);

}  // namespace skimfill
