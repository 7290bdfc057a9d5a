// Who may ask, and from which pages: API keys, CORS and the path before every route, as llama-server's flags
// say.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/http/asio.h"
#include "gateway/http/edge_options.h"

namespace skimfill {

class Access {
 public:
  explicit Access(AccessOptions options);

  // Cuts the prefix off the request's target. False when the target is outside of it.
  bool strip_prefix(RequestHead& request) const;

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
  using Digest = std::array<unsigned char, 32>;
  static Digest digest(std::string_view key);

  std::string allowed_origin(const RequestHead& request) const;

  AccessOptions options_;     // without the keys
  std::vector<Digest> keys_;  // of equal length, so that comparing tells nothing of a key's length either
};

// Removes Access-Control-*: what a target says of its own pages does not hold for ours.
void remove_cors_headers(ReplyHead& reply);

}  // namespace skimfill
