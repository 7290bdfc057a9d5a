// The gateway: an HTTP server in front of a target engine, which is a llama-server that we start as a child
// or any OpenAI-compatible server. Long prompts are skimmed on the way; everything else passes through as it
// came.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "gateway/http/edge_options.h"
#include "skimfill/result.h"
#include "skimfill/skimfill.h"

namespace skimfill {

struct ServeOptions {
  ListenOptions listen;
  AccessOptions access;
  ServerLimits limits;

  std::string upstream;                     // "http://host:port[/prefix]"; empty: a child llama-server
  std::string llama_server;                 // the child's program
  std::vector<std::string> child_args;      // its command line without host, port and what else is ours
  bool child_is_verbose = false;            // its unstreamed replies hold __verbose, which streams do not
  Mode mode = Mode::off;                    // for requests that do not say
  std::vector<std::string> prefill_models;  // router mode: skim only for requests to these models

  // Requests at the target at a time; 0: as many as the child has slots, 1024 with an upstream.
  std::int64_t max_parallel = 0;
  std::int64_t max_queue = 256;                   // that wait for it; above: refused with Retry-After
  std::chrono::milliseconds drain_limit{30'000};  // how long SIGTERM lets requests in flight finish

  int max_json_depth = 128;
  // Then a stream's headers go out without the target.
  std::chrono::milliseconds silence_before_headers{2000};
  // The same in router mode: a model that is being loaded may still be refused, with a status of its own.
  std::chrono::milliseconds silence_of_router{15'000};
  std::chrono::milliseconds silence_before_comment{5000};  // then a comment line tells that we are alive
  std::function<void(std::uint16_t port)> on_listening;    // for a caller that chose port 0
};

// Runs until `stop` fires or SIGINT or SIGTERM arrives; the child never outlives the call. `skimmer` may be
// null: then every prompt goes through whole and a request that asks for a skim is refused with 400.
Result<void> serve(const ServeOptions& options, std::shared_ptr<const Skimmer> skimmer, std::stop_token stop);

}  // namespace skimfill
