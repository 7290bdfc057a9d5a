// Folds rows of attention probabilities into one score per token, whatever engine made them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace skimfill {

inline constexpr std::int64_t kPoolWidth = 13;  // keys; SpecPrefill's average pool

// Reduces the rows of one probe over one segment. Rows come layer by layer and head by head, in any order:
//   pooled[q][k] = mean of the row over the kPoolWidth keys around k, within the segment
//   best[q][k]   = maximum of pooled over the rows added for probe token q
//   score[k]     = mean of best over the probe's tokens
class RowReducer {
 public:
  RowReducer(std::int64_t n_probe_token, std::int64_t n_key);

  // row: [n_key] probabilities with which probe token q attends to the segment's tokens. A row that holds a
  // value that is not finite is counted and left out.
  void add(std::int64_t q, std::span<const float> row);

  std::int64_t n_not_finite() const { return n_not_finite_; }
  std::int64_t n_row() const { return n_row_; }

  // [n_key] f32
  std::vector<float> score() const;

 private:
  std::int64_t n_probe_token_;
  std::int64_t n_key_;
  std::int64_t n_row_ = 0;
  std::int64_t n_not_finite_ = 0;
  std::vector<float> best_;    // [n_probe_token, n_key]
  std::vector<float> padded_;  // [n_key + kPoolWidth - 1] the row between zeros
  std::vector<float> pooled_;  // [n_key]
};

}  // namespace skimfill
