// Passing a request through to the target as it came, and its reply back as it comes.
#pragma once

#include <string_view>

#include "gateway/http/http_server.h"
#include "gateway/http/upstream.h"

namespace skimfill {

// Sends the exchange's request with `body` and streams the reply. A target that cannot be reached or goes
// away becomes 503 or 502, or in an event stream that has begun an error event.
awaitable<void> pass_through(Exchange& exchange, const Endpoint& target, std::string_view body);

}  // namespace skimfill
