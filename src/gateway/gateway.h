// What serve() runs, with the skim as a function, so that tests can put another in its place.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>

#include "gateway/serve.h"
#include "skimfill/skimfill.h"

namespace skimfill {

// Called on worker threads, several at a time.
using SkimFunction = std::function<Result<SkimResult>(const SkimRequest&, std::stop_token)>;

// As serve(). `skim` may be empty.
Result<void> run_gateway(const ServeOptions& options, SkimFunction skim, std::stop_token stop);

}  // namespace skimfill
