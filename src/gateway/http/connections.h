// All connections of a server: no more than it has room for, and an end to them.
#pragma once

#include <boost/asio/cancellation_signal.hpp>
#include <cstdint>
#include <list>

#include "gateway/http/http_server.h"

namespace skimfill {

class Connections {
 public:
  // Both outlive what is added.
  Connections(asio::any_io_executor executor, const Door& door)
      : executor_(std::move(executor)), door_(door) {}

  // Serves the connection, or refuses it where max_connections are there already.
  void add(StreamSocket socket);

  // Cuts all of them off and waits until their requests have ended.
  awaitable<void> end();

 private:
  void run(awaitable<void> connection, std::int64_t& count);

  asio::any_io_executor executor_;
  const Door& door_;
  std::list<asio::cancellation_signal> signals_;
  std::int64_t served_ = 0;
  std::int64_t refused_ = 0;
};

}  // namespace skimfill
