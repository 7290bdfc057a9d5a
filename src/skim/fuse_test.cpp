#include "skim/fuse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace skimfill {
namespace {

Signals some_signals() {
  return {.question = {1, 2, 9, 1, 2, 1}, .neutral = {1, 2, 1, 1, 2, 1.5F}, .lexical = {0, 0, 0, 0, 0, 0}};
}

TEST(Standardise, GivesMeanZeroAndDeviationOne) {
  EXPECT_THAT(standardise(std::vector<float>{1, 3}), testing::ElementsAre(-1, 1));
  EXPECT_THAT(standardise(std::vector<float>{5, 5, 5}), testing::Each(0));
  EXPECT_TRUE(standardise({}).empty());
}

TEST(Fuse, FindsWhatOnlyTheQuestionLooksAt) {
  const Result<std::vector<float>> scores = fuse(some_signals(), kDefaultPreset);
  ASSERT_TRUE(scores.ok());
  EXPECT_EQ(std::max_element(scores->begin(), scores->end()) - scores->begin(), 2);
}

TEST(Fuse, IgnoresWhatBothQuestionsLookAt) {
  Signals signals = some_signals();
  signals.question[0] = signals.neutral[0] = 500;  // a sink
  const Result<std::vector<float>> scores = fuse(signals, kDefaultPreset);
  ASSERT_TRUE(scores.ok());
  EXPECT_EQ(std::max_element(scores->begin(), scores->end()) - scores->begin(), 2);
}

TEST(Fuse, LetsTheLexicalSignalDecideBetweenEquals) {
  Signals signals = some_signals();
  signals.question[4] = 9;
  signals.neutral[4] = 1;
  signals.lexical[4] = 3;
  const Result<std::vector<float>> scores = fuse(signals, kDefaultPreset);
  ASSERT_TRUE(scores.ok());
  EXPECT_EQ(std::max_element(scores->begin(), scores->end()) - scores->begin(), 4);
}

TEST(Fuse, RefusesScoresThatAreNotFinite) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    for (std::vector<float> Signals::*member : {&Signals::question, &Signals::neutral, &Signals::lexical}) {
      Signals signals = some_signals();
      (signals.*member)[3] = bad;
      EXPECT_FALSE(fuse(signals, kDefaultPreset).ok());
    }
  }
  Signals counted = some_signals();
  counted.n_not_finite = 2;
  EXPECT_THAT(fuse(counted, kDefaultPreset).error().message, testing::HasSubstr("2 rows"));
}

TEST(Fuse, RefusesFlatScores) {
  Signals same = some_signals();
  same.neutral = same.question;
  EXPECT_THAT(fuse(same, kDefaultPreset).error().message, testing::HasSubstr("flat"));
  Signals even = some_signals();
  even.question.assign(6, 1.0F);
  even.neutral.assign(6, 0.9F);
  EXPECT_THAT(fuse(even, kDefaultPreset).error().message, testing::HasSubstr("flat"));
}

}  // namespace
}  // namespace skimfill
