// The places where clients reach us: TCP addresses, Unix sockets, with TLS where it is set.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gateway/http/asio.h"
#include "skimfill/result.h"

namespace skimfill {

struct ListenOptions {
  std::vector<std::string> hosts = {"127.0.0.1"};  // an address, a name, or a path that ends in .sock
  std::uint16_t port = 8080;                       // 0: any free one
  bool reuse_port = false;
  std::string tls_key_file;  // PEM; both or none
  std::string tls_cert_file;
};

using StreamSocket = asio::generic::stream_protocol::socket;

class Listener {
 public:
  // Binds all of them. Errors: Status::invalid for an address or certificate that is none,
  // Status::unavailable for one that is taken.
  static Result<std::unique_ptr<Listener>> open(const asio::any_io_executor& executor,
                                                const ListenOptions& options);
  virtual ~Listener() = default;

  // Hands over each connection as a plain stream until close(): TLS has been taken off, by a pump between two
  // sockets.
  virtual awaitable<void> accept(std::function<void(StreamSocket)> on_connection) = 0;
  virtual void close() = 0;

  virtual std::uint16_t port() const = 0;  // of the first TCP address; 0 where there is none
  virtual std::vector<std::string> urls()
      const = 0;  // "http://127.0.0.1:8080", "https://…", "unix:/run/x.sock"
};

}  // namespace skimfill
