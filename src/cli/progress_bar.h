// One line at the bottom of a terminal that tells how far a long step is.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "core/clock.h"
#include "skimfill/skimfill.h"

namespace skimfill {

// Drawn on stderr; where that is no terminal nothing is ever written. A thread redraws the line, so that the
// clock runs on through a step that reports nothing for long. Thread-safe.
class ProgressBar {
 public:
  explicit ProgressBar(bool enabled);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void update(const Progress& progress);

  // Takes the line away; the next update draws it again.
  void erase();

  ProgressCallback callback() {
    return [this](const Progress& progress) { update(progress); };
  }

 private:
  void redraw_until(std::stop_token done);
  void draw();  // with mutex_ held

  const bool enabled_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::optional<Progress> progress_;
  Stopwatch stage_clock_;  // since the stage began
  std::jthread drawer_;    // last: it uses the others
};

// "scoring  [######..............]  31 %  0:12, about 0:27 left", to fit `columns`.
std::string progress_line(const Progress& progress, double elapsed_ms, int columns);

}  // namespace skimfill
