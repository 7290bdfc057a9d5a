#include "gateway/request/proxy.h"

#include <string>

#include "gateway/json/json_members.h"

namespace skimfill {
namespace {

// With a status while nothing was sent; as one `data: {"error":…}` event when an event stream had begun. The
// connection closes.
awaitable<void> report(Exchange& exchange, const Failure& failure) {
  exchange.close_afterwards();
  if (!exchange.begun()) co_return co_await exchange.reply_error(failure);
  const std::string event = "data: " + openai_error(failure.status, failure.message, failure.type) + "\n\n";
  co_await exchange.write(event);
  co_await exchange.end();
}

// Sends what is left of `upstream`'s reply, whose head has been read.
awaitable<void> pass_reply(Exchange& exchange, Upstream& upstream) {
  ReplyHead head = upstream.end_to_end_head();
  head.reason(upstream.head().reason());
  co_await exchange.begin(std::move(head), upstream.length());
  bool between_events = true;
  for (;;) {
    const Result<std::string_view> piece = co_await upstream.read_piece();
    if (!piece && upstream.is_event_stream()) {
      if (!between_events) co_await exchange.write("\n\n");
      co_return co_await report(exchange, bad_answer(piece.error().message));
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

}  // namespace

awaitable<void> pass_through(Exchange& exchange, const Endpoint& target, std::string_view body) {
  Upstream upstream(co_await asio::this_coro::executor);
  const Result<void> sent = co_await upstream.send(target, exchange.request.base(), body);
  if (!sent) co_return co_await report(exchange, unavailable(sent.error().message));
  const Result<void> answered = co_await upstream.read_head();
  if (!answered) co_return co_await report(exchange, bad_answer(answered.error().message));
  co_await pass_reply(exchange, upstream);
}

}  // namespace skimfill
