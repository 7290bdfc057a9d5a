// The places where clients reach us: TCP addresses, Unix sockets, with TLS where it is set.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gateway/http/asio.h"
#include "gateway/http/edge_options.h"
#include "skimfill/result.h"

namespace skimfill {

// The executor's context stops before it is destroyed.
class Listener {
 public:
  // Binds all of them; of a name's addresses the first that can be bound, as llama-server does. With port 0
  // the first host takes any free port and the others the same. Errors: Status::invalid for an address or
  // certificate that is none, Status::unavailable for one that is taken.
  static Result<std::unique_ptr<Listener>> open(const asio::any_io_executor& executor,
                                                const ListenOptions& options);
  virtual ~Listener() = default;

  // Hands over each connection as a plain stream until close(): TLS has been taken off, by a pump between two
  // sockets.
  virtual awaitable<void> accept(std::function<void(StreamSocket)> on_connection) = 0;
  // No more connections; those that are open go on. Unix sockets are removed.
  virtual void close() = 0;
  // For the end, when all connections have been closed: waits for TLS to pass on what was written last, for a
  // moment only.
  virtual awaitable<void> flush() = 0;

  virtual std::uint16_t port() const = 0;  // of the first TCP address; 0 where there is none
  virtual std::vector<std::string> urls()
      const = 0;  // "http://127.0.0.1:8080", "https://…", "unix:/run/x.sock"
};

}  // namespace skimfill
