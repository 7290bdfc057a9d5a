// Small pieces that coroutines of the gateway share.
#pragma once

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/thread_pool.hpp>
#include <chrono>
#include <stop_token>
#include <type_traits>
#include <utility>

#include "gateway/http/asio.h"

namespace skimfill {

inline awaitable<void> sleep_for(std::chrono::milliseconds duration) {
  asio::steady_timer timer(co_await asio::this_coro::executor, duration);
  co_await timer.async_wait(asio::use_awaitable);
}

// Runs `operation` unless it takes longer than `limit`: then error::timed_out.
inline awaitable<error_code> within(std::chrono::milliseconds limit, awaitable<error_code> operation) {
  using asio::experimental::awaitable_operators::operator||;
  asio::steady_timer timer(co_await asio::this_coro::executor, limit);
  const auto first = co_await (std::move(operation) || timer.async_wait(kNothrow));
  if (first.index() == 0) co_return std::get<0>(first);
  co_return asio::error::timed_out;
}

// Runs `work(stop_token)` on the pool and resumes the coroutine where it was. Cancelling the coroutine fires
// the token; the wait still lasts until the work has returned, so that it may hold references to the caller's
// data.
template <class Work>
awaitable<std::invoke_result_t<Work, std::stop_token>> on_pool(asio::thread_pool& pool, Work work) {
  using Outcome = std::invoke_result_t<Work, std::stop_token>;
  auto initiate = [&pool](auto handler, Work job) {
    std::stop_source stop;
    const auto slot = asio::get_associated_cancellation_slot(handler);
    if (slot.is_connected()) {
      auto cancel = slot;
      cancel.assign([stop](asio::cancellation_type) mutable { stop.request_stop(); });
    }
    auto guard = asio::make_work_guard(asio::get_associated_executor(handler));
    asio::post(pool, [stop, guard, handler = std::move(handler), job = std::move(job)]() mutable {
      Outcome outcome = job(stop.get_token());
      asio::post(guard.get_executor(),
                 [handler = std::move(handler), outcome = std::move(outcome)]() mutable {
                   std::move(handler)(std::move(outcome));
                 });
    });
  };
  return asio::async_initiate<const asio::use_awaitable_t<>, void(Outcome)>(
      std::move(initiate), asio::use_awaitable, std::move(work));
}

}  // namespace skimfill
