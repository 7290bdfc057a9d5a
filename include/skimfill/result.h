// Result<T>: a value, or an Error that says what happened, to what, and what to do.
// Used for everything that input can cause; what only our own bug can cause is an assert.
#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace skimfill {

enum class Status {
  invalid,      // the caller's input is wrong: HTTP 400, exit code 2
  too_large,    // well-formed, but over a stated limit: HTTP 413, or 400 for a prompt that does not fit
  unsupported,  // asked for something that this build, model or device cannot do
  cancelled,    // the stop token fired
  unavailable,  // a resource is missing or full now; a retry may succeed: HTTP 503
  internal,     // none of the above: HTTP 500
};

struct Error {
  Status status = Status::internal;
  std::string message;  // one line: what happened, to what, what to do
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  // Only when ok().
  T& value() & { return assert(ok()), *std::get_if<0>(&state_); }
  const T& value() const& { return assert(ok()), *std::get_if<0>(&state_); }
  T&& value() && { return assert(ok()), std::move(*std::get_if<0>(&state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  // Only when !ok().
  const Error& error() const { return assert(!ok()), *std::get_if<1>(&state_); }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}

  bool ok() const { return !error_; }
  explicit operator bool() const { return ok(); }
  const Error& error() const { return assert(error_), *error_; }

 private:
  std::optional<Error> error_;
};

}  // namespace skimfill
