#include "gateway/http/connections.h"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>

#include "core/log.h"
#include "gateway/http/async.h"

namespace skimfill {
namespace {

// Refusing takes a moment too. More than this at a time are closed without a word.
constexpr std::int64_t kMostRefusals = 256;

}  // namespace

void Connections::run(awaitable<void> connection, std::int64_t& count) {
  ++count;
  const auto signal = signals_.emplace(signals_.end());
  asio::co_spawn(executor_, std::move(connection),
                 asio::bind_cancellation_slot(signal->slot(), [this, signal, &count](std::exception_ptr) {
                   --count;
                   signals_.erase(signal);
                 }));
}

void Connections::add(StreamSocket socket) {
  if (served_ < door_.limits.max_connections) return run(serve_connection(std::move(socket), door_), served_);
  if (refused_ >= kMostRefusals) return;
  if (refused_ == 0) log::warn("{} connections are open: no more for now (--max-connections)", served_);
  run(refuse_connection(std::move(socket), door_), refused_);
}

awaitable<void> Connections::end() {
  for (asio::cancellation_signal& signal : signals_) signal.emit(asio::cancellation_type::terminal);
  while (!signals_.empty()) co_await sleep_for(std::chrono::milliseconds(5));
}

}  // namespace skimfill
