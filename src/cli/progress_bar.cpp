#include "cli/progress_bar.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

namespace skimfill {
namespace {

constexpr auto kRedrawInterval = std::chrono::milliseconds(250);
constexpr double kLeastToForetell = 0.03;  // before that, the time left would be a guess
constexpr char kEraseLine[] = "\r\033[K";

std::string minutes_seconds(double ms) {
  const long seconds = std::lround(ms / 1000);
  char text[32];
  std::snprintf(text, sizeof text, "%ld:%02ld", seconds / 60, seconds % 60);
  return text;
}

int terminal_columns() {
  winsize size{};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

}  // namespace

std::string progress_line(const Progress& progress, double elapsed_ms, int columns) {
  const double done = std::clamp(progress.done, 0.0, 1.0);
  const std::string label = progress.stage == Progress::Stage::load ? "loading " : "scoring ";
  char percent[16];
  std::snprintf(percent, sizeof percent, " %3d %%  ", static_cast<int>(std::floor(done * 100)));
  std::string tail = percent + minutes_seconds(elapsed_ms);
  if (done >= kLeastToForetell && done < 1) {
    tail += ", about " + minutes_seconds(elapsed_ms * (1 - done) / done) + " left";
  }
  // One column stays free: a full last column makes some terminals wrap.
  const int room = columns - 1 - static_cast<int>(label.size() + tail.size()) - 2;
  const int width = std::clamp(room, 0, 40);
  const int filled = static_cast<int>(std::floor(done * width));
  std::string line = label;
  if (width >= 5) {
    line += "[" + std::string(static_cast<std::size_t>(filled), '#') +
            std::string(static_cast<std::size_t>(width - filled), '.') + "]";
  }
  line += tail;
  return line.substr(0, static_cast<std::size_t>(std::max(0, columns - 1)));
}

ProgressBar::ProgressBar(bool enabled) : enabled_(enabled) {
  if (enabled_) drawer_ = std::jthread([this](std::stop_token done) { redraw_until(done); });
}

ProgressBar::~ProgressBar() {
  if (!enabled_) return;
  drawer_.request_stop();
  drawer_.join();
  erase();
}

void ProgressBar::update(const Progress& progress) {
  if (!enabled_) return;
  const std::lock_guard lock(mutex_);
  const bool new_stage = !progress_ || progress_->stage != progress.stage;
  if (new_stage) stage_clock_ = Stopwatch();
  progress_ = progress;
  if (new_stage) draw();
}

void ProgressBar::erase() {
  const std::lock_guard lock(mutex_);
  if (!progress_) return;
  progress_.reset();
  std::fputs(kEraseLine, stderr);
  std::fflush(stderr);
}

void ProgressBar::redraw_until(std::stop_token done) {
  std::unique_lock lock(mutex_);
  while (!done.stop_requested()) {
    wake_.wait_for(lock, done, kRedrawInterval, [] { return false; });
    if (!done.stop_requested()) draw();
  }
}

void ProgressBar::draw() {
  if (!progress_) return;
  const std::string line =
      kEraseLine + progress_line(*progress_, stage_clock_.elapsed_ms(), terminal_columns());
  std::fputs(line.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace skimfill
