#include "gateway/http/http_server.h"

#include <poll.h>
#include <sys/socket.h>

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <cerrno>
#include <exception>

#include "core/log.h"
#include "gateway/http/async.h"

namespace skimfill {
namespace {

using asio::experimental::awaitable_operators::operator||;

// How long a client may go on sending after a refusal before we close on it.
constexpr std::chrono::seconds kLinger{2};
// A connection that is one too many gets so long to send its request.
constexpr std::chrono::seconds kRefusalIdle{2};

// Whether the peer has closed its side, also while bytes from it are still unread.
bool has_left(StreamSocket& socket) {
#ifdef POLLRDHUP
  pollfd state{socket.native_handle(), POLLRDHUP, 0};
  return ::poll(&state, 1, 0) > 0;
#else
  // Behind unread bytes its leaving shows only when we write.
  char next;
  const auto size = ::recv(socket.native_handle(), &next, 1, MSG_PEEK | MSG_DONTWAIT);
  return size == 0 || (size < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
#endif
}

// While a request is handled: returns when its client has left. What a client sends ahead stays unread.
awaitable<void> client_left(StreamSocket& socket) {
  do {
    co_await sleep_for(kLeaveCheck);
  } while (!has_left(socket));
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
    co_await exchange.reply_error(our_fault("the gateway failed on this request: " + failure));
  } catch (const boost::system::system_error&) {
  }
}

template <class Parser>
awaitable<error_code> read_head(StreamSocket& socket, boost::beast::flat_buffer& buffer, Parser& parser) {
  const auto [failure, read] = co_await http::async_read_header(socket, buffer, parser, kNothrow);
  co_return failure;
}

template <class Parser>
awaitable<error_code> read_some(StreamSocket& socket, boost::beast::flat_buffer& buffer, Parser& parser) {
  const auto [failure, read] = co_await http::async_read_some(socket, buffer, parser, kNothrow);
  co_return failure;
}

template <class Parser>
awaitable<error_code> read_body(StreamSocket& socket, boost::beast::flat_buffer& buffer, Parser& parser,
                                const ServerLimits& limits) {
  if (boost::beast::iequals(parser.get()[http::field::expect], "100-continue") && !parser.is_done()) {
    static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
    const auto [lost, written] = co_await asio::async_write(socket, asio::buffer(kContinue), kNothrow);
    if (lost) co_return lost;
  }
  error_code failure;
  while (!parser.is_done() && !failure) {
    failure = co_await within(limits.stalled_read, read_some(socket, buffer, parser));
  }
  co_return failure;
}

// Reads on after a refusal, for a while: closing with unread bytes would reset the connection, and a client
// that still sends its body would never see the reply.
awaitable<void> linger(StreamSocket& socket) {
  error_code ignored;
  socket.shutdown(StreamSocket::shutdown_send, ignored);
  const auto drain = [&]() -> awaitable<error_code> {
    std::array<char, 16 << 10> waste;
    for (;;) {
      const auto [failure, read] = co_await socket.async_read_some(asio::buffer(waste), kNothrow);
      if (failure) co_return failure;
    }
  };
  static_cast<void>(co_await within(kLinger, drain()));
}

// Nothing where the client is gone: nobody is left to be told.
std::optional<Failure> refusal_of(const error_code& failure, const ServerLimits& limits) {
  if (failure == http::error::body_limit) {
    return bad_request("the request body is larger than " + std::to_string(limits.max_body_bytes) + " bytes",
                       413);
  }
  if (failure == http::error::header_limit) {
    return bad_request("the request head is larger than " + std::to_string(limits.max_head_bytes) + " bytes",
                       431);
  }
  if (failure == http::error::end_of_stream || failure == http::error::partial_message) return std::nullopt;
  if (failure.category() == http::make_error_code(http::error::bad_method).category()) {
    return bad_request("this is not an HTTP/1 request: " + failure.message());
  }
  return std::nullopt;
}

Failure too_many_connections() {
  return unavailable("too many connections are open; try again soon", std::chrono::seconds(1));
}

// One request of a connection, from its first byte to the last of its reply. Returns whether another may
// follow.
class Turn {
 public:
  Turn(StreamSocket& socket, boost::beast::flat_buffer& buffer, const Door& door)
      : socket_(socket), buffer_(buffer), door_(door) {
    parser_.header_limit(door.limits.max_head_bytes);
    parser_.body_limit(static_cast<std::uint64_t>(door.limits.max_body_bytes));
  }

  awaitable<bool> run();
  awaitable<void> refuse_all();

 private:
  // Judges the head before any of the body is read.
  std::optional<Failure> judge(RequestHead& head) const;
  awaitable<bool> reply_early(ReplyHead extras, std::optional<Failure> refusal);

  StreamSocket& socket_;
  boost::beast::flat_buffer& buffer_;
  const Door& door_;
  http::request_parser<http::string_body> parser_;
};

std::optional<Failure> Turn::judge(RequestHead& head) const {
  const bool is_inside = door_.access.strip_prefix(head);
  if (!door_.access.admits(head)) return Failure{401, "Invalid API Key", "authentication_error"};
  if (!is_inside) return Failure{404, "File Not Found", "not_found_error"};
  return std::nullopt;
}

// Answers a request whose body, if it has one, stays unread: with the refusal, or to a preflight.
awaitable<bool> Turn::reply_early(ReplyHead extras, std::optional<Failure> refusal) {
  Request request;
  request.base() = parser_.get().base();
  Exchange exchange(socket_, std::move(request), door_.limits, std::move(extras));
  const bool is_read = parser_.is_done();
  if (!is_read) exchange.close_afterwards();
  if (refusal) {
    co_await exchange.reply_error(*refusal);
  } else {
    ReplyHead head;
    head.result(http::status::ok);
    co_await exchange.reply(std::move(head), "");
  }
  if (!is_read) co_await linger(socket_);
  co_return exchange.reusable();
}

awaitable<bool> Turn::run() {
  error_code failure = co_await within(door_.limits.idle, read_head(socket_, buffer_, parser_));
  RequestHead& head = parser_.get().base();
  ReplyHead extras;
  // A body that its head tells to be too large ends the reading of the head, all of which is there.
  if (!failure || failure == http::error::body_limit) {
    if (head.method() == http::verb::options) {
      co_return co_await reply_early(door_.access.preflight(head), std::nullopt);
    }
    door_.access.add_headers(head, extras);
    if (auto refused = judge(head)) co_return co_await reply_early(std::move(extras), std::move(refused));
  }
  if (!failure) failure = co_await read_body(socket_, buffer_, parser_, door_.limits);
  if (failure) {
    auto refused = refusal_of(failure, door_.limits);
    if (!refused) co_return false;
    co_return co_await reply_early(std::move(extras), std::move(refused));
  }
  door_.access.hide_key(head);
  Exchange exchange(socket_, parser_.release(), door_.limits, std::move(extras));
  co_await (run_handler(door_.handler, exchange) || client_left(socket_));
  co_return exchange.reusable();
}

awaitable<void> Turn::refuse_all() {
  const error_code failure = co_await within(kRefusalIdle, read_head(socket_, buffer_, parser_));
  if (failure && failure != http::error::body_limit) co_return;
  ReplyHead extras;
  door_.access.add_headers(parser_.get(), extras);
  Exchange exchange(socket_, Request(parser_.get().base()), door_.limits, std::move(extras));
  exchange.close_afterwards();
  const Failure refused = too_many_connections();
  co_await exchange.reply_error(refused);
  co_await linger(socket_);
}

void prepare(StreamSocket& socket) {
  error_code ignored;
  socket.set_option(asio::ip::tcp::no_delay(true), ignored);
  socket.non_blocking(true, ignored);  // for write_all
}

}  // namespace

awaitable<void> serve_connection(StreamSocket socket, const Door& door) {
  prepare(socket);
  boost::beast::flat_buffer buffer;
  bool goes_on = true;
  while (goes_on) {
    Turn turn(socket, buffer, door);
    goes_on = co_await turn.run();
  }
  error_code ignored;
  socket.shutdown(StreamSocket::shutdown_both, ignored);
}

awaitable<void> refuse_connection(StreamSocket socket, const Door& door) {
  prepare(socket);
  boost::beast::flat_buffer buffer;
  Turn turn(socket, buffer, door);
  co_await turn.refuse_all();
}

}  // namespace skimfill
