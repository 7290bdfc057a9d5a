#include "gateway/request/proxy.h"

#include <string>

namespace skimfill {
namespace {

constexpr std::string_view kEventStream = "text/event-stream";

}  // namespace

awaitable<void> report_failure(Exchange& exchange, unsigned status, std::string_view message,
                               std::string_view type) {
  exchange.close_afterwards();
  if (!exchange.begun()) co_return co_await exchange.reply_error(status, message, type);
  const std::string event = "data: " + error_json(status, message, type) + "\n\n";
  co_await exchange.write(event);
  co_await exchange.end();
}

awaitable<void> pass_reply(Exchange& exchange, Upstream& upstream) {
  ReplyHead head;
  head.result(upstream.status());
  head.reason(upstream.head().reason());
  copy_end_to_end(upstream.head(), head);
  const bool is_event_stream = upstream.head()[http::field::content_type].starts_with(kEventStream);
  co_await exchange.begin(std::move(head), upstream.length());
  bool between_events = true;
  for (;;) {
    const Result<std::string_view> piece = co_await upstream.read_piece();
    if (!piece && is_event_stream) {
      if (!between_events) co_await exchange.write("\n\n");
      co_return co_await report_failure(exchange, 502, piece.error().message, "server_error");
    }
    if (!piece) {
      exchange.close_afterwards();
      co_return;  // without an end: the client sees that the reply was cut short
    }
    if (piece->empty()) co_return co_await exchange.end();
    between_events = piece->ends_with("\n\n");
    co_await exchange.write(*piece);
  }
}

awaitable<void> pass_through(Exchange& exchange, const Endpoint& target, std::string_view body) {
  Upstream upstream(co_await asio::this_coro::executor);
  const Result<void> sent = co_await upstream.send(target, exchange.request.base(), body);
  if (!sent) co_return co_await report_failure(exchange, 503, sent.error().message, "unavailable_error");
  const Result<void> answered = co_await upstream.read_head();
  if (!answered) co_return co_await report_failure(exchange, 502, answered.error().message, "server_error");
  co_await pass_reply(exchange, upstream);
}

}  // namespace skimfill
