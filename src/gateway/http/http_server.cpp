#include "gateway/http/http_server.h"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <exception>
#include <sstream>

#include "core/log.h"
#include "gateway/http/async.h"
#include "gateway/json/json_edit.h"

namespace skimfill {
namespace {

using asio::experimental::awaitable_operators::operator||;
using asio::ip::tcp;

constexpr std::size_t kPipelineBytes = 64 << 10;

// While a request is handled: returns when the client has closed its side. What it sends ahead is kept in
// `buffer` for the next request, up to a limit, behind which its leaving shows only when we write.
awaitable<void> client_left(tcp::socket& socket, boost::beast::flat_buffer& buffer) {
  for (;;) {
    const auto [failure] = co_await socket.async_wait(tcp::socket::wait_read, kNothrow);
    if (failure) co_return;
    error_code ignored;
    const std::size_t available = socket.available(ignored);
    if (available == 0) co_return;
    if (buffer.size() >= kPipelineBytes) break;
    const std::size_t read = socket.read_some(buffer.prepare(std::min(available, kPipelineBytes)), ignored);
    buffer.commit(read);
  }
  asio::steady_timer never(co_await asio::this_coro::executor, asio::steady_timer::time_point::max());
  co_await never.async_wait(kNothrow);
}

awaitable<void> run_handler(const Handler& handler, Exchange& exchange) {
  std::string failure;
  try {
    co_await handler(exchange);
    co_return;
  } catch (const boost::system::system_error& gone) {
    // The client closed its connection or the server stops: nobody is left to be told.
    log::debug("request ended early: {}", gone.code().message());
    exchange.close_afterwards();
    co_return;
  } catch (const std::exception& bug) {
    failure = bug.what();
  }
  log::error("{} {}: {}", std::string(exchange.request.method_string()),
             std::string(exchange.request.target()), failure);
  exchange.close_afterwards();
  if (exchange.begun()) co_return;
  try {
    co_await exchange.reply_error(500, "the gateway failed on this request: " + failure, "server_error");
  } catch (const boost::system::system_error&) {
  }
}

// Runs `operation` unless it takes longer than `limit`: then error::timed_out.
awaitable<error_code> within(std::chrono::milliseconds limit, awaitable<error_code> operation) {
  asio::steady_timer timer(co_await asio::this_coro::executor, limit);
  const auto first = co_await (std::move(operation) || timer.async_wait(kNothrow));
  if (first.index() == 0) co_return std::get<0>(first);
  co_return asio::error::timed_out;
}

template <class Parser>
awaitable<error_code> read_head(tcp::socket& socket, boost::beast::flat_buffer& buffer, Parser& parser) {
  const auto [failure, read] = co_await http::async_read_header(socket, buffer, parser, kNothrow);
  co_return failure;
}

template <class Parser>
awaitable<error_code> read_some(tcp::socket& socket, boost::beast::flat_buffer& buffer, Parser& parser) {
  const auto [failure, read] = co_await http::async_read_some(socket, buffer, parser, kNothrow);
  co_return failure;
}

template <class Parser>
awaitable<error_code> read_request(tcp::socket& socket, boost::beast::flat_buffer& buffer, Parser& parser,
                                   const ServerLimits& limits) {
  error_code failure = co_await within(limits.idle, read_head(socket, buffer, parser));
  if (failure) co_return failure;
  if (boost::beast::iequals(parser.get()[http::field::expect], "100-continue") && !parser.is_done()) {
    static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
    const auto [lost, written] = co_await asio::async_write(socket, asio::buffer(kContinue), kNothrow);
    if (lost) co_return lost;
  }
  while (!parser.is_done()) {
    failure = co_await within(limits.stalled, read_some(socket, buffer, parser));
    if (failure) co_return failure;
  }
  co_return failure;
}

// Reads on after a refusal, for a while: closing with unread bytes would reset the connection, and a client
// that still sends its body would never see the reply.
awaitable<void> linger(tcp::socket& socket) {
  error_code ignored;
  socket.shutdown(tcp::socket::shutdown_send, ignored);
  const auto drain = [&]() -> awaitable<error_code> {
    std::array<char, 16 << 10> waste;
    for (;;) {
      const auto [failure, read] = co_await socket.async_read_some(asio::buffer(waste), kNothrow);
      if (failure) co_return failure;
    }
  };
  static_cast<void>(co_await within(std::chrono::seconds(2), drain()));
}

struct Refusal {
  unsigned status;
  std::string message;
};

std::optional<Refusal> refusal(const error_code& failure, const ServerLimits& limits) {
  if (failure == http::error::body_limit) {
    return Refusal{413,
                   "the request body is larger than " + std::to_string(limits.max_body_bytes) + " bytes"};
  }
  if (failure == http::error::header_limit) {
    return Refusal{431,
                   "the request head is larger than " + std::to_string(limits.max_head_bytes) + " bytes"};
  }
  if (failure == http::error::end_of_stream || failure == http::error::partial_message) return std::nullopt;
  if (failure.category() == http::make_error_code(http::error::bad_method).category()) {
    return Refusal{400, "this is not an HTTP/1 request: " + failure.message()};
  }
  return std::nullopt;
}

}  // namespace

std::string error_json(unsigned status, std::string_view message, std::string_view type) {
  return "{\"error\":{\"code\":" + std::to_string(status) + ",\"message\":" + quote_json(message) +
         ",\"type\":" + quote_json(type) + "}}";
}

Exchange::Exchange(tcp::socket& socket, Request read)
    : request(std::move(read)),
      socket_(socket),
      writable_(socket.get_executor(), asio::steady_timer::time_point::max()),
      keep_alive_(request.keep_alive()) {}

awaitable<void> Exchange::reply(ReplyHead head, std::string_view body) {
  co_await begin(std::move(head), body.size());
  co_await write(body);
  co_await end();
}

awaitable<void> Exchange::reply_json(unsigned status, std::string_view json) {
  ReplyHead head;
  head.result(status);
  head.set(http::field::content_type, "application/json; charset=utf-8");
  co_await reply(std::move(head), json);
}

awaitable<void> Exchange::reply_error(unsigned status, std::string_view message, std::string_view type) {
  const std::string json = error_json(status, message, type);
  co_await reply_json(status, json);
}

awaitable<void> Exchange::reply_error(const Error& error) {
  switch (error.status) {
    case Status::invalid:
    case Status::too_large:
      co_return co_await reply_error(400, error.message, "invalid_request_error");
    case Status::unsupported:
      co_return co_await reply_error(400, error.message, "not_supported_error");
    case Status::unavailable:
    case Status::cancelled:
      co_return co_await reply_error(503, error.message, "unavailable_error");
    case Status::internal:
      co_return co_await reply_error(500, error.message, "server_error");
  }
}

awaitable<void> Exchange::begin(ReplyHead head, std::optional<std::uint64_t> length) {
  const unsigned status = head.result_int();
  has_body_ = request.method() != http::verb::head && status != 204 && status != 304;
  const bool modern = request.version() >= 11;
  head.version(11);
  head.erase(http::field::content_length);
  if (length && status != 204) head.set(http::field::content_length, std::to_string(*length));
  chunked_ = !length && has_body_ && modern;
  if (chunked_) head.set(http::field::transfer_encoding, "chunked");
  if (!length && has_body_ && !modern) keep_alive_ = false;
  if (!keep_alive_) {
    head.set(http::field::connection, "close");
  } else if (!modern) {
    head.set(http::field::connection, "keep-alive");
  }
  begun_ = true;
  std::ostringstream text;
  text << head;
  co_await send(text.str());
}

awaitable<void> Exchange::write(std::string_view piece) {
  if (piece.empty() || !has_body_) co_return;
  if (!chunked_) co_return co_await send(std::string(piece));
  std::ostringstream size;
  size << std::hex << piece.size();
  co_await send(size.str() + "\r\n" + std::string(piece) + "\r\n");
}

awaitable<void> Exchange::end() {
  if (chunked_) co_await send("0\r\n\r\n");
  ended_ = true;
}

awaitable<void> Exchange::send(std::string bytes) {
  while (writing_) co_await writable_.async_wait(kNothrow);
  writing_ = true;
  const auto [failure, written] = co_await asio::async_write(socket_, asio::buffer(bytes), kNothrow);
  writing_ = false;
  last_write_ = std::chrono::steady_clock::now();
  writable_.cancel();
  if (failure) throw boost::system::system_error(failure);
}

awaitable<void> serve_connection(tcp::socket socket, const ServerLimits& limits, const Handler& handler) {
  error_code ignored;
  socket.set_option(tcp::no_delay(true), ignored);
  boost::beast::flat_buffer buffer;
  for (;;) {
    http::request_parser<http::string_body> parser;
    parser.header_limit(limits.max_head_bytes);
    parser.body_limit(static_cast<std::uint64_t>(limits.max_body_bytes));
    const error_code failure = co_await read_request(socket, buffer, parser, limits);
    if (failure) {
      if (auto refused = refusal(failure, limits)) {
        Exchange exchange(socket, Request(http::verb::get, "/", 11));
        exchange.close_afterwards();
        co_await exchange.reply_error(refused->status, refused->message, "invalid_request_error");
        co_await linger(socket);
      }
      break;
    }
    Exchange exchange(socket, parser.release());
    co_await (run_handler(handler, exchange) || client_left(socket, buffer));
    if (!exchange.reusable()) break;
  }
  socket.shutdown(tcp::socket::shutdown_both, ignored);
}

}  // namespace skimfill
