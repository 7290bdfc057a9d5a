#include "gateway/http/page.h"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/steady_timer.hpp>
#include <utility>

namespace skimfill {
namespace {

using asio::experimental::awaitable_operators::operator||;

constexpr std::size_t kMostPageBytes = 16 << 20;

awaitable<std::optional<Page>> fetch(Upstream& upstream, const Endpoint& endpoint, std::string path) {
  RequestHead head;
  head.method(http::verb::get);
  head.target(path);
  head.set(http::field::host, "localhost");
  const Result<void> sent = co_await upstream.send(endpoint, head, "");
  if (!sent) co_return std::nullopt;
  const Result<void> answered = co_await upstream.read_head();
  if (!answered) co_return std::nullopt;
  Page page;
  page.head = upstream.end_to_end_head();
  Result<std::string> body = co_await upstream.read_rest(kMostPageBytes);
  if (!body) co_return std::nullopt;
  page.body = std::move(*body);
  co_return page;
}

}  // namespace

awaitable<std::optional<Page>> fetch_page(const Endpoint& endpoint, std::string path,
                                          std::chrono::milliseconds limit) {
  Upstream upstream(co_await asio::this_coro::executor);
  asio::steady_timer timer(co_await asio::this_coro::executor, limit);
  auto first = co_await (fetch(upstream, endpoint, std::move(path)) || timer.async_wait(kNothrow));
  if (first.index() == 1) co_return std::nullopt;
  co_return std::move(std::get<0>(first));
}

}  // namespace skimfill
