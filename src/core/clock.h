// A stopwatch for the accounting: every stage of a request is timed with the same monotonic clock.
#pragma once

#include <chrono>

namespace skimfill {

class Stopwatch {
 public:
  // Milliseconds since construction or the last restart().
  double elapsed_ms() const { return to_ms(Clock::now() - start_); }

  // Returns what elapsed_ms() was and starts again, so that consecutive stages leave no gap between them.
  double lap_ms() {
    const Clock::time_point now = Clock::now();
    const double elapsed = to_ms(now - start_);
    start_ = now;
    return elapsed;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static double to_ms(Clock::duration duration) {
    return std::chrono::duration<double, std::milli>(duration).count();
  }
  Clock::time_point start_ = Clock::now();
};

}  // namespace skimfill
