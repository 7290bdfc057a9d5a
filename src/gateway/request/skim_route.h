// What happens to one request: checked, skimmed where that is wanted, sent to the target, accounted for.
#pragma once

#include <boost/asio/thread_pool.hpp>

#include "gateway/gateway.h"
#include "gateway/http/http_server.h"
#include "gateway/http/upstream.h"

namespace skimfill {

struct SkimRoute {
  const ServeOptions& options;
  SkimFunction skim;  // empty: no drafter
  asio::thread_pool& workers;
  Endpoint target;
};

awaitable<void> handle(Exchange& exchange, const SkimRoute& route);

}  // namespace skimfill
