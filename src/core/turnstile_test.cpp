#include "core/turnstile.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace skimfill {
namespace {

TEST(Turnstile, LetsOneThroughAtATime) {
  Turnstile turnstile;
  int inside = 0;  // unguarded on purpose: only the turnstile protects it
  std::int64_t n_through = 0;
  std::vector<std::jthread> jobs;
  for (int i = 0; i < 8; ++i) {
    jobs.emplace_back([&] {
      for (int round = 0; round < 200; ++round) {
        const auto turn = turnstile.enter({});
        EXPECT_TRUE(turn.has_value());
        EXPECT_EQ(++inside, 1);
        ++n_through;
        --inside;
      }
    });
  }
  jobs.clear();
  EXPECT_EQ(n_through, 1600);
}

TEST(Turnstile, CancelsAWaitingJobAndServesTheNext) {
  Turnstile turnstile;
  auto held = turnstile.enter({});
  std::stop_source leaves;
  std::atomic<bool> was_cancelled = false;
  std::atomic<bool> was_served = false;
  std::jthread waiting([&] { was_cancelled = !turnstile.enter(leaves.get_token()).has_value(); });
  std::jthread next([&] { was_served = turnstile.enter({}).has_value(); });
  leaves.request_stop();
  waiting.join();
  EXPECT_TRUE(was_cancelled);
  EXPECT_FALSE(was_served);  // the first job still has its turn
  held.reset();
  next.join();
  EXPECT_TRUE(was_served);
}

TEST(Turnstile, RefusesAJobThatLeftBeforeItCame) {
  Turnstile turnstile;
  const auto held = turnstile.enter({});
  std::stop_source gone;
  gone.request_stop();
  EXPECT_FALSE(turnstile.enter(gone.get_token()).has_value());
}

}  // namespace
}  // namespace skimfill
