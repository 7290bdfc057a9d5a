// Who may go on to the target now, who waits, and who is sent away.
//
// llama-server answers nobody in its own queue: it sends nothing there and does not notice who left. So no
// more requests go to it than it has slots; the others wait here, in order of arrival.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <cstddef>
#include <list>
#include <optional>

#include "gateway/http/asio.h"

namespace skimfill {

// For one thread.
class Admission {
 public:
  struct Limits {
    std::size_t parallel = 1;  // requests at the target at a time
    std::size_t waiting = 0;   // requests beyond those; more are sent away
    bool operator==(const Limits&) const = default;
  };

  // A request in the house, from its arrival to its end. It may take a place at the target, and give it back.
  class Visit;

  explicit Admission(Limits limits) : limits_(limits) {}

  // Nothing when the house is full.
  std::optional<Visit> enter();

  // Those who have a place keep it.
  void set_parallel(std::size_t parallel);

  std::size_t inside() const { return inside_; }
  std::size_t placed() const { return placed_; }
  std::size_t parallel() const { return limits_.parallel; }

 private:
  struct Waiter {
    asio::steady_timer granted;  // cancelled when the place is theirs
    bool alone;
    bool placed = false;
  };

  bool is_free(bool alone) const { return alone ? placed_ == 0 : !alone_ && placed_ < limits_.parallel; }
  void place(bool alone);
  void leave_place(bool alone);
  void grant();

  Limits limits_;
  std::size_t inside_ = 0;
  std::size_t placed_ = 0;
  bool alone_ = false;  // one has the target for itself
  std::list<Waiter> waiters_;
};

class Admission::Visit {
 public:
  explicit Visit(Admission& house) : house_(&house) {}
  Visit(Visit&& other) noexcept;
  Visit& operator=(Visit&&) = delete;
  ~Visit();

  // Waits for a place at the target; `alone`: for having it without anybody else. Cancelled, it leaves the
  // queue.
  awaitable<void> take_place(bool alone = false);
  void leave_place();

 private:
  Admission* house_;
  bool placed_ = false;
  bool alone_ = false;
};

}  // namespace skimfill
