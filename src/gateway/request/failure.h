// How a request failed, in the words of HTTP and of the APIs.
#pragma once

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
  bool may_retry = false;  // soon, and with hope: Retry-After goes along

  ReplyHead head() const {
    ReplyHead head;
    head.result(status);
    head.set(http::field::content_type, "application/json; charset=utf-8");
    if (may_retry) head.set(http::field::retry_after, "5");
    return head;
  }
};

inline Failure bad_request(std::string message) {
  return {400, std::move(message), "invalid_request_error", false};
}
inline Failure not_found() { return {404, "File Not Found", "not_found_error", false}; }
inline Failure unavailable(std::string message) {
  return {503, std::move(message), "unavailable_error", true};
}
inline Failure house_full() { return unavailable("too many requests are waiting; try again later"); }
// The target answered, but not as it should.
inline Failure bad_answer(std::string message) { return {502, std::move(message), "server_error", false}; }

inline Failure failure_of(const Error& error) {
  switch (error.status) {
    case Status::invalid:
    case Status::too_large:
      return bad_request(error.message);
    case Status::unsupported:
      return {400, error.message, "not_supported_error", false};
    case Status::unavailable:
    case Status::cancelled:
      return unavailable(error.message);
    case Status::internal:
      break;
  }
  return {500, error.message, "server_error", false};
}

}  // namespace skimfill
