#include "signal/row_reducer.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace skimfill {
namespace {

constexpr std::int64_t kPoolRadius = kPoolWidth / 2;

std::size_t to_size(std::int64_t n) { return static_cast<std::size_t>(n); }

}  // namespace

RowReducer::RowReducer(std::int64_t n_probe_token, std::int64_t n_key)
    : n_probe_token_(n_probe_token),
      n_key_(n_key),
      best_(to_size(n_probe_token * n_key), 0.0F),
      padded_(to_size(n_key + kPoolWidth - 1), 0.0F),
      pooled_(to_size(n_key), 0.0F) {}

void RowReducer::add(std::int64_t q, std::span<const float> row) {
  assert(q >= 0 && q < n_probe_token_ && static_cast<std::int64_t>(row.size()) == n_key_);
  ++n_row_;
  float sum = 0;  // a sum is not finite as soon as one term is not
  for (const float p : row) sum += p;
  if (!std::isfinite(sum)) {
    ++n_not_finite_;
    return;
  }
  std::copy(row.begin(), row.end(), padded_.begin() + kPoolRadius);
  std::fill(pooled_.begin(), pooled_.end(), 0.0F);
  for (std::int64_t tap = 0; tap < kPoolWidth; ++tap) {
    const float* shifted = padded_.data() + tap;
    for (std::int64_t k = 0; k < n_key_; ++k) pooled_[to_size(k)] += shifted[k];
  }
  float* best = best_.data() + q * n_key_;
  for (std::int64_t k = 0; k < n_key_; ++k) best[k] = std::max(best[k], pooled_[to_size(k)]);
}

std::vector<float> RowReducer::score() const {
  std::vector<float> score(to_size(n_key_), 0.0F);
  for (std::int64_t q = 0; q < n_probe_token_; ++q) {
    const float* best = best_.data() + q * n_key_;
    for (std::int64_t k = 0; k < n_key_; ++k) score[to_size(k)] += best[k];
  }
  // The window is always kPoolWidth wide: beyond the segment's ends there is no attention.
  const float scale = 1.0F / static_cast<float>(kPoolWidth * n_probe_token_);
  for (float& value : score) value *= scale;
  return score;
}

}  // namespace skimfill
