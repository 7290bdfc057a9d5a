// One request and the reply to it, whole or piece by piece.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/clock.h"
#include "gateway/http/asio.h"
#include "gateway/http/edge_options.h"
#include "gateway/http/failure.h"

namespace skimfill {

// One request and the reply to it. Writes throw boost::system::system_error when the client is gone.
class Exchange {
 public:
  // `head_extras`: fields of every reply, whoever makes it.
  Exchange(StreamSocket& socket, Request request, const ServerLimits& limits, ReplyHead head_extras);

  Request request;
  const Stopwatch since_arrival;  // from when head and body had been read

  // A whole reply. Length and connection headers are set here; `head` brings status and the others.
  awaitable<void> reply(ReplyHead head, std::string_view body);
  awaitable<void> reply_json(unsigned status, std::string_view json);
  awaitable<void> reply_error(const Failure& failure);  // in OpenAI's shape

  // A reply in pieces: begin, write…, end. Without a length it goes out chunked, or until close for HTTP/1.0.
  awaitable<void> begin(ReplyHead head, std::optional<std::uint64_t> length);
  awaitable<void> write(std::string_view piece);
  awaitable<void> end();

  bool begun() const { return begun_; }
  // Since begin() or the last write() was through; none while one is under way.
  std::chrono::steady_clock::duration silence() const {
    if (writing_) return {};
    return std::chrono::steady_clock::now() - last_write_;
  }

  // Whether another request may follow on the connection: the reply is complete and neither side wants to
  // close.
  bool reusable() const { return ended_ && keep_alive_; }
  void close_afterwards() { keep_alive_ = false; }

 private:
  awaitable<void> send(std::string bytes);
  awaitable<error_code> write_all(std::string_view bytes);

  StreamSocket& socket_;
  const ServerLimits& limits_;
  const ReplyHead head_extras_;
  asio::steady_timer writable_;  // cancelled when a write is through: two coroutines may write, one at a time
  bool writing_ = false;
  bool begun_ = false;
  bool ended_ = false;
  bool chunked_ = false;
  bool has_body_ = true;
  bool keep_alive_;
  std::chrono::steady_clock::time_point last_write_ = std::chrono::steady_clock::now();
};

}  // namespace skimfill
