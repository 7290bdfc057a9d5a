// How a request failed, in the words of HTTP and of the APIs.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "gateway/http/asio.h"
#include "skimfill/result.h"

namespace skimfill {

// Made by the functions below, never by braces inside a co_await: GCC 12 destroys such a temporary twice.
struct Failure {
  unsigned status = 500;
  std::string message;
  std::string type;
  std::optional<std::chrono::seconds> retry_after = std::nullopt;  // when the same request may succeed

  ReplyHead head() const {
    ReplyHead head;
    head.result(status);
    head.set(http::field::content_type, "application/json; charset=utf-8");
    if (retry_after) head.set(http::field::retry_after, std::to_string(retry_after->count()));
    return head;
  }
};

// A request that is wrong as it is; `status` is a 4xx.
inline Failure bad_request(std::string message, unsigned status = 400) {
  return {status, std::move(message), "invalid_request_error"};
}
inline Failure unavailable(std::string message, std::chrono::seconds retry_after = std::chrono::seconds(5)) {
  return {503, std::move(message), "unavailable_error", retry_after};
}
inline Failure house_full() { return unavailable("too many requests are waiting; try again later"); }
// The target answered, but not as it should.
inline Failure bad_answer(std::string message) { return {502, std::move(message), "server_error"}; }
inline Failure our_fault(std::string message) { return {500, std::move(message), "server_error"}; }

inline Failure failure_of(const Error& error) {
  switch (error.status) {
    case Status::invalid:
    case Status::too_large:
      return bad_request(error.message);
    case Status::unsupported:
      return {400, error.message, "not_supported_error"};
    case Status::unavailable:
    case Status::cancelled:
      return unavailable(error.message);
    case Status::internal:
      break;
  }
  return our_fault(error.message);
}

}  // namespace skimfill
