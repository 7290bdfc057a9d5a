#include "skim/select.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace skimfill {
namespace {

// How many more runs of left-out units there are once unit i is kept: -1, 0 or 1.
std::int64_t added_gaps(std::span<const Candidate> units, const std::vector<bool>& kept, std::size_t i) {
  const bool open_before = i > 0 && units[i - 1].range == units[i].range && !kept[i - 1];
  const bool open_after = i + 1 < units.size() && units[i + 1].range == units[i].range && !kept[i + 1];
  return static_cast<std::int64_t>(open_before) + static_cast<std::int64_t>(open_after) - 1;
}

std::int64_t count_ranges(std::span<const Candidate> units) {
  std::int64_t n = 0;
  for (std::size_t i = 0; i < units.size(); ++i)
    n += static_cast<std::int64_t>(i == 0 || units[i].range != units[i - 1].range);
  return n;
}

}  // namespace

std::vector<bool> select_units(std::span<const Candidate> units, std::int64_t budget_tokens,
                               std::int64_t mark_tokens) {
  std::vector<bool> kept(units.size(), false);
  std::vector<std::size_t> order(units.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return units[a].score > units[b].score; });
  std::int64_t used =
      count_ranges(units) * mark_tokens;  // everything left out: one mark for each piece of text
  for (const std::size_t i : order) {
    const std::int64_t cost = units[i].n_token + added_gaps(units, kept, i) * mark_tokens;
    if (used + cost > budget_tokens) continue;
    kept[i] = true;
    used += cost;
  }
  return kept;
}

}  // namespace skimfill
