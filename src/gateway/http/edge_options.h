// What the gateway's edge is told: where it listens, who may ask, how much it takes.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace skimfill {

struct ListenOptions {
  std::vector<std::string> hosts = {"127.0.0.1"};  // an address, a name, or a path that ends in .sock
  std::uint16_t port = 8080;                       // 0: any free one
  bool reuse_port = false;
  std::string tls_key_file;  // PEM; both or none
  std::string tls_cert_file;
};

struct AccessOptions {
  std::vector<std::string> api_keys;  // empty: everyone may ask
  std::string api_prefix;             // "/llm": the path before every route; empty: routes begin at the root
  std::string cors_origins = "*";     // one, a comma list, "*", or "localhost" (reflected when it is local)
  std::string cors_methods = "GET, POST, DELETE, OPTIONS";
  std::string cors_headers = "*";
  bool cors_credentials = true;
};

struct ServerLimits {
  std::int64_t max_body_bytes = 64 << 20;
  std::uint32_t max_head_bytes = 64 << 10;
  std::int64_t max_connections = 1024;              // above it: 503 and closed
  std::chrono::milliseconds idle{75'000};           // a connection without a request
  std::chrono::milliseconds stalled_read{30'000};   // no byte of a request that has begun
  std::chrono::milliseconds stalled_write{60'000};  // no byte of a reply taken
};

}  // namespace skimfill
