#include "signal/row_reducer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace skimfill {
namespace {

std::vector<float> random_row(std::mt19937& random, std::size_t n_key) {
  std::uniform_real_distribution<float> uniform(0.0F, 1.0F);
  std::vector<float> row(n_key);
  for (float& p : row) p = uniform(random);
  return row;
}

// The definition, spelled out.
std::vector<float> expected_score(const std::vector<std::vector<std::vector<float>>>& rows,
                                  std::int64_t n_key) {
  std::vector<float> score(static_cast<std::size_t>(n_key), 0.0F);
  for (const auto& rows_of_q : rows) {
    for (std::int64_t k = 0; k < n_key; ++k) {
      double best = 0;
      for (const std::vector<float>& row : rows_of_q) {
        double sum = 0;
        for (std::int64_t j = k - 6; j <= k + 6; ++j) {
          if (j >= 0 && j < n_key) sum += row[static_cast<std::size_t>(j)];
        }
        best = std::max(best, sum / 13);
      }
      score[static_cast<std::size_t>(k)] += static_cast<float>(best / static_cast<double>(rows.size()));
    }
  }
  return score;
}

TEST(RowReducer, PoolsThenTakesTheMaximumThenTheMean) {
  std::mt19937 random(1);
  for (const std::int64_t n_key : {1, 5, 13, 14, 200}) {
    std::vector<std::vector<std::vector<float>>> rows(3);
    RowReducer reducer(3, n_key);
    for (std::int64_t q = 0; q < 3; ++q) {
      for (int head = 0; head < 4; ++head) {
        rows[static_cast<std::size_t>(q)].push_back(random_row(random, static_cast<std::size_t>(n_key)));
        reducer.add(q, rows[static_cast<std::size_t>(q)].back());
      }
    }
    EXPECT_THAT(reducer.score(), testing::Pointwise(testing::FloatNear(1e-5F), expected_score(rows, n_key)));
    EXPECT_EQ(reducer.n_row(), 12);
  }
}

TEST(RowReducer, LeavesOutAndCountsRowsThatAreNotFinite) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    RowReducer reducer(1, 3);
    reducer.add(0, std::vector<float>{0.2F, 0.3F, 0.5F});
    const std::vector<float> before = reducer.score();
    reducer.add(0, std::vector<float>{0.9F, bad, 0.9F});
    EXPECT_EQ(reducer.score(), before);
    EXPECT_EQ(reducer.n_not_finite(), 1);
  }
}

}  // namespace
}  // namespace skimfill
