#include "signal/embedding/vector_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace skimfill {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::vector<float> kOne{1, 2};
const std::vector<float> kTwo{3, 4};

std::int64_t room_for(std::int64_t n_entry) { return n_entry * VectorCache::entry_bytes(1, kOne.size()); }

TEST(VectorCacheTest, GivesBackTheVectorOfTheVeryText) {
  VectorCache cache(1 << 20);
  const std::string with_nul("a\0b", 3);
  cache.put("a", kOne);
  cache.put(with_nul, kTwo);
  EXPECT_THAT(cache.find("a"), ElementsAre(1, 2));
  EXPECT_THAT(cache.find(with_nul), ElementsAre(3, 4));
  EXPECT_THAT(cache.find(""), IsEmpty());
  EXPECT_THAT(cache.find(std::string("a\0c", 3)), IsEmpty());
}

TEST(VectorCacheTest, KeepsItsTextsWhenTheCallersAreGone) {
  VectorCache cache(1 << 20);
  for (int i = 0; i < 100; ++i)
    cache.put("a text that is longer than a short string, " + std::to_string(i), kOne);
  EXPECT_THAT(cache.find("a text that is longer than a short string, 7"), ElementsAre(1, 2));
  EXPECT_EQ(cache.n_entry(), 100);
}

TEST(VectorCacheTest, DropsTheLeastRecentlyUsedFirst) {
  VectorCache cache(room_for(2));
  cache.put("a", kOne);
  cache.put("b", kOne);
  EXPECT_THAT(cache.find("a"), ElementsAre(1, 2));  // now "b" is the older one
  cache.put("c", kTwo);
  EXPECT_THAT(cache.find("b"), IsEmpty());
  EXPECT_THAT(cache.find("a"), ElementsAre(1, 2));
  EXPECT_THAT(cache.find("c"), ElementsAre(3, 4));
}

TEST(VectorCacheTest, NeverCountsMoreThanItsBound) {
  const std::int64_t bound = room_for(10);
  VectorCache cache(bound);
  for (std::size_t i = 0; i < 200; ++i) {
    cache.put(std::string(i * 7 % 301, 'x'), std::vector<float>(i % 13 + 1, 1.0F));
    EXPECT_LE(cache.size_bytes(), bound);
  }
  EXPECT_GT(cache.n_entry(), 0);
}

TEST(VectorCacheTest, DoesNotKeepWhatIsLargerThanItsBound) {
  VectorCache cache(room_for(2));
  cache.put("a", kOne);
  cache.put("b", std::vector<float>(1000, 1.0F));
  EXPECT_THAT(cache.find("b"), IsEmpty());
  EXPECT_THAT(cache.find("a"), ElementsAre(1, 2));
  VectorCache none(0);
  none.put("a", kOne);
  EXPECT_EQ(none.n_entry(), 0);
}

TEST(VectorCacheTest, ReplacesAVectorOfTheSameText) {
  VectorCache cache(1 << 20);
  cache.put("a", kOne);
  cache.put("a", kTwo);
  EXPECT_THAT(cache.find("a"), ElementsAre(3, 4));
  EXPECT_EQ(cache.n_entry(), 1);
  EXPECT_EQ(cache.size_bytes(), VectorCache::entry_bytes(1, kTwo.size()));
}

}  // namespace
}  // namespace skimfill
