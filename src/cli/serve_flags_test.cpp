#include "cli/serve_flags.h"

#include <gmock/gmock.h>

#include <map>

namespace skimfill {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

using Variables = std::map<std::string, std::string, std::less<>>;

Result<ServeCommand> parse(std::vector<std::string> arguments, const Variables& variables = {}) {
  return parse_serve(arguments, [&](std::string_view name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  });
}

std::string refusal(std::vector<std::string> arguments, const Variables& variables = {}) {
  const Result<ServeCommand> command = parse(std::move(arguments), variables);
  if (command) return "accepted";
  EXPECT_EQ(command.error().status, Status::invalid);
  return command.error().message;
}

TEST(ServeFlags, TheCommandLineOfTheReportWorks) {
  const auto command = parse({"-m", "T.gguf", "--prefill-compression", "always", "--prefill-drafter",
                              "D.gguf", "--max-ctx", "8192", "-ctk", "q8_0", "-ctv", "q8_0", "--port", "0"});
  ASSERT_TRUE(command) << command.error().message;
  EXPECT_EQ(command->gateway.mode, Mode::always);
  EXPECT_EQ(command->gateway.listen.port, 0);
  EXPECT_EQ(command->skimmer.drafter, "D.gguf");
  EXPECT_EQ(command->model, "T.gguf");
  EXPECT_THAT(command->gateway.child_args,
              ElementsAre("-m", "T.gguf", "-c", "8192", "-ctk", "q8_0", "-ctv", "q8_0"));
}

TEST(ServeFlags, WhatIsNotOursGoesToTheChildUnchangedAndInOrder) {
  const auto command = parse({"--jinja", "--alias", "a=b", "--port", "1", "-ngl", "99", "--prefill-assistant",
                              "--no-prefill-assistant", "--chat_template", "x"});
  ASSERT_TRUE(command) << command.error().message;
  EXPECT_THAT(command->gateway.child_args,
              ElementsAre("--jinja", "--alias", "a=b", "-ngl", "99", "--prefill-assistant",
                          "--no-prefill-assistant", "--chat_template", "x"));
}

TEST(ServeFlags, SkimSettingsArriveAsGiven) {
  const auto command = parse({"--prefill-drafter=D.gguf", "--prefill-keep-ratio=0.25", "--prefill-budget",
                              "500", "--prefill-threshold=0", "--prefill-segment", "512", "--prefill-device",
                              "CPU", "--prefill-mark=", "--prefill-engine", "llama"});
  ASSERT_TRUE(command) << command.error().message;
  EXPECT_EQ(command->skimmer.drafter, "D.gguf");
  EXPECT_EQ(command->skimmer.keep_ratio, 0.25);
  EXPECT_EQ(command->skimmer.budget_tokens, 500);
  EXPECT_EQ(command->skimmer.threshold_tokens, 0);
  EXPECT_EQ(command->skimmer.segment_tokens, 512);
  EXPECT_EQ(command->skimmer.device, "CPU");
  EXPECT_EQ(command->skimmer.mark, "");
  EXPECT_THAT(command->gateway.child_args, IsEmpty());
}

TEST(ServeFlags, SkimmingIsAutomaticWithADrafterAndOffWithout) {
  EXPECT_EQ(parse({"--prefill-drafter", "D"})->gateway.mode, Mode::automatic);
  EXPECT_EQ(parse({})->gateway.mode, Mode::off);
  EXPECT_EQ(parse({"--prefill-drafter", "D", "--prefill-compression", "off"})->gateway.mode, Mode::off);
  EXPECT_THAT(refusal({"--prefill-compression", "always"}), HasSubstr("--prefill-drafter"));
}

TEST(ServeFlags, ASkimSettingWithoutADrafterIsNotIgnored) {
  EXPECT_THAT(refusal({"--prefill-budget", "500"}), HasSubstr("--prefill-budget has no effect"));
  EXPECT_TRUE(parse({"--prefill-budget", "500", "--prefill-compression", "off"}));
}

TEST(ServeFlags, TheLastOfSeveralHolds) {
  const auto command = parse({"--port", "1", "--port", "2", "-m", "a", "--model", "b"});
  EXPECT_EQ(command->gateway.listen.port, 2);
  EXPECT_EQ(command->model, "b");
}

TEST(ServeFlags, UnderscoresAreHyphensAsInLlamaServer) {
  EXPECT_EQ(parse({"--prefill_drafter", "D"})->skimmer.drafter, "D");
  EXPECT_THAT(parse({"--api_key", "secret"})->gateway.access.api_keys, ElementsAre("secret"));
}

TEST(ServeFlags, ThePeersNamesBecomeLlamaServers) {
  const auto command = parse({"--max-ctx=4096", "--draft", "small.gguf", "--draft-block-size", "8"});
  ASSERT_TRUE(command) << command.error().message;
  EXPECT_EQ(command->draft, "small.gguf");
  EXPECT_THAT(command->gateway.child_args,
              ElementsAre("-c", "4096", "--spec-draft-model", "small.gguf", "--spec-draft-n-max", "8"));
}

TEST(ServeFlags, ASpeculationTypeOfTheUsersIsNoted) {
  EXPECT_TRUE(parse({"--spec-type", "draft-mtp"})->spec_type_given);
  EXPECT_TRUE(parse({}, {{"LLAMA_ARG_SPEC_TYPE", "draft-mtp"}})->spec_type_given);
  EXPECT_FALSE(parse({})->spec_type_given);
}

TEST(ServeFlags, WhatCannotBeHonouredIsRefusedByName) {
  for (const char* flag : {"--ddtree", "--ddtree-budget", "--prefill-embedder", "--prefill-alpha",
                           "--prefill-blocks", "--list-devices"}) {
    EXPECT_THAT(refusal({flag, "1"}), HasSubstr(flag));
    EXPECT_THAT(refusal({std::string(flag) + "=1"}), HasSubstr(flag));
  }
  EXPECT_THAT(refusal({"--prefill-engine", "native"}), HasSubstr("native"));
}

TEST(ServeFlags, AVariableOfARefusedFlagIsRefusedToo) {
  EXPECT_THAT(refusal({}, {{"LLAMA_ARG_PREFILL_ALPHA", "0.5"}}), HasSubstr("LLAMA_ARG_PREFILL_ALPHA"));
}

TEST(ServeFlags, VertexSaysThePort) {
  const std::vector<std::string> ours{"--port", "9"};
  EXPECT_EQ(parse(ours, {{"AIP_MODE", "PREDICTION"}})->gateway.listen.port, 8080);
  EXPECT_EQ(parse(ours, {{"AIP_MODE", "PREDICTION"}, {"AIP_HTTP_PORT", "7"}})->gateway.listen.port, 7);
  EXPECT_EQ(parse(ours, {{"AIP_MODE", "other"}, {"AIP_HTTP_PORT", "7"}})->gateway.listen.port, 9);
  EXPECT_THAT(refusal({}, {{"AIP_MODE", "PREDICTION"}, {"AIP_HTTP_PORT", "x"}}), HasSubstr("AIP_HTTP_PORT"));
}

TEST(ServeFlags, KeysOfAllPlacesAddUp) {
  const auto command = parse({"--api-key", "a, b,", "--api-key=c", "--api-key-file", "x.keys"},
                             {{"LLAMA_API_KEY", "d"}, {"LLAMA_ARG_API_KEY_FILE", "y.keys"}});
  ASSERT_TRUE(command) << command.error().message;
  EXPECT_THAT(command->gateway.access.api_keys, UnorderedElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(command->api_key_files, UnorderedElementsAre("x.keys", "y.keys"));
  EXPECT_THAT(command->gateway.child_args, IsEmpty());
}

TEST(ServeFlags, NoKeyWhereOneIsGivenIsNoOpenDoor) {
  EXPECT_THAT(refusal({"--api-key", ""}), HasSubstr("--api-key"));
  EXPECT_THAT(refusal({"--api-key", " , "}), HasSubstr("--api-key"));
  EXPECT_THAT(refusal({}, {{"LLAMA_API_KEY", ","}}), HasSubstr("LLAMA_API_KEY"));
}

TEST(ServeFlags, TheEdgesAreOursAndNotTheChilds) {
  const auto command =
      parse({"--host", "::1, 127.0.0.1,/run/x.sock", "--reuse-port", "--ssl-key-file", "k.pem",
             "--ssl-cert-file", "c.pem", "--api-prefix", "/llm/", "--cors-origins", "http://a",
             "--cors-methods", "GET", "--cors-headers", "X-A", "--no-cors-credentials", "-to", "7"});
  ASSERT_TRUE(command) << command.error().message;
  const ServeOptions& gateway = command->gateway;
  EXPECT_THAT(gateway.listen.hosts, ElementsAre("::1", "127.0.0.1", "/run/x.sock"));
  EXPECT_TRUE(gateway.listen.reuse_port);
  EXPECT_EQ(gateway.listen.tls_key_file, "k.pem");
  EXPECT_EQ(gateway.listen.tls_cert_file, "c.pem");
  EXPECT_EQ(gateway.access.api_prefix, "/llm");
  EXPECT_EQ(gateway.access.cors_origins, "http://a");
  EXPECT_EQ(gateway.access.cors_methods, "GET");
  EXPECT_EQ(gateway.access.cors_headers, "X-A");
  EXPECT_FALSE(gateway.access.cors_credentials);
  EXPECT_EQ(gateway.limits.stalled_read, std::chrono::seconds(7));
  EXPECT_EQ(gateway.limits.stalled_write, std::chrono::seconds(7));
  EXPECT_THAT(gateway.child_args, IsEmpty());
}

TEST(ServeFlags, LimitsArriveAsGiven) {
  const Variables variables = {{"SKIMFILL_MAX_QUEUE", "3"},
                               {"SKIMFILL_MAX_PARALLEL", "4"},
                               {"SKIMFILL_MAX_CONNECTIONS", "5"},
                               {"SKIMFILL_MAX_BODY_MIB", "6"},
                               {"SKIMFILL_DRAIN_SECONDS", "7"}};
  const ServeOptions by_variable = parse({}, variables)->gateway;
  const ServeOptions by_flag = parse({"--max-queue", "3", "--max-parallel", "4", "--max-connections", "5",
                                      "--max-body-mib", "6", "--drain-seconds", "7"})
                                   ->gateway;
  for (const ServeOptions& gateway : {by_variable, by_flag}) {
    EXPECT_EQ(gateway.max_queue, 3);
    EXPECT_EQ(gateway.max_parallel, 4);
    EXPECT_EQ(gateway.limits.max_connections, 5);
    EXPECT_EQ(gateway.limits.max_body_bytes, 6 << 20);
    EXPECT_EQ(gateway.drain_limit, std::chrono::seconds(7));
  }
  EXPECT_THAT(refusal({"--max-parallel", "0"}), HasSubstr("--max-parallel"));
  EXPECT_THAT(refusal({"--max-connections", "none"}), HasSubstr("--max-connections"));
}

TEST(ServeFlags, SwitchesTakeLlamaServersWordsFromVariables) {
  EXPECT_FALSE(parse({}, {{"LLAMA_ARG_CORS_CREDENTIALS", "off"}})->gateway.access.cors_credentials);
  EXPECT_TRUE(parse({}, {{"LLAMA_ARG_CORS_CREDENTIALS", "1"}})->gateway.access.cors_credentials);
  EXPECT_FALSE(parse({}, {{"LLAMA_ARG_NO_CORS_CREDENTIALS", "1"}})->gateway.access.cors_credentials);
  EXPECT_TRUE(parse({}, {{"LLAMA_ARG_REUSE_PORT", "true"}})->gateway.listen.reuse_port);
  EXPECT_THAT(refusal({}, {{"LLAMA_ARG_REUSE_PORT", "maybe"}}), HasSubstr("LLAMA_ARG_REUSE_PORT"));
}

TEST(ServeFlags, ToolsOfTheChildKeepForeignPagesOut) {
  const auto origins = [](std::vector<std::string> arguments, const Variables& variables = {}) {
    return parse(std::move(arguments), variables)->gateway.access.cors_origins;
  };
  EXPECT_EQ(origins({}), "*");
  EXPECT_EQ(origins({"--tools", "all"}), "localhost");
  EXPECT_EQ(origins({"--agent"}), "localhost");
  EXPECT_EQ(origins({"--mcp-servers-json", "{}"}), "localhost");
  EXPECT_EQ(origins({"--ui-mcp-proxy"}), "localhost");
  EXPECT_EQ(origins({}, {{"LLAMA_ARG_AGENT", "1"}}), "localhost");
  EXPECT_EQ(origins({"--no-agent"}, {{"LLAMA_ARG_AGENT", "1"}}), "*");
  EXPECT_EQ(origins({"--cors-origins", "*", "--agent"}), "*");
  EXPECT_THAT(parse({"--tools", "all", "-ag"})->gateway.child_args, ElementsAre("--tools", "all", "-ag"));
}

TEST(ServeFlags, ModelsToSkimForNeedADrafter) {
  EXPECT_THAT(parse({"--prefill-drafter", "D", "--prefill-models", "a,b"})->gateway.prefill_models,
              ElementsAre("a", "b"));
  EXPECT_THAT(refusal({"--prefill-models", "a"}), HasSubstr("--prefill-drafter"));
}

TEST(ServeFlags, VariablesHoldWhereTheFlagIsAbsent) {
  const Variables variables = {{"LLAMA_ARG_PORT", "9000"},
                               {"LLAMA_ARG_HOST", "0.0.0.0"},
                               {"LLAMA_ARG_MODEL", "env.gguf"},
                               {"LLAMA_ARG_PREFILL_DRAFTER", "D.gguf"},
                               {"LLAMA_ARG_PREFILL_COMPRESSION", "always"},
                               {"LLAMA_ARG_PREFILL_KEEP_RATIO", "0.5"}};
  const auto command = parse({"--port", "9001", "--prefill-keep-ratio", "0.2"}, variables);
  ASSERT_TRUE(command) << command.error().message;
  EXPECT_EQ(command->gateway.listen.port, 9001);
  EXPECT_THAT(command->gateway.listen.hosts, ElementsAre("0.0.0.0"));
  EXPECT_EQ(command->model, "env.gguf");
  EXPECT_EQ(command->gateway.mode, Mode::always);
  EXPECT_EQ(command->skimmer.keep_ratio, 0.2);
  EXPECT_THAT(command->gateway.child_args, IsEmpty());
}

TEST(ServeFlags, BadValuesNameTheFlagAndTheValue) {
  for (const char* value : {"0", "-1", "2", "nan", "inf", "", "0.1x", " 0.1"}) {
    const std::string line = refusal({"--prefill-drafter", "D", "--prefill-keep-ratio", value});
    EXPECT_THAT(line, HasSubstr("--prefill-keep-ratio '" + std::string(value) + "'"));
  }
  EXPECT_THAT(refusal({"--port", "65536"}), HasSubstr("65536"));
  EXPECT_THAT(refusal({"--port", "http"}), HasSubstr("http"));
  EXPECT_THAT(refusal({"--port"}), HasSubstr("needs a value"));
  EXPECT_THAT(refusal({"--prefill-compression", "on"}), HasSubstr("off, auto or always"));
  EXPECT_THAT(refusal({"--host", ","}), HasSubstr("--host"));
  EXPECT_THAT(refusal({"--api-prefix", "llm"}), HasSubstr("llm"));
  EXPECT_THAT(refusal({"--prefill-segment", "63"}), HasSubstr("64"));
}

TEST(ServeFlags, ASlipIsToldWithTheRightName) {
  EXPECT_THAT(refusal({"--prefill-compresion", "auto"}), HasSubstr("--prefill-compression"));
  EXPECT_THAT(parse({"--prefill-something-new"})->gateway.child_args, ElementsAre("--prefill-something-new"));
}

TEST(ServeFlags, AnUpstreamTakesNoFlagsOfAChild) {
  EXPECT_EQ(parse({"--upstream", "http://10.0.0.1:8000/v2"})->gateway.upstream, "http://10.0.0.1:8000/v2");
  EXPECT_THAT(refusal({"--upstream", "http://h:1", "-m", "T.gguf"}), HasSubstr("-m"));
  EXPECT_THAT(refusal({"--upstream", "http://h:1", "-v", "--max-ctx", "8"}), HasSubstr("--max-ctx"));
  EXPECT_EQ(parse({"--upstream", "http://h:1", "-lv", "1"})->log_level, spdlog::level::err);
  EXPECT_THAT(refusal({"--upstream", "https://h:1"}), HasSubstr("plain http"));
  EXPECT_THAT(refusal({"--upstream", "h:1"}), HasSubstr("http://HOST:PORT"));
}

TEST(ServeFlags, LogFlagsSetOurLogAndTheChilds) {
  const auto quiet = parse({"-lv", "1"});
  EXPECT_EQ(quiet->log_level, spdlog::level::err);
  EXPECT_THAT(quiet->gateway.child_args, ElementsAre("-lv", "1"));
  EXPECT_EQ(parse({"-v"})->log_level, spdlog::level::debug);
  EXPECT_EQ(parse({"--log-disable"})->log_level, spdlog::level::off);
  EXPECT_THAT(parse({"--log-file", "x.log"})->gateway.child_args, ElementsAre("--log-file", "x.log"));
}

TEST(ServeFlags, HelpWinsOverEverythingElse) {
  EXPECT_TRUE(parse({"--port", "nonsense", "--help"})->help);
  EXPECT_TRUE(parse({"--ddtree", "--version"})->version);
}

}  // namespace
}  // namespace skimfill
