#include "skim/select.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace skimfill {
namespace {

// Tokens of the rewritten text: kept units, and a mark for every run of left-out ones.
std::int64_t cost(const std::vector<Candidate>& units, const std::vector<bool>& kept,
                  std::int64_t mark_tokens) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < units.size(); ++i) {
    const bool opens_gap = !kept[i] && (i == 0 || units[i - 1].range != units[i].range || kept[i - 1]);
    sum += kept[i] ? units[i].n_token : opens_gap ? mark_tokens : 0;
  }
  return sum;
}

std::vector<Candidate> random_units(std::mt19937& random, int n) {
  std::uniform_int_distribution<int> n_token(0, 40);
  std::uniform_int_distribution<int> next_range(0, 6);
  std::uniform_real_distribution<float> score(-2, 4);
  std::vector<Candidate> units;
  std::int64_t range = 0;
  for (int i = 0; i < n; ++i) {
    units.push_back({.range = range, .n_token = n_token(random), .score = score(random)});
    range += next_range(random) == 0 ? 1 : 0;
  }
  return units;
}

TEST(Select, NeverExceedsTheBudget) {
  std::mt19937 random(11);
  for (int round = 0; round < 500; ++round) {
    const std::vector<Candidate> units = random_units(random, round % 60);
    for (const std::int64_t budget : {1, 7, 40, 100, 600}) {
      const std::vector<bool> kept = select_units(units, budget, 4);
      const bool any = std::find(kept.begin(), kept.end(), true) != kept.end();
      if (any) {
        EXPECT_LE(cost(units, kept, 4), budget);
      }
    }
  }
}

TEST(Select, TakesTheBestUnitsFirstAndTheEarlierOneOfEquals) {
  const std::vector<Candidate> units{{0, 10, 1.0F}, {0, 10, 3.0F}, {0, 10, 2.0F}, {0, 10, 1.0F}};
  EXPECT_THAT(select_units(units, 30, 0), testing::ElementsAre(true, true, true, false));
  EXPECT_THAT(select_units(units, 20, 0), testing::ElementsAre(false, true, true, false));
}

TEST(Select, PassesOverAUnitThatDoesNotFit) {
  const std::vector<Candidate> units{{0, 50, 9.0F}, {0, 10, 1.0F}};
  EXPECT_THAT(select_units(units, 20, 0), testing::ElementsAre(false, true));
}

TEST(Select, CountsAMarkForEveryGap) {
  const std::vector<Candidate> units{
      {0, 10, 1.0F}, {0, 10, 5.0F}, {0, 10, 1.0F}, {0, 10, 4.0F}, {0, 10, 1.0F}};
  // Two units with three marks take 32 tokens; 31 hold only the best and what joins it.
  EXPECT_THAT(select_units(units, 32, 4), testing::ElementsAre(false, true, false, true, false));
  EXPECT_THAT(select_units(units, 31, 4), testing::ElementsAre(true, true, false, false, false));
}

TEST(Select, KeepsNothingWhereNotEvenTheMarksFit) {
  const std::vector<Candidate> units{{0, 10, 1.0F}, {1, 10, 5.0F}};
  EXPECT_THAT(select_units(units, 5, 4), testing::Each(false));
  EXPECT_TRUE(select_units({}, 5, 4).empty());
}

}  // namespace
}  // namespace skimfill
