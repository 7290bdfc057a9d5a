#include "signal/segments.h"

#include <algorithm>
#include <cassert>
#include <cstdlib>

namespace skimfill {
namespace {

// The best border in [first, last], the one nearest to `target` among equals.
std::int64_t best_cut(std::span<const Border> borders, std::int64_t first, std::int64_t last,
                      std::int64_t target) {
  std::int64_t best = target;
  for (std::int64_t i = first; i <= last; ++i) {
    const Border here = borders[static_cast<std::size_t>(i)];
    const Border there = borders[static_cast<std::size_t>(best)];
    if (here > there || (here == there && std::abs(i - target) < std::abs(best - target))) best = i;
  }
  return best;
}

}  // namespace

std::vector<std::int64_t> cut_segments(std::span<const Border> borders, std::int64_t max_tokens) {
  assert(max_tokens > 0);
  const auto n_token = static_cast<std::int64_t>(borders.size());
  std::vector<std::int64_t> cu_seqlens{0};
  while (n_token - cu_seqlens.back() > max_tokens) {
    const std::int64_t begin = cu_seqlens.back();
    const std::int64_t rest = n_token - begin;
    const std::int64_t even = rest / ((rest + max_tokens - 1) / max_tokens);
    // A quarter to both sides is enough to find a paragraph and keeps the segments about even.
    const std::int64_t first = begin + std::max<std::int64_t>(1, even - even / 4);
    const std::int64_t last = begin + std::min(max_tokens, even + even / 4);
    cu_seqlens.push_back(best_cut(borders, first, last, begin + even));
  }
  if (n_token > 0) cu_seqlens.push_back(n_token);
  return cu_seqlens;
}

}  // namespace skimfill
