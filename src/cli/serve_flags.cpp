#include "cli/serve_flags.h"

#include <algorithm>
#include <vector>

#include "cli/arguments.h"
#include "cli/serve_flag_table.h"

namespace skimfill {
namespace {

Error invalid(std::string message) { return {Status::invalid, std::move(message)}; }

// llama-server takes --api_key for --api-key; so do we, or a flag of ours would slip through.
std::string canonical(std::string_view argument) {
  std::string name(argument.substr(0, argument.find('=')));
  if (name.starts_with("--")) std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

// A slip in a flag of ours is told with the right name; llama-server could only say that it is unknown. Names
// that are near none of ours, such as its own --prefill-assistant, are left to it.
Result<void> check_slip(std::string_view name) {
  constexpr std::string_view kPrefix = "--prefill-";
  if (!name.starts_with(kPrefix)) return {};
  std::vector<std::string_view> ours;
  for (const Flag& flag : serve_flags()) {
    if (flag.names[0].starts_with(kPrefix)) ours.push_back(flag.names[0].substr(kPrefix.size()));
  }
  const std::string_view nearest = nearest_name(name.substr(kPrefix.size()), ours);
  if (nearest.empty()) return {};
  return invalid("unknown flag '" + std::string(name) + "'; did you mean " + std::string(kPrefix) +
                 std::string(nearest) + "? (skimfill serve --help lists all)");
}

Result<void> read_environment(Reading& reading, const Environment& environment) {
  for (const Flag& flag : serve_flags()) {
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

// Vertex AI says by variables where to listen, and this holds above all, as in llama-server. Its routes are
// the child's.
Result<void> read_vertex(Reading& reading, const Environment& environment) {
  if (environment("AIP_MODE") != "PREDICTION") return {};
  const std::string port = environment("AIP_HTTP_PORT").value_or("8080");
  const Result<std::int64_t> number = parse_count("AIP_HTTP_PORT", port, 0, UINT16_MAX);
  if (!number) return number.error();
  reading.command.gateway.listen.port = static_cast<std::uint16_t>(*number);
  return {};
}

// What the child gets of a flag that is ours too.
std::vector<std::string> passed_on(const Flag& flag, const std::string& name, const std::string& value) {
  switch (flag.route) {
    case Route::renamed:
      return {std::string(flag.text), value};
    case Route::shared:
    case Route::log:
      return {name, value};
    case Route::shared_switch:
    case Route::log_switch:
      return {name};
    default:
      return {};
  }
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
      if (reading.child_setting.empty()) reading.child_setting = argument;
      continue;
    }
    if (flag->route == Route::refused) return invalid(name + ": " + std::string(flag->text));
    std::string value = "on";
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
    const std::vector<std::string> passed = passed_on(*flag, name, value);
    child.insert(child.end(), passed.begin(), passed.end());
    const bool is_log = flag->route == Route::log || flag->route == Route::log_switch;
    if (!passed.empty() && !is_log && reading.child_setting.empty()) reading.child_setting = name;
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
  const bool has_tools = reading.tools_given || reading.mcp_given || reading.mcp_proxy_given;
  if (has_tools && !reading.cors_origins_given) command.gateway.access.cors_origins = "localhost";
  command.gateway.mode = reading.mode.value_or(has_drafter ? Mode::automatic : Mode::off);
  if (!command.gateway.upstream.empty() && !reading.child_setting.empty()) {
    return invalid(reading.child_setting +
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
    if (flag != nullptr && flag->route == Route::asks) {
      (void)flag->apply(reading, argument, "on");
      return std::move(reading.command);
    }
  }
  if (auto read = read_environment(reading, environment); !read) return read.error();
  if (auto read = read_arguments(reading, arguments); !read) return read.error();
  if (auto read = read_vertex(reading, environment); !read) return read.error();
  if (auto checked = check_whole(reading); !checked) return checked.error();
  return std::move(reading.command);
}

}  // namespace skimfill
