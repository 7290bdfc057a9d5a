// What all requests of one gateway share.
#pragma once

#include <boost/asio/thread_pool.hpp>

#include "gateway/gateway.h"
#include "gateway/request/metrics.h"
#include "gateway/target/target.h"

namespace skimfill {

struct Context {
  const ServeOptions& options;
  SkimService skim;
  asio::thread_pool& workers;
  Target target;
  Metrics metrics;
  bool draining = false;  // no new requests
};

}  // namespace skimfill
