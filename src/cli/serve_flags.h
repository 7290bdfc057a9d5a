// The command line of `skimfill serve`: that of llama-server with our flags among it.
//
// A flag is ours only by its exact name; what is not in our table goes to llama-server as it came, in order.
// What the table names but this version cannot honour is refused by name, never ignored.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/log.h"
#include "gateway/serve.h"
#include "skimfill/result.h"
#include "skimfill/skimfill.h"

namespace skimfill {

struct ServeCommand {
  ServeOptions gateway;
  SkimmerOptions skimmer;  // drafter empty: no skimmer
  std::string model;  // the target's file, also in gateway.child_args; empty: llama-server gets it otherwise
  std::string draft;  // --draft FILE, for speculative decoding in the target
  std::vector<std::string> api_key_files;  // their keys are not in gateway.access yet
  bool spec_type_given = false;
  spdlog::level::level_enum log_level = spdlog::level::info;
  bool help = false;
  bool version = false;
};

// The value of an environment variable; nothing where it is unset or empty.
using Environment = std::function<std::optional<std::string>(std::string_view name)>;

// Reads what follows the word serve. As in llama-server, a variable holds where the flag is absent, and the
// last of several equal flags holds. Touches no file.
Result<ServeCommand> parse_serve(std::span<const std::string> arguments, const Environment& environment);

}  // namespace skimfill
