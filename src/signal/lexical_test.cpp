#include "signal/lexical.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace skimfill {
namespace {

using testing::ElementsAre;

TEST(Words, AreLowerCaseRunsAndSingleCjkCharacters) {
  EXPECT_THAT(words_of("The Gauge-7 reads 42."), ElementsAre("the", "gauge", "7", "reads", "42"));
  EXPECT_THAT(words_of("où ça"), ElementsAre("o", "ù", "ç", "a"));
  EXPECT_THAT(words_of("漢字ok"), ElementsAre("漢", "字", "ok"));
  EXPECT_THAT(words_of(""), ElementsAre());
}

TEST(Words, SurviveBytesThatAreNoText) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes.push_back(static_cast<char>(i));
  EXPECT_FALSE(words_of(bytes).empty());
  EXPECT_FALSE(words_of("\xE2").empty());
}

TEST(Bm25, PrefersTheChunkWithTheRareWord) {
  const std::vector<std::string_view> chunks{"the gauge reads ten", "the locker opens at noon",
                                             "the gauge reads two"};
  const std::vector<float> scores = bm25("When does the locker open?", chunks);
  EXPECT_EQ(std::max_element(scores.begin(), scores.end()) - scores.begin(), 1);
  EXPECT_GT(scores[0], 0.0F);  // "the" counts a little
}

TEST(Bm25, IsZeroWithoutACommonWordOrAnyWord) {
  const std::vector<std::string_view> chunks{"alpha", "beta"};
  EXPECT_THAT(bm25("gamma", chunks), ElementsAre(0.0F, 0.0F));
  EXPECT_THAT(bm25("", chunks), ElementsAre(0.0F, 0.0F));
  const std::vector<std::string_view> blank{"...", "  "};
  EXPECT_THAT(bm25("gamma", blank), ElementsAre(0.0F, 0.0F));
  EXPECT_TRUE(bm25("gamma", {}).empty());
}

TEST(Bm25, MatchesTheFormulaByHand) {
  // Two chunks of two words; "x" occurs once in the first: idf = ln(1 + (2 - 1 + .5) / (1 + .5)) = ln 2, tf
  // part 1.
  const std::vector<std::string_view> chunks{"x y", "y y"};
  EXPECT_NEAR(bm25("x", chunks)[0], 0.6931F, 1e-4F);
}

}  // namespace
}  // namespace skimfill
