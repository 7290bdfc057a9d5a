#include "gateway/target/target.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <utility>

#include "gateway/http/async.h"

namespace skimfill {
namespace {

using asio::experimental::awaitable_operators::operator||;

constexpr std::size_t kMostPageBytes = 16 << 20;
constexpr std::chrono::seconds kPageLimit{30};
// Counting takes no slot but a thread of the target's HTTP pool, which has four more than slots.
constexpr Admission::Limits kCounting{.parallel = 2, .waiting = 100'000};

awaitable<std::optional<TargetPage::Reply>> fetch(Upstream& upstream, const Endpoint& endpoint,
                                                  std::string path) {
  RequestHead head;
  head.method(http::verb::get);
  head.target(path);
  head.set(http::field::host, "localhost");
  const Result<void> sent = co_await upstream.send(endpoint, head, "");
  if (!sent) co_return std::nullopt;
  const Result<void> answered = co_await upstream.read_head();
  if (!answered) co_return std::nullopt;
  ReplyHead page_head;
  page_head.result(upstream.status());
  copy_end_to_end(upstream.head(), page_head);
  Result<std::string> body = co_await upstream.read_rest(kMostPageBytes);
  if (!body) co_return std::nullopt;
  co_return TargetPage::Reply{std::move(page_head), std::move(*body)};
}

}  // namespace

TargetPage::TargetPage(const asio::any_io_executor& executor, const Endpoint& endpoint, std::string path)
    : executor_(executor),
      endpoint_(endpoint),
      path_(std::move(path)),
      state_(std::make_shared<State>(executor)) {}

awaitable<void> TargetPage::ask(std::shared_ptr<State> state, Endpoint endpoint, std::string path) {
  Upstream upstream(co_await asio::this_coro::executor);
  asio::steady_timer limit(co_await asio::this_coro::executor, kPageLimit);
  auto first = co_await (fetch(upstream, endpoint, std::move(path)) || limit.async_wait(kNothrow));
  if (first.index() == 0 && std::get<0>(first)) state->last = std::move(std::get<0>(first));
  state->asking = false;
  state->answered.cancel();
}

awaitable<std::optional<TargetPage::Reply>> TargetPage::get(std::chrono::milliseconds patience) {
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
