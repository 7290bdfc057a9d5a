#include "gateway/dialect/reply.h"

namespace skimfill {
namespace {

template <class Amended>
std::string amend(std::string event, const Amended& amended) {
  if (const std::optional<ByteRange> data = sse_object(event)) {
    const std::size_t size = data->end - data->begin;
    event.replace(data->begin, size, amended(event.substr(data->begin, size)));
  }
  return event;
}

}  // namespace

std::string amend_start(Dialect dialect, std::string event, Account& account) {
  return amend(std::move(event),
               [&](std::string_view json) { return with_counts_in_start(dialect, json, account); });
}

std::string amend_last(Dialect dialect, std::string event, const Account& account) {
  return amend(std::move(event),
               [&](std::string_view json) { return with_account_in_last(dialect, json, account); });
}

}  // namespace skimfill
