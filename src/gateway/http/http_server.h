// The HTTP server's side of a connection: requests with their limits, each judged by its head before its body
// is read, and handed to one handler.
#pragma once

#include <chrono>
#include <functional>

#include "gateway/http/access.h"
#include "gateway/http/asio.h"
#include "gateway/http/edge_options.h"
#include "gateway/http/exchange.h"

namespace skimfill {

// Answers one request. It is cancelled when its client leaves: closes the connection, or only its own half of
// it (as llama-server does; nothing tells the two apart until we write). A reply that is there within
// kLeaveCheck reaches a client that closed its half right after its request.
using Handler = std::function<awaitable<void>(Exchange&)>;

inline constexpr std::chrono::milliseconds kLeaveCheck{50};

// What all connections share. It outlives them.
struct Door {
  ServerLimits limits;
  Access access;
  Handler handler;
};

// Serves one connection until either side closes it.
awaitable<void> serve_connection(StreamSocket socket, const Door& door);

// Answers the first request of a connection that is one too many: 503, then closed.
awaitable<void> refuse_connection(StreamSocket socket, const Door& door);

}  // namespace skimfill
