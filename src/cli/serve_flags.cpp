#include "cli/serve_flags.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "cli/arguments.h"

namespace skimfill {
namespace {

constexpr std::int64_t kMostTokens = std::int64_t{1} << 40;

// What is known while the line is read, and needed only to judge it as a whole.
struct Reading {
  ServeCommand command;
  std::optional<Mode> mode;
  std::string skim_setting;  // the last flag or variable that only means something with a drafter
};

using Apply = Result<void> (*)(Reading& reading, std::string_view flag, std::string_view value);

enum class Route {
  ours,     // applied here
  switch_,  // applied here, has no value
  shared,   // applied here and passed to the child too
  shared_switch,
  renamed,  // passed to the child under the name in `text`, and applied here
  refused,  // `text` says why
};

struct Flag {
  std::array<std::string_view, 3> names;
  std::string_view variable;
  Route route = Route::ours;
  std::string_view text;
  Apply apply = nullptr;

  bool has_value() const { return route != Route::switch_ && route != Route::shared_switch; }
};

Error invalid(std::string message) { return {Status::invalid, std::move(message)}; }

Error bad_value(std::string_view flag, std::string_view value, std::string_view wanted) {
  return invalid(std::string(flag) + " '" + std::string(value) + "': " + std::string(wanted));
}

// Settings that are one assignment.
template <auto Member>
Result<void> set_skim_text(Reading& reading, std::string_view flag, std::string_view value) {
  reading.command.skimmer.*Member = std::string(value);
  reading.skim_setting = flag;
  return {};
}

template <auto Member, std::int64_t least, std::int64_t most>
Result<void> set_skim_count(Reading& reading, std::string_view flag, std::string_view value) {
  const Result<std::int64_t> count = parse_count(flag, value, least, most);
  if (!count) return count.error();
  reading.command.skimmer.*Member = *count;
  reading.skim_setting = flag;
  return {};
}

template <auto Member>
Result<void> set_path(Reading& reading, std::string_view flag, std::string_view value) {
  if (value.empty()) return bad_value(flag, value, "give a file");
  reading.command.*Member = std::string(value);
  return {};
}

template <bool ServeCommand::*Member>
Result<void> set_switch(Reading& reading, std::string_view, std::string_view) {
  reading.command.*Member = true;
  return {};
}

Result<void> set_mode(Reading& reading, std::string_view flag, std::string_view value) {
  if (value == "off") {
    reading.mode = Mode::off;
  } else if (value == "auto") {
    reading.mode = Mode::automatic;
  } else if (value == "always") {
    reading.mode = Mode::always;
  } else {
    return bad_value(flag, value, "give off, auto or always");
  }
  return {};
}

Result<void> set_drafter(Reading& reading, std::string_view flag, std::string_view value) {
  if (value.empty()) return bad_value(flag, value, "give the GGUF of a small model");
  reading.command.skimmer.drafter = std::string(value);
  return {};
}

Result<void> set_keep_ratio(Reading& reading, std::string_view flag, std::string_view value) {
  const Result<double> share = parse_share(flag, value);
  if (!share) return share.error();
  reading.command.skimmer.keep_ratio = *share;
  reading.skim_setting = flag;
  return {};
}

Result<void> set_engine(Reading& reading, std::string_view flag, std::string_view value) {
  if (value == "native") return bad_value(flag, value, "this version has no native engine; use llama");
  if (value != "llama") return bad_value(flag, value, "give llama");
  reading.skim_setting = flag;
  return {};
}

Result<void> set_upstream(Reading& reading, std::string_view flag, std::string_view value) {
  if (value.starts_with("https://")) {
    return bad_value(flag, value, "this version speaks plain http to an upstream; give http://HOST:PORT");
  }
  if (!value.starts_with("http://") || value.size() == std::string_view("http://").size()) {
    return bad_value(flag, value, "give http://HOST:PORT");
  }
  reading.command.gateway.upstream = std::string(value);
  return {};
}

Result<void> set_llama_server(Reading& reading, std::string_view flag, std::string_view value) {
  if (value.empty()) return bad_value(flag, value, "give the path of a llama-server");
  reading.command.gateway.llama_server = std::string(value);
  return {};
}

Result<void> set_host(Reading& reading, std::string_view flag, std::string_view value) {
  if (value.empty() || value.find(',') != std::string_view::npos || value.ends_with(".sock")) {
    return bad_value(flag, value,
                     "give one address or name; several, and Unix sockets, are not in this version");
  }
  reading.command.gateway.host = std::string(value);
  return {};
}

Result<void> set_port(Reading& reading, std::string_view flag, std::string_view value) {
  const Result<std::int64_t> port = parse_count(flag, value, 0, UINT16_MAX);
  if (!port) return port.error();
  reading.command.gateway.port = static_cast<std::uint16_t>(*port);
  return {};
}

Result<void> note_spec_type(Reading& reading, std::string_view, std::string_view) {
  reading.command.spec_type_given = true;
  return {};
}

// llama-server's levels: 0 output only, 1 error, 2 warning, 3 info, 4 and up more.
Result<void> set_verbosity(Reading& reading, std::string_view flag, std::string_view value) {
  const Result<std::int64_t> level = parse_count(flag, value, 0, INT32_MAX);
  if (!level) return level.error();
  constexpr std::array kLevels = {spdlog::level::critical, spdlog::level::err, spdlog::level::warn,
                                  spdlog::level::info, spdlog::level::debug};
  const auto most = std::ssize(kLevels) - 1;
  reading.command.log_level = kLevels[static_cast<std::size_t>(std::min<std::int64_t>(*level, most))];
  return {};
}

Result<void> set_verbose(Reading& reading, std::string_view, std::string_view) {
  reading.command.log_level = spdlog::level::debug;
  return {};
}

Result<void> disable_log(Reading& reading, std::string_view, std::string_view) {
  reading.command.log_level = spdlog::level::off;
  return {};
}

constexpr std::string_view kNoKeys =
    "this version checks no API keys; put a proxy that does in front, and keep --host local";
constexpr std::string_view kNoTls = "this version serves plain http; put a proxy with TLS in front";
constexpr std::string_view kNoCors =
    "this version sets no CORS headers of its own; put a proxy that does in front";
constexpr std::string_view kNoFpStage =
    "the FP stage is part of the native engine, which is not in this version";
constexpr std::string_view kNoTree = "llama-server has no tree drafting; leave the flag out";
constexpr std::string_view kAsksOnly = "prints and ends; ask llama-server itself";

// The whole of what is ours. Everything else is llama-server's.
const Flag kFlags[] = {
    {{"-h", "--help", "--usage"}, "", Route::switch_, "", set_switch<&ServeCommand::help>},
    {{"--version"}, "", Route::switch_, "", set_switch<&ServeCommand::version>},

    {{"--prefill-compression"}, "LLAMA_ARG_PREFILL_COMPRESSION", Route::ours, "", set_mode},
    {{"--prefill-drafter"}, "LLAMA_ARG_PREFILL_DRAFTER", Route::ours, "", set_drafter},
    {{"--prefill-keep-ratio"}, "LLAMA_ARG_PREFILL_KEEP_RATIO", Route::ours, "", set_keep_ratio},
    {{"--prefill-budget"},
     "LLAMA_ARG_PREFILL_BUDGET",
     Route::ours,
     "",
     set_skim_count<&SkimmerOptions::budget_tokens, 1, kMostTokens>},
    {{"--prefill-threshold"},
     "LLAMA_ARG_PREFILL_THRESHOLD",
     Route::ours,
     "",
     set_skim_count<&SkimmerOptions::threshold_tokens, 0, kMostTokens>},
    {{"--prefill-segment"},
     "LLAMA_ARG_PREFILL_SEGMENT",
     Route::ours,
     "",
     set_skim_count<&SkimmerOptions::segment_tokens, 64, 8192>},
    {{"--prefill-device"},
     "LLAMA_ARG_PREFILL_DEVICE",
     Route::ours,
     "",
     set_skim_text<&SkimmerOptions::device>},
    {{"--prefill-mark"}, "LLAMA_ARG_PREFILL_MARK", Route::ours, "", set_skim_text<&SkimmerOptions::mark>},
    {{"--prefill-engine"}, "LLAMA_ARG_PREFILL_ENGINE", Route::ours, "", set_engine},
    {{"--prefill-embedder"},
     "LLAMA_ARG_PREFILL_EMBEDDER",
     Route::refused,
     "the embedding signal is not in this version"},
    {{"--prefill-alpha"}, "LLAMA_ARG_PREFILL_ALPHA", Route::refused, kNoFpStage},
    {{"--prefill-blocks"}, "LLAMA_ARG_PREFILL_BLOCKS", Route::refused, kNoFpStage},

    {{"--upstream"}, "SKIMFILL_UPSTREAM", Route::ours, "", set_upstream},
    {{"--llama-server"}, "SKIMFILL_LLAMA_SERVER", Route::ours, "", set_llama_server},

    {{"--host"}, "LLAMA_ARG_HOST", Route::ours, "", set_host},
    {{"--port"}, "LLAMA_ARG_PORT", Route::ours, "", set_port},
    {{"--api-key"}, "LLAMA_API_KEY", Route::refused, kNoKeys},
    {{"--api-key-file"}, "LLAMA_ARG_API_KEY_FILE", Route::refused, kNoKeys},
    {{"--api-prefix"}, "LLAMA_ARG_API_PREFIX", Route::refused, "this version serves from the root only"},
    {{"--ssl-key-file"}, "LLAMA_ARG_SSL_KEY_FILE", Route::refused, kNoTls},
    {{"--ssl-cert-file"}, "LLAMA_ARG_SSL_CERT_FILE", Route::refused, kNoTls},
    {{"--cors-origins"}, "LLAMA_ARG_CORS_ORIGINS", Route::refused, kNoCors},
    {{"--cors-methods"}, "LLAMA_ARG_CORS_METHODS", Route::refused, kNoCors},
    {{"--cors-headers"}, "LLAMA_ARG_CORS_HEADERS", Route::refused, kNoCors},
    {{"--cors-credentials", "--no-cors-credentials"}, "LLAMA_ARG_CORS_CREDENTIALS", Route::refused, kNoCors},
    {{"--timeout", "-to"}, "LLAMA_ARG_TIMEOUT", Route::refused, "this version has no time limit to set"},
    {{"--reuse-port"}, "LLAMA_ARG_REUSE_PORT", Route::refused, "this version does not share its port"},

    {{"-m", "--model"}, "LLAMA_ARG_MODEL", Route::shared, "", set_path<&ServeCommand::model>},
    {{"--spec-type"}, "LLAMA_ARG_SPEC_TYPE", Route::shared, "", note_spec_type},
    {{"-v", "--verbose", "--log-verbose"}, "", Route::shared_switch, "", set_verbose},
    {{"-lv", "--verbosity", "--log-verbosity"}, "LLAMA_ARG_LOG_VERBOSITY", Route::shared, "", set_verbosity},
    {{"--log-disable"}, "", Route::shared_switch, "", disable_log},

    {{"--max-ctx"}, "", Route::renamed, "-c"},
    {{"--draft"}, "", Route::renamed, "--spec-draft-model", set_path<&ServeCommand::draft>},
    {{"--draft-block-size"}, "", Route::renamed, "--spec-draft-n-max"},
    {{"--ddtree", "--fast-rollback"}, "", Route::refused, kNoTree},
    {{"--ddtree-budget", "--ddtree-temp", "--ddtree-no-chain-seed"}, "", Route::refused, kNoTree},

    {{"--list-devices", "--cache-list", "-cl"}, "", Route::refused, kAsksOnly},
    {{"--completion-bash"}, "", Route::refused, kAsksOnly},
};

// llama-server takes --api_key for --api-key; so do we, or a flag of ours would slip through.
std::string canonical(std::string_view argument) {
  std::string name(argument.substr(0, argument.find('=')));
  if (name.starts_with("--")) std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

const Flag* find_flag(std::string_view name) {
  if (name.empty()) return nullptr;
  for (const Flag& flag : kFlags) {
    if (std::find(flag.names.begin(), flag.names.end(), name) != flag.names.end()) return &flag;
  }
  return nullptr;
}

// A slip in a flag of ours is told with the right name; llama-server could only say that it is unknown. Names
// that are near none of ours, such as its own --prefill-assistant, are left to it.
Result<void> check_slip(std::string_view name) {
  constexpr std::string_view kPrefix = "--prefill-";
  if (!name.starts_with(kPrefix)) return {};
  std::vector<std::string_view> ours;
  for (const Flag& flag : kFlags) {
    if (flag.names[0].starts_with(kPrefix)) ours.push_back(flag.names[0].substr(kPrefix.size()));
  }
  const std::string_view nearest = nearest_name(name.substr(kPrefix.size()), ours);
  if (nearest.empty()) return {};
  return invalid("unknown flag '" + std::string(name) + "'; did you mean " + std::string(kPrefix) +
                 std::string(nearest) + "? (skimfill serve --help lists all)");
}

Result<void> read_environment(Reading& reading, const Environment& environment) {
  for (const Flag& flag : kFlags) {
    if (flag.variable.empty()) continue;
    const std::optional<std::string> value = environment(flag.variable);
    if (!value) continue;
    if (flag.route == Route::refused) {
      return invalid("the variable " + std::string(flag.variable) + " is set: " + std::string(flag.text));
    }
    if (auto applied = flag.apply(reading, flag.variable, *value); !applied) return applied;
  }
  return {};
}

Result<void> read_arguments(Reading& reading, std::span<const std::string> arguments) {
  std::vector<std::string>& child = reading.command.gateway.child_args;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    const std::string name = canonical(argument);
    const Flag* flag = find_flag(name);
    if (flag == nullptr) {
      if (auto checked = check_slip(name); !checked) return checked;
      child.push_back(argument);
      continue;
    }
    if (flag->route == Route::refused) return invalid(name + ": " + std::string(flag->text));
    std::string value;
    const std::size_t equals = argument.find('=');
    if (!flag->has_value()) {
      if (equals != std::string::npos) return invalid(name + " takes no value");
    } else if (equals != std::string::npos) {
      value = argument.substr(equals + 1);
    } else if (i + 1 < arguments.size()) {
      value = arguments[++i];
    } else {
      return invalid(name + " needs a value (skimfill serve --help)");
    }
    if (flag->apply != nullptr) {
      if (auto applied = flag->apply(reading, name, value); !applied) return applied;
    }
    if (flag->route == Route::renamed) {
      child.insert(child.end(), {std::string(flag->text), value});
    } else if (flag->route == Route::shared) {
      child.insert(child.end(), {name, value});
    } else if (flag->route == Route::shared_switch) {
      child.push_back(name);
    }
  }
  return {};
}

Result<void> check_whole(Reading& reading) {
  ServeCommand& command = reading.command;
  const bool has_drafter = !command.skimmer.drafter.empty();
  if (!has_drafter && reading.mode == Mode::always) {
    return invalid("--prefill-compression always needs --prefill-drafter FILE, the GGUF of a small model");
  }
  if (!has_drafter && reading.mode != Mode::off && !reading.skim_setting.empty()) {
    return invalid(reading.skim_setting +
                   " has no effect without --prefill-drafter FILE, the GGUF of a small model");
  }
  command.gateway.mode = reading.mode.value_or(has_drafter ? Mode::automatic : Mode::off);
  if (!command.gateway.upstream.empty() && !command.gateway.child_args.empty()) {
    return invalid(command.gateway.child_args.front() +
                   " is for a llama-server that we start, but --upstream names one that runs: give it there");
  }
  return {};
}

}  // namespace

Result<ServeCommand> parse_serve(std::span<const std::string> arguments, const Environment& environment) {
  Reading reading;
  // Help must not fail on what else stands there.
  for (const std::string& argument : arguments) {
    const Flag* flag = find_flag(argument);
    if (flag != nullptr && flag->route == Route::switch_) {
      (void)flag->apply(reading, argument, "");
      return std::move(reading.command);
    }
  }
  if (auto read = read_environment(reading, environment); !read) return read.error();
  if (auto read = read_arguments(reading, arguments); !read) return read.error();
  if (auto checked = check_whole(reading); !checked) return checked.error();
  return std::move(reading.command);
}

}  // namespace skimfill
