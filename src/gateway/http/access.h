// Who may ask, and from which pages: API keys and CORS, as llama-server's flags say.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gateway/http/asio.h"

namespace skimfill {

struct AccessOptions {
  std::vector<std::string> api_keys;  // empty: everyone may ask
  std::string cors_origins = "*";     // one origin, "*", or "localhost" (reflected when the origin is local)
  std::string cors_methods = "GET, POST, DELETE, OPTIONS";
  std::string cors_headers = "*";
  bool cors_credentials = true;
};

class Access {
 public:
  explicit Access(AccessOptions options) : options_(std::move(options)) {}

  // Whether the request brings a key (Authorization: Bearer, or X-Api-Key), needs none (health, OPTIONS, the
  // web page), or no keys are set. Compares in a time that does not depend on the key.
  bool admits(const RequestHead& request) const;

  // Removes the client's key, which is ours and not the target's. Nothing where no keys are set.
  void hide_key(RequestHead& request) const;

  // The CORS headers of any reply to `request`.
  void add_headers(const RequestHead& request, ReplyHead& reply) const;
  // The reply to OPTIONS.
  ReplyHead preflight(const RequestHead& request) const;

 private:
  AccessOptions options_;
};

}  // namespace skimfill
