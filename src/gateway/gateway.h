// What serve() runs, with the skim as a function, so that tests can put another in its place.
#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "gateway/serve.h"
#include "skimfill/skimfill.h"

namespace skimfill {

struct SkimService {
  // Called on worker threads, several at a time. Empty: no drafter.
  std::function<Result<SkimResult>(const SkimRequest&, std::stop_token)> run;
  std::string description;  // of the drafter, its device and path
};

// As serve().
Result<void> run_gateway(const ServeOptions& options, SkimService skim, std::stop_token stop);

}  // namespace skimfill
