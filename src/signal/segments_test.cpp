#include "signal/segments.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace skimfill {
namespace {

void expect_valid(const std::vector<std::int64_t>& cu_seqlens, std::int64_t n_token,
                  std::int64_t max_tokens) {
  ASSERT_EQ(cu_seqlens.front(), 0);
  ASSERT_EQ(cu_seqlens.back(), n_token);
  for (std::size_t i = 1; i < cu_seqlens.size(); ++i) {
    EXPECT_GT(cu_seqlens[i], cu_seqlens[i - 1]);
    EXPECT_LE(cu_seqlens[i] - cu_seqlens[i - 1], max_tokens);
  }
}

TEST(Segments, CoverEveryLengthWithoutGapsOrOverlongPieces) {
  std::mt19937 random(7);
  std::uniform_int_distribution<int> any_border(0, 5);
  for (std::int64_t n_token = 0; n_token < 400; ++n_token) {
    std::vector<Border> borders(static_cast<std::size_t>(n_token));
    for (Border& border : borders) border = static_cast<Border>(any_border(random));
    for (const std::int64_t max_tokens : {1, 2, 3, 64, 100}) {
      expect_valid(cut_segments(borders, max_tokens), n_token, max_tokens);
    }
  }
}

TEST(Segments, CutAtTheBestBorderNearby) {
  std::vector<Border> borders(150, Border::none);
  borders[70] = Border::line;
  borders[85] = Border::paragraph;
  borders[20] = Border::passage;  // too far from the even place
  EXPECT_EQ(cut_segments(borders, 100), (std::vector<std::int64_t>{0, 85, 150}));
}

TEST(Segments, AreAboutEvenWhereNoBorderHelps) {
  const std::vector<Border> borders(2050, Border::none);
  EXPECT_EQ(cut_segments(borders, 1024).size(), 4U);  // three segments, none of two tokens
  const std::vector<std::int64_t> cu_seqlens = cut_segments(borders, 1024);
  EXPECT_GT(cu_seqlens[3] - cu_seqlens[2], 600);
}

}  // namespace
}  // namespace skimfill
