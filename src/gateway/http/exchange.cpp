#include "gateway/http/exchange.h"

#include <sys/ioctl.h>

#include <sstream>

#include "gateway/http/access.h"
#include "gateway/http/async.h"
#include "gateway/json/json_members.h"

namespace skimfill {
namespace {

// What the peer has not taken yet of what we wrote; 0 where the system does not tell.
int untaken_bytes(StreamSocket& socket) {
  int bytes = 0;
  return ::ioctl(socket.native_handle(), TIOCOUTQ, &bytes) == 0 ? bytes : 0;
}

}  // namespace

Exchange::Exchange(StreamSocket& socket, Request read, const ServerLimits& limits, ReplyHead head_extras)
    : request(std::move(read)),
      socket_(socket),
      limits_(limits),
      head_extras_(std::move(head_extras)),
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

awaitable<void> Exchange::reply_error(const Failure& failure) {
  const std::string json = openai_error(failure.status, failure.message, failure.type);
  co_await reply(failure.head(), json);
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
  remove_cors_headers(head);
  for (const auto& field : head_extras_) head.set(field.name_string(), field.value());
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
  const error_code failure = co_await write_all(bytes);
  writing_ = false;
  last_write_ = std::chrono::steady_clock::now();
  writable_.cancel();
  if (failure) throw boost::system::system_error(failure);
}

// Fails with error::timed_out when the client takes no byte for too long.
awaitable<error_code> Exchange::write_all(std::string_view bytes) {
  const auto until_writable = [this]() -> awaitable<error_code> {
    const auto [failure] = co_await socket_.async_wait(StreamSocket::wait_write, kNothrow);
    co_return failure;
  };
  while (!bytes.empty()) {
    error_code failure;
    bytes.remove_prefix(socket_.write_some(asio::buffer(bytes), failure));
    if (!failure) continue;
    if (failure != asio::error::would_block) co_return failure;
    // A socket counts as writable only when much of its buffer is free; a slow client empties it bit by bit.
    int untaken = 0;
    do {
      untaken = untaken_bytes(socket_);
      failure = co_await within(limits_.stalled_write, until_writable());
    } while (failure == asio::error::timed_out && untaken_bytes(socket_) < untaken);
    if (failure == asio::error::timed_out) {
      // What it did not take must not stay with the system either.
      error_code ignored;
      socket_.set_option(asio::socket_base::linger(true, 0), ignored);
    }
    if (failure) co_return failure;
  }
  co_return error_code();
}

}  // namespace skimfill
