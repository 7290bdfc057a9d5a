#include "cli/serve_flag_table.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "cli/arguments.h"

namespace skimfill {
namespace {

constexpr std::int64_t kMostTokens = std::int64_t{1} << 40;
constexpr std::int64_t kMostSeconds = 1'000'000;

template <class Member, class Value>
Result<void> assign(Member& member, const Result<Value>& value) {
  if (!value) return value.error();
  member = static_cast<Member>(*value);
  return {};
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
  reading.skim_setting = flag;
  return assign(reading.command.skimmer.*Member, parse_count(flag, value, least, most));
}

template <auto Member>
Result<void> set_path(Reading& reading, std::string_view flag, std::string_view value) {
  if (value.empty()) return bad_value(flag, value, "give a file");
  reading.command.*Member = std::string(value);
  return {};
}

template <auto Section, auto Member>
Result<void> set_text(Reading& reading, std::string_view flag, std::string_view value) {
  if (value.empty()) return bad_value(flag, value, "give a value");
  (reading.command.gateway.*Section).*Member = std::string(value);
  return {};
}

template <auto Member, std::int64_t least, std::int64_t most>
Result<void> set_count(Reading& reading, std::string_view flag, std::string_view value) {
  return assign(reading.command.gateway.*Member, parse_count(flag, value, least, most));
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
  reading.skim_setting = flag;
  return assign(reading.command.skimmer.keep_ratio, parse_share(flag, value));
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

Result<void> set_hosts(Reading& reading, std::string_view flag, std::string_view value) {
  reading.command.gateway.listen.hosts = split_list(value);
  if (reading.command.gateway.listen.hosts.empty())
    return bad_value(flag, value, "give one address at least");
  return {};
}

Result<void> set_port(Reading& reading, std::string_view flag, std::string_view value) {
  return assign(reading.command.gateway.listen.port, parse_count(flag, value, 0, UINT16_MAX));
}

// Keys of several flags, variables and files add up, as in llama-server. No message repeats them.
Result<void> add_keys(Reading& reading, std::string_view flag, std::string_view value) {
  const std::vector<std::string> keys = split_list(value);
  if (keys.empty()) return Error{Status::invalid, std::string(flag) + ": there is no key in it"};
  std::vector<std::string>& all = reading.command.gateway.access.api_keys;
  all.insert(all.end(), keys.begin(), keys.end());
  return {};
}

Result<void> add_key_file(Reading& reading, std::string_view flag, std::string_view value) {
  if (value.empty()) return bad_value(flag, value, "give a file");
  reading.command.api_key_files.emplace_back(value);
  return {};
}

Result<void> set_prefix(Reading& reading, std::string_view flag, std::string_view value) {
  while (value.ends_with('/')) value.remove_suffix(1);
  if (!value.empty() && !value.starts_with('/'))
    return bad_value(flag, value, "give a path that begins with /");
  reading.command.gateway.access.api_prefix = std::string(value);
  return {};
}

Result<void> set_origins(Reading& reading, std::string_view flag, std::string_view value) {
  reading.cors_origins_given = true;
  return set_text<&ServeOptions::access, &AccessOptions::cors_origins>(reading, flag, value);
}

Result<void> set_credentials(Reading& reading, std::string_view flag, std::string_view value) {
  return assign(reading.command.gateway.access.cors_credentials, parse_switch(flag, value));
}

// The variable counts whatever its value is, as in llama-server.
Result<void> set_no_credentials(Reading& reading, std::string_view, std::string_view) {
  reading.command.gateway.access.cors_credentials = false;
  return {};
}

Result<void> set_reuse_port(Reading& reading, std::string_view flag, std::string_view value) {
  return assign(reading.command.gateway.listen.reuse_port, parse_switch(flag, value));
}

Result<void> set_timeout(Reading& reading, std::string_view flag, std::string_view value) {
  const Result<std::int64_t> seconds = parse_count(flag, value, 1, kMostSeconds);
  if (!seconds) return seconds.error();
  reading.command.gateway.limits.stalled_read = std::chrono::seconds(*seconds);
  reading.command.gateway.limits.stalled_write = std::chrono::seconds(*seconds);
  return {};
}

Result<void> set_max_connections(Reading& reading, std::string_view flag, std::string_view value) {
  return assign(reading.command.gateway.limits.max_connections, parse_count(flag, value, 1, 1'000'000));
}

Result<void> set_max_body(Reading& reading, std::string_view flag, std::string_view value) {
  const Result<std::int64_t> mib = parse_count(flag, value, 1, 1 << 20);
  if (!mib) return mib.error();
  reading.command.gateway.limits.max_body_bytes = *mib << 20;
  return {};
}

Result<void> set_drain(Reading& reading, std::string_view flag, std::string_view value) {
  const Result<std::int64_t> seconds = parse_count(flag, value, 0, kMostSeconds);
  if (!seconds) return seconds.error();
  reading.command.gateway.drain_limit = std::chrono::seconds(*seconds);
  return {};
}

Result<void> set_models(Reading& reading, std::string_view flag, std::string_view value) {
  reading.command.gateway.prefill_models = split_list(value);
  if (reading.command.gateway.prefill_models.empty()) return bad_value(flag, value, "give names of models");
  reading.skim_setting = flag;
  return {};
}

template <bool Reading::*Member>
Result<void> note(Reading& reading, std::string_view, std::string_view) {
  reading.*Member = true;
  return {};
}

Result<void> note_mcp_proxy(Reading& reading, std::string_view flag, std::string_view value) {
  return assign(reading.mcp_proxy_given, parse_switch(flag, value));
}

Result<void> note_no_mcp_proxy(Reading& reading, std::string_view, std::string_view) {
  reading.mcp_proxy_given = false;
  return {};
}

// Stands for all tools and the proxy; its opposite takes both back.
Result<void> note_agent(Reading& reading, std::string_view flag, std::string_view value) {
  if (auto read = assign(reading.tools_given, parse_switch(flag, value)); !read) return read;
  reading.mcp_proxy_given = reading.tools_given;
  return {};
}

Result<void> note_no_agent(Reading& reading, std::string_view flag, std::string_view) {
  return note_agent(reading, flag, "off");
}

// llama-server's levels: 0 output only, 1 error, 2 warning, 3 info, 4 and up more.
Result<void> set_verbosity(Reading& reading, std::string_view flag, std::string_view value) {
  const Result<std::int64_t> level = parse_count(flag, value, 0, INT32_MAX);
  if (!level) return level.error();
  constexpr std::array kLevels = {spdlog::level::critical, spdlog::level::err, spdlog::level::warn,
                                  spdlog::level::info, spdlog::level::debug};
  const auto most = std::ssize(kLevels) - 1;
  reading.command.gateway.child_is_verbose = *level > 9;
  reading.command.log_level = kLevels[static_cast<std::size_t>(std::min<std::int64_t>(*level, most))];
  return {};
}

Result<void> set_verbose(Reading& reading, std::string_view, std::string_view) {
  reading.command.gateway.child_is_verbose = true;
  reading.command.log_level = spdlog::level::debug;
  return {};
}

Result<void> disable_log(Reading& reading, std::string_view, std::string_view) {
  reading.command.log_level = spdlog::level::off;
  return {};
}

constexpr std::string_view kNoFpStage =
    "the FP stage is part of the native engine, which is not in this version";
constexpr std::string_view kNoTree = "llama-server has no tree drafting; leave the flag out";
constexpr std::string_view kAsksOnly = "prints and ends; ask llama-server itself";

// The whole of what is ours. Everything else is llama-server's.
const Flag kFlags[] = {
    {{"-h", "--help", "--usage"}, "", Route::asks, "", set_switch<&ServeCommand::help>},
    {{"--version"}, "", Route::asks, "", set_switch<&ServeCommand::version>},

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
    {{"--prefill-models"}, "LLAMA_ARG_PREFILL_MODELS", Route::ours, "", set_models},
    {{"--prefill-embedder"},
     "LLAMA_ARG_PREFILL_EMBEDDER",
     Route::refused,
     "the embedding signal is not in this version"},
    {{"--prefill-alpha"}, "LLAMA_ARG_PREFILL_ALPHA", Route::refused, kNoFpStage},
    {{"--prefill-blocks"}, "LLAMA_ARG_PREFILL_BLOCKS", Route::refused, kNoFpStage},

    {{"--upstream"}, "SKIMFILL_UPSTREAM", Route::ours, "", set_upstream},
    {{"--llama-server"}, "SKIMFILL_LLAMA_SERVER", Route::ours, "", set_llama_server},

    {{"--host"}, "LLAMA_ARG_HOST", Route::ours, "", set_hosts},
    {{"--port"}, "LLAMA_ARG_PORT", Route::ours, "", set_port},
    {{"--reuse-port"}, "LLAMA_ARG_REUSE_PORT", Route::switch_, "", set_reuse_port},
    {{"--ssl-key-file"},
     "LLAMA_ARG_SSL_KEY_FILE",
     Route::ours,
     "",
     set_text<&ServeOptions::listen, &ListenOptions::tls_key_file>},
    {{"--ssl-cert-file"},
     "LLAMA_ARG_SSL_CERT_FILE",
     Route::ours,
     "",
     set_text<&ServeOptions::listen, &ListenOptions::tls_cert_file>},
    {{"--api-key"}, "LLAMA_API_KEY", Route::ours, "", add_keys},
    {{"--api-key-file"}, "LLAMA_ARG_API_KEY_FILE", Route::ours, "", add_key_file},
    {{"--api-prefix"}, "LLAMA_ARG_API_PREFIX", Route::ours, "", set_prefix},
    {{"--cors-origins"}, "LLAMA_ARG_CORS_ORIGINS", Route::ours, "", set_origins},
    {{"--cors-methods"},
     "LLAMA_ARG_CORS_METHODS",
     Route::ours,
     "",
     set_text<&ServeOptions::access, &AccessOptions::cors_methods>},
    {{"--cors-headers"},
     "LLAMA_ARG_CORS_HEADERS",
     Route::ours,
     "",
     set_text<&ServeOptions::access, &AccessOptions::cors_headers>},
    {{"--cors-credentials"}, "LLAMA_ARG_CORS_CREDENTIALS", Route::switch_, "", set_credentials},
    {{"--no-cors-credentials"}, "LLAMA_ARG_NO_CORS_CREDENTIALS", Route::switch_, "", set_no_credentials},
    {{"-to", "--timeout"}, "LLAMA_ARG_TIMEOUT", Route::ours, "", set_timeout},

    {{"--max-queue"},
     "SKIMFILL_MAX_QUEUE",
     Route::ours,
     "",
     set_count<&ServeOptions::max_queue, 0, 1'000'000>},
    {{"--max-parallel"},
     "SKIMFILL_MAX_PARALLEL",
     Route::ours,
     "",
     set_count<&ServeOptions::max_parallel, 1, 1'000'000>},
    {{"--max-connections"}, "SKIMFILL_MAX_CONNECTIONS", Route::ours, "", set_max_connections},
    {{"--max-body-mib"}, "SKIMFILL_MAX_BODY_MIB", Route::ours, "", set_max_body},
    {{"--drain-seconds"}, "SKIMFILL_DRAIN_SECONDS", Route::ours, "", set_drain},

    {{"--tools"}, "LLAMA_ARG_TOOLS", Route::shared, "", note<&Reading::tools_given>},
    {{"--mcp-servers-config"}, "LLAMA_ARG_MCP_SERVERS_CONFIG", Route::shared, "", note<&Reading::mcp_given>},
    {{"--mcp-servers-json"}, "LLAMA_ARG_MCP_SERVERS_JSON", Route::shared, "", note<&Reading::mcp_given>},
    {{"--ui-mcp-proxy", "--webui-mcp-proxy"},
     "LLAMA_ARG_UI_MCP_PROXY",
     Route::shared_switch,
     "",
     note_mcp_proxy},
    {{"--no-ui-mcp-proxy", "--no-webui-mcp-proxy"},
     "LLAMA_ARG_NO_UI_MCP_PROXY",
     Route::shared_switch,
     "",
     note_no_mcp_proxy},
    {{"-ag", "--agent"}, "LLAMA_ARG_AGENT", Route::shared_switch, "", note_agent},
    {{"-no-ag", "--no-agent"}, "LLAMA_ARG_NO_AGENT", Route::shared_switch, "", note_no_agent},

    {{"-m", "--model"}, "LLAMA_ARG_MODEL", Route::shared, "", set_path<&ServeCommand::model>},
    {{"--spec-type"}, "LLAMA_ARG_SPEC_TYPE", Route::shared, "", set_switch<&ServeCommand::spec_type_given>},
    {{"-v", "--verbose", "--log-verbose"}, "", Route::log_switch, "", set_verbose},
    {{"-lv", "--verbosity", "--log-verbosity"}, "LLAMA_ARG_LOG_VERBOSITY", Route::log, "", set_verbosity},
    {{"--log-disable"}, "", Route::log_switch, "", disable_log},

    {{"--max-ctx"}, "", Route::renamed, "-c"},
    {{"--draft"}, "", Route::renamed, "--spec-draft-model", set_path<&ServeCommand::draft>},
    {{"--draft-block-size"}, "", Route::renamed, "--spec-draft-n-max"},
    {{"--ddtree", "--fast-rollback"}, "", Route::refused, kNoTree},
    {{"--ddtree-budget", "--ddtree-temp", "--ddtree-no-chain-seed"}, "", Route::refused, kNoTree},

    {{"--list-devices", "--cache-list", "-cl"}, "", Route::refused, kAsksOnly},
    {{"--completion-bash"}, "", Route::refused, kAsksOnly},
};

}  // namespace

std::span<const Flag> serve_flags() { return kFlags; }

const Flag* find_flag(std::string_view name) {
  if (name.empty()) return nullptr;
  for (const Flag& flag : kFlags) {
    if (std::find(flag.names.begin(), flag.names.end(), name) != flag.names.end()) return &flag;
  }
  return nullptr;
}

}  // namespace skimfill
