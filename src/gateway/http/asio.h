// The names of Boost.Asio and Boost.Beast that the gateway is written in.
#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/http.hpp>
#include <boost/system/error_code.hpp>

namespace skimfill {

namespace asio = boost::asio;
namespace http = boost::beast::http;

using asio::awaitable;
using boost::system::error_code;

// For operations whose failure is an ordinary answer: they return the error code with their result.
inline constexpr auto kNothrow = asio::as_tuple(asio::use_awaitable);

using Request = http::request<http::string_body>;
using RequestHead = http::request_header<>;
using ReplyHead = http::response_header<>;

// TCP or Unix alike.
using StreamSocket = asio::generic::stream_protocol::socket;

}  // namespace skimfill
