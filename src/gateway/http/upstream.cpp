#include "gateway/http/upstream.h"

#include <algorithm>
#include <boost/asio/connect.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/write.hpp>
#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>
#include <sstream>

#include "gateway/http/async.h"

namespace skimfill {
namespace {

using asio::experimental::awaitable_operators::operator||;
using asio::ip::tcp;

constexpr std::chrono::seconds kConnectLimit{10};

bool belongs_to_connection(http::field name) {
  switch (name) {
    case http::field::connection:
    case http::field::keep_alive:
    case http::field::proxy_connection:
    case http::field::te:
    case http::field::trailer:
    case http::field::transfer_encoding:
    case http::field::upgrade:
    case http::field::expect:
    case http::field::content_length:
      return true;
    default:
      return false;
  }
}

awaitable<error_code> connect_tcp(tcp::socket& socket, const Endpoint& endpoint) {
  tcp::resolver resolver(socket.get_executor());
  const auto [unknown, addresses] = co_await resolver.async_resolve(endpoint.host, endpoint.port, kNothrow);
  if (unknown) co_return unknown;
  const auto [failure, address] = co_await asio::async_connect(socket, addresses, kNothrow);
  if (!failure) {
    error_code ignored;
    socket.set_option(tcp::no_delay(true), ignored);
  }
  co_return failure;
}

}  // namespace

Result<Endpoint> Endpoint::parse(std::string_view url) {
  const auto parsed = boost::urls::parse_uri(boost::urls::string_view(url.data(), url.size()));
  if (!parsed || parsed->host().empty()) {
    return Error{Status::invalid,
                 "upstream '" + std::string(url) + "' is not a URL of the form http://host:port/prefix"};
  }
  if (parsed->scheme() == "https") {
    return Error{Status::unsupported, "upstream '" + std::string(url) +
                                          "': https is not supported; put a proxy that ends TLS before it"};
  }
  if (parsed->scheme() != "http" || parsed->has_query() || parsed->has_fragment() || parsed->has_userinfo()) {
    return Error{Status::invalid, "upstream '" + std::string(url) +
                                      "': expected http://host:port/prefix without user, query or fragment"};
  }
  Endpoint endpoint;
  endpoint.host = parsed->host_address();
  endpoint.port = parsed->port().empty() ? std::string("80") : std::string(parsed->port());
  endpoint.prefix = std::string(parsed->encoded_path());
  while (endpoint.prefix.ends_with('/')) endpoint.prefix.pop_back();
  return endpoint;
}

std::string Endpoint::name() const {
  if (!socket_path.empty()) return "llama-server";
  const bool v6 = host.find(':') != std::string::npos;
  return (v6 ? "[" + host + "]" : host) + ":" + port;
}

template <bool isRequest>
void copy_end_to_end(const http::header<isRequest>& from, http::header<isRequest>& to) {
  const http::token_list named(from[http::field::connection]);
  for (const auto& field : from) {
    if (belongs_to_connection(field.name())) continue;
    if (std::any_of(named.begin(), named.end(),
                    [&](const auto& name) { return boost::beast::iequals(name, field.name_string()); })) {
      continue;
    }
    to.insert(field.name_string(), field.value());
  }
}
template void copy_end_to_end(const http::header<true>&, http::header<true>&);
template void copy_end_to_end(const http::header<false>&, http::header<false>&);

awaitable<error_code> Upstream::connect(const Endpoint& endpoint) {
  if (!endpoint.socket_path.empty()) {
    asio::local::stream_protocol::socket socket(socket_.get_executor());
    const asio::local::stream_protocol::endpoint address(endpoint.socket_path);
    const auto [failure] = co_await socket.async_connect(address, kNothrow);
    if (!failure) socket_ = std::move(socket);
    co_return failure;
  }
  tcp::socket socket(socket_.get_executor());
  asio::steady_timer timer(socket_.get_executor(), kConnectLimit);
  const auto first = co_await (connect_tcp(socket, endpoint) || timer.async_wait(kNothrow));
  if (first.index() == 1) co_return asio::error::timed_out;
  if (!std::get<0>(first)) socket_ = std::move(socket);
  co_return std::get<0>(first);
}

awaitable<Result<void>> Upstream::send(const Endpoint& endpoint, const RequestHead& head,
                                       std::string_view body) {
  target_name_ = endpoint.name();
  head_request_ = head.method() == http::verb::head;
  const error_code unreachable = co_await connect(endpoint);
  if (unreachable) {
    co_return Error{Status::unavailable,
                    "the target " + target_name_ + " cannot be reached: " + unreachable.message()};
  }
  RequestHead sent;
  sent.method_string(head.method_string());
  sent.target(endpoint.prefix + std::string(head.target()));
  sent.version(11);
  copy_end_to_end(head, sent);
  if (endpoint.socket_path.empty()) sent.set(http::field::host, target_name_);
  sent.set(http::field::connection, "close");
  const bool takes_body = head.method() != http::verb::get && head.method() != http::verb::head;
  if (!body.empty() || takes_body) sent.set(http::field::content_length, std::to_string(body.size()));
  std::ostringstream text;
  text << sent;
  const std::string head_text = text.str();
  const std::array<asio::const_buffer, 2> buffers{asio::buffer(head_text), asio::buffer(body)};
  // A target may answer and close before it has read a body that it refuses, so a failed write is not the
  // end: reading tells.
  co_await asio::async_write(socket_, buffers, kNothrow);
  co_return Result<void>();
}

awaitable<Result<void>> Upstream::read_head() {
  do {
    parser_.emplace();
    parser_->header_limit(256 << 10);
    parser_->body_limit(boost::none);
    if (head_request_) parser_->skip(true);
    const auto [failure, read] = co_await http::async_read_header(socket_, buffer_, *parser_, kNothrow);
    if (failure) {
      co_return Error{Status::unavailable,
                      "the target " + target_name_ + " ended before it answered: " + failure.message()};
    }
  } while (status() / 100 == 1);
  co_return Result<void>();
}

ReplyHead Upstream::end_to_end_head() const {
  ReplyHead copy;
  copy.result(status());
  copy_end_to_end(head(), copy);
  return copy;
}

bool Upstream::is_event_stream() const {
  return head()[http::field::content_type].starts_with("text/event-stream");
}

std::optional<std::uint64_t> Upstream::length() const {
  const auto field = head().find(http::field::content_length);
  if (field == head().end() || parser_->chunked()) return std::nullopt;
  return std::stoull(std::string(field->value()));
}

awaitable<Result<std::string_view>> Upstream::read_piece() {
  while (!parser_->is_done()) {
    http::buffer_body::value_type& body = parser_->get().body();
    body.data = piece_.data();
    body.size = piece_.size();
    body.more = true;
    auto [failure, read] = co_await http::async_read_some(socket_, buffer_, *parser_, kNothrow);
    const std::size_t size = piece_.size() - body.size;
    if (failure && failure != http::error::need_buffer) {
      co_return Error{Status::unavailable, "the target " + target_name_ +
                                               " ended in the middle of its answer: " + failure.message()};
    }
    if (size > 0) co_return std::string_view(piece_.data(), size);
  }
  co_return std::string_view();
}

awaitable<Result<std::string>> Upstream::read_rest(std::size_t limit) {
  std::string rest;
  for (;;) {
    const Result<std::string_view> piece = co_await read_piece();
    if (!piece) co_return piece.error();
    if (piece->empty()) co_return rest;
    if (rest.size() + piece->size() > limit) {
      co_return Error{Status::too_large, "the target " + target_name_ + " answered with more than " +
                                             std::to_string(limit) + " bytes"};
    }
    rest += *piece;
  }
}

}  // namespace skimfill
