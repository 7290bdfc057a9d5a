// The target engine as we reach it: one request on a connection of its own, the reply read piece by piece.
#pragma once

#include <array>
#include <boost/beast/core/flat_buffer.hpp>
#include <cstdint>
#include <string>
#include <string_view>

#include "gateway/http/asio.h"
#include "skimfill/result.h"

namespace skimfill {

// Where the target listens: a Unix socket, or a host and port, with a path before every route.
struct Endpoint {
  std::string socket_path;
  std::string host;
  std::string port;
  std::string prefix;

  // "http://host[:port][/prefix]". Error: Status::invalid, or Status::unsupported for https.
  static Result<Endpoint> parse(std::string_view url);
  std::string name() const;
};

// Copies headers that are meant for the other end: those of one connection only (RFC 9110, 7.6.1) stay
// behind.
template <bool isRequest>
void copy_end_to_end(const http::header<isRequest>& from, http::header<isRequest>& to);

// Its end ends the connection, and with it the target's work on the request.
class Upstream {
 public:
  explicit Upstream(const asio::any_io_executor& executor) : socket_(executor) {}

  // Connects and sends `head` (method, target without prefix, headers) with `body`. Errors:
  // Status::unavailable.
  awaitable<Result<void>> send(const Endpoint& endpoint, const RequestHead& head, std::string_view body);

  // The reply's head. Error: Status::unavailable when the target went away or does not speak HTTP.
  awaitable<Result<void>> read_head();
  const ReplyHead& head() const { return parser_->get().base(); }
  unsigned status() const { return head().result_int(); }
  // The status and the headers that are meant for the client.
  ReplyHead end_to_end_head() const;
  bool is_event_stream() const;
  std::optional<std::uint64_t> length() const;

  // The next piece of the body as it came, valid until the next call; empty at its end.
  awaitable<Result<std::string_view>> read_piece();
  // What is left of the body. Error: Status::too_large beyond `limit`.
  awaitable<Result<std::string>> read_rest(std::size_t limit);

 private:
  awaitable<error_code> connect(const Endpoint& endpoint);

  asio::generic::stream_protocol::socket socket_;
  boost::beast::flat_buffer buffer_;
  std::optional<http::response_parser<http::buffer_body>> parser_;
  std::array<char, 32 << 10> piece_;
  std::string target_name_;
  bool head_request_ = false;
};

}  // namespace skimfill
