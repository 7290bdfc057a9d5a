// How many tokens a prompt has for the target: asked while the prompt is skimmed, needed when the reply is
// done.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <optional>
#include <string_view>

#include "gateway/dialect/dialect.h"
#include "gateway/dialect/prompt.h"
#include "gateway/http/upstream.h"
#include "gateway/target/target.h"

namespace skimfill {

class TokenCount {
 public:
  explicit TokenCount(asio::any_io_executor executor);

  // Asks the target by the dialect's own route for counting; for a completion, `/tokenize`. Targets that do
  // not know it give no count. Returns early after close().
  awaitable<void> ask(Target& target, const RequestHead& request, Dialect dialect, std::string_view body,
                      const Prompt& prompt);

  // The count once it is there; nothing when the target gave none, or none within a few seconds.
  awaitable<std::optional<std::int64_t>> get();

  // It is no longer wanted.
  void close();

 private:
  awaitable<std::optional<std::int64_t>> request_count(const Endpoint& endpoint, const RequestHead& request,
                                                       Dialect dialect, std::string_view body,
                                                       const Prompt& prompt);

  Upstream upstream_;
  std::optional<std::int64_t> tokens_;
  bool done_ = false;  // nobody waits for it any more
  bool closed_ = false;
  asio::steady_timer ending_;    // cancelled by close()
  asio::steady_timer finished_;  // cancelled when the count is there, or will not be
};

}  // namespace skimfill
