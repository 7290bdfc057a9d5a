#include "gateway/target/target.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <utility>

#include "gateway/http/async.h"

namespace skimfill {
namespace {

using asio::experimental::awaitable_operators::operator||;

constexpr std::chrono::seconds kPageLimit{30};
// Counting takes no slot but a thread of the target's HTTP pool, which has four more than slots.
constexpr Admission::Limits kCounting{.parallel = 2, .waiting = 100'000};

}  // namespace

TargetPage::TargetPage(const asio::any_io_executor& executor, const Endpoint& endpoint, std::string path)
    : executor_(executor),
      endpoint_(endpoint),
      path_(std::move(path)),
      state_(std::make_shared<State>(executor)) {}

awaitable<void> TargetPage::ask(std::shared_ptr<State> state, Endpoint endpoint, std::string path) {
  std::optional<Page> page = co_await fetch_page(endpoint, std::move(path), kPageLimit);
  if (page) state->last = std::move(*page);
  state->asking = false;
  state->answered.cancel();
}

awaitable<std::optional<Page>> TargetPage::get(std::chrono::milliseconds patience) {
  // Asked by a coroutine of its own, so that nobody's leaving ends the question for the others.
  if (!std::exchange(state_->asking, true)) {
    asio::co_spawn(executor_, ask(state_, endpoint_, path_), asio::detached);
  }
  const std::shared_ptr<State> state = state_;
  if (!state->asking) co_return state->last;
  const auto wait = [&state]() -> awaitable<void> { co_await state->answered.async_wait(kNothrow); };
  asio::steady_timer limit(executor_, patience);
  co_await (wait() || limit.async_wait(kNothrow));
  co_return state->last;
}

Target::Target(const asio::any_io_executor& executor, Admission::Limits limits)
    : places(limits),
      counting(kCounting),
      metrics_page(executor, endpoint, "/metrics"),
      props_page(executor, endpoint, "/props"),
      models_page(executor, endpoint, "/v1/models") {}

}  // namespace skimfill
