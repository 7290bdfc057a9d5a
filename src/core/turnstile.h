// Lets one job through at a time, in order of arrival; a job that waits can be cancelled.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

namespace skimfill {

class Turnstile {
 public:
  // The right to run; passes on to the next job when destroyed.
  class Turn {
   public:
    explicit Turn(Turnstile& turnstile) : turnstile_(&turnstile) {}
    Turn(Turn&& other) noexcept : turnstile_(std::exchange(other.turnstile_, nullptr)) {}
    Turn& operator=(Turn&&) = delete;
    ~Turn() {
      if (turnstile_ != nullptr) turnstile_->leave();
    }

   private:
    Turnstile* turnstile_;
  };

  // Waits for this job's turn. Nothing when `stop` fired first.
  std::optional<Turn> enter(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    const std::uint64_t ticket = next_ticket_++;
    waiting_.push_back(ticket);
    const bool ready = changed_.wait(lock, stop, [&] { return !busy_ && waiting_.front() == ticket; });
    waiting_.erase(std::find(waiting_.begin(), waiting_.end(), ticket));
    if (!ready) {
      changed_.notify_all();  // the next one may have become the first
      return std::nullopt;
    }
    busy_ = true;
    return Turn(*this);
  }

 private:
  void leave() {
    const std::scoped_lock lock(mutex_);
    busy_ = false;
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<std::uint64_t> waiting_;
  std::uint64_t next_ticket_ = 0;
  bool busy_ = false;
};

}  // namespace skimfill
