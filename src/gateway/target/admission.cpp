#include "gateway/target/admission.h"

#include <boost/asio/this_coro.hpp>
#include <utility>

namespace skimfill {

std::optional<Admission::Visit> Admission::enter() {
  if (inside_ >= limits_.parallel + limits_.waiting) return std::nullopt;
  ++inside_;
  return Visit(*this);
}

void Admission::set_parallel(std::size_t parallel) {
  limits_.parallel = parallel;
  grant();
}

void Admission::place(bool alone) {
  ++placed_;
  alone_ = alone;
}

void Admission::leave_place(bool alone) {
  --placed_;
  if (alone) alone_ = false;
  grant();
}

// Strictly in order: one who wants the target alone holds up those behind, or it would wait for ever.
void Admission::grant() {
  for (Waiter& waiter : waiters_) {
    if (waiter.placed) continue;
    if (!is_free(waiter.alone)) return;
    place(waiter.alone);
    waiter.placed = true;
    waiter.granted.cancel();
  }
}

Admission::Visit::Visit(Visit&& other) noexcept
    : house_(std::exchange(other.house_, nullptr)),
      placed_(std::exchange(other.placed_, false)),
      alone_(other.alone_) {}

Admission::Visit::~Visit() {
  if (house_ == nullptr) return;
  --house_->inside_;
  leave_place();
}

awaitable<void> Admission::Visit::take_place(bool alone) {
  const auto executor = co_await asio::this_coro::executor;
  alone_ = alone;
  if (house_->waiters_.empty() && house_->is_free(alone)) {
    house_->place(alone);
    placed_ = true;
    co_return;
  }
  const auto self = house_->waiters_.emplace(
      house_->waiters_.end(),
      Waiter{asio::steady_timer(executor, asio::steady_timer::time_point::max()), alone});
  // Leaves the queue however the wait ends, even when the coroutine is destroyed where it stands.
  struct Leaving {
    Visit& visit;
    std::list<Waiter>::iterator self;
    ~Leaving() {
      visit.placed_ = self->placed;
      visit.house_->waiters_.erase(self);
      visit.house_->grant();
    }
  } const leaving{*this, self};
  co_await self->granted.async_wait(kNothrow);
  const auto cancelled = (co_await asio::this_coro::cancellation_state).cancelled();
  if (cancelled != asio::cancellation_type::none) {
    throw boost::system::system_error(asio::error::operation_aborted);
  }
}

void Admission::Visit::leave_place() {
  if (std::exchange(placed_, false)) house_->leave_place(alone_);
}

}  // namespace skimfill
