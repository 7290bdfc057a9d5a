// The flags of `skimfill serve` that are ours, each with its variable and what it does. Everything else is
// llama-server's.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cli/serve_flags.h"

namespace skimfill {

// What is known while the line is read, and needed only to judge it as a whole.
struct Reading {
  ServeCommand command;
  std::optional<Mode> mode;
  std::string skim_setting;   // the last flag or variable that only means something with a drafter
  std::string child_setting;  // the first that only means something with a child
  bool cors_origins_given = false;
  bool tools_given = false;  // of llama-server, for its web page: pages from elsewhere must not reach them
  bool mcp_given = false;
  bool mcp_proxy_given = false;
};

// `flag` is the flag or variable as the user knows it. A switch on the command line has the value "on".
using Apply = Result<void> (*)(Reading& reading, std::string_view flag, std::string_view value);

enum class Route {
  asks,     // has no value, and nothing else on the line matters
  ours,     // applied here
  switch_,  // applied here, has no value
  shared,   // applied here and passed to the child too
  shared_switch,
  log,  // shared, and means something without a child too
  log_switch,
  renamed,  // passed to the child under the name in `text`, and applied here
  refused,  // `text` says why
};

struct Flag {
  std::array<std::string_view, 4> names;
  std::string_view variable;
  Route route = Route::ours;
  std::string_view text;
  Apply apply = nullptr;

  bool has_value() const {
    return route == Route::ours || route == Route::shared || route == Route::log || route == Route::renamed;
  }
};

std::span<const Flag> serve_flags();
// By its exact name; null where it is not ours.
const Flag* find_flag(std::string_view name);

}  // namespace skimfill
