#include "cli/serve_command.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <utility>

#include "cli/arguments.h"
#include "cli/console.h"
#include "cli/files.h"
#include "cli/help.h"
#include "cli/interrupt.h"
#include "cli/progress_bar.h"
#include "cli/serve_flags.h"
#include "core/build_info.h"
#include "core/log.h"
#include "model/gguf_file.h"
#include "model/model_file.h"

namespace skimfill {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> process_environment(std::string_view name) {
  const char* value = std::getenv(std::string(name).c_str());
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

// The llama-server that was built with this program lies at a fixed place beside it.
Result<std::string> find_llama_server(const std::string& given) {
  std::error_code error;
  const std::string path =
      given.empty()
          ? fs::weakly_canonical(fs::read_symlink("/proc/self/exe", error).parent_path() / kLlamaServer)
                .string()
          : given;
  if (fs::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0) return path;
  return Error{Status::invalid, "llama-server '" + path + "': no such program; give --llama-server PATH or " +
                                    "set SKIMFILL_LLAMA_SERVER"};
}

// One key a line, as llama-server reads it.
Result<void> read_api_keys(ServeCommand& command) {
  for (const std::string& path : command.api_key_files) {
    if (auto readable = check_readable_file("--api-key-file", path); !readable) return readable;
    std::ifstream file(path);
    std::vector<std::string>& keys = command.gateway.access.api_keys;
    const std::size_t before = keys.size();
    for (std::string line; std::getline(file, line);) {
      if (line.ends_with('\r')) line.pop_back();
      if (!line.empty() && line[0] != '#') keys.push_back(line);
    }
    // Without a key everyone could ask, which is not what a user who names a file wants.
    if (keys.size() == before) return bad_value("--api-key-file", path, "there is no key in it");
  }
  return {};
}

// A connection may need four: the client's, two for TLS, the target's.
void raise_open_file_limit(const ServerLimits& limits) {
  rlimit open_files{};
  if (::getrlimit(RLIMIT_NOFILE, &open_files) != 0) return;
  const rlim_t wanted = std::min(open_files.rlim_max, static_cast<rlim_t>(4 * limits.max_connections + 512));
  if (open_files.rlim_cur >= wanted) return;
  open_files.rlim_cur = wanted;
  ::setrlimit(RLIMIT_NOFILE, &open_files);
}

// A model that cannot be used is no fault of the command line.
Result<ModelFile> inspect_named_model(const std::string& path) {
  Result<ModelFile> file = inspect_model(path);
  if (!file) return Error{Status::unsupported, file.error().message};
  return file;
}

// llama-server loads a plain draft model and then never uses it, unless told how. Drafts of special kinds it
// recognises itself, and what our own checks do not know is left to it.
void choose_spec_type(ServeCommand& command) {
  if (command.draft.empty() || command.spec_type_given) return;
  const Result<ModelFile> draft = inspect_model(command.draft);
  if (!draft || draft->architecture == "dflash" || draft->architecture == "eagle3") return;
  command.gateway.child_args.insert(command.gateway.child_args.end(), {"--spec-type", "draft-simple"});
}

// Everything that can be known to be wrong before a model is loaded.
Result<void> check_target(ServeCommand& command) {
  if (!command.gateway.upstream.empty()) return {};
  Result<std::string> program = find_llama_server(command.gateway.llama_server);
  if (!program) return program.error();
  command.gateway.llama_server = std::move(*program);
  if (!command.draft.empty()) {
    if (auto readable = check_readable_file("--draft", command.draft); !readable) return readable;
    // Of its keys llama-server knows more; but a file that is broken it does not name.
    if (const auto sound = GgufFile::open(command.draft); !sound)
      return Error{Status::unsupported, "draft " + sound.error().message};
    choose_spec_type(command);
  }
  if (!command.model.empty()) {
    if (auto readable = check_readable_file("--model", command.model); !readable) return readable;
    if (auto file = inspect_named_model(command.model); !file) return file.error();
  }
  return {};
}

Result<std::shared_ptr<const Skimmer>> load_skimmer(const ServeCommand& command) {
  if (command.skimmer.drafter.empty()) {
    if (command.gateway.mode != Mode::off) {
      log::warn("--prefill-compression auto without --prefill-drafter: every prompt goes through whole");
    }
    return std::shared_ptr<const Skimmer>();
  }
  if (auto readable = check_readable_file("--prefill-drafter", command.skimmer.drafter); !readable) {
    return readable.error();
  }
  const Interrupt interrupt;
  ProgressBar bar(is_terminal(STDERR_FILENO));
  Result<Skimmer> skimmer = Skimmer::load(command.skimmer, bar.callback(), interrupt.token());
  bar.erase();
  if (!skimmer) {
    const Status status = skimmer.error().status;
    return Error{status == Status::invalid ? Status::unsupported : status, skimmer.error().message};
  }
  if (interrupt.token().stop_requested()) return Error{Status::cancelled, "cancelled"};
  log::info("skim: {}", skimmer->description());
  return std::shared_ptr<const Skimmer>(std::make_shared<Skimmer>(std::move(*skimmer)));
}

Result<void> run(std::span<const std::string> arguments) {
  Result<ServeCommand> command = parse_serve(arguments, process_environment);
  if (!command) return command.error();
  if (command->help) return write_stdout(kServeHelp);
  if (command->version) return write_stdout(version_line());
  spdlog::set_level(command->log_level);
  if (auto read = read_api_keys(*command); !read) return read;
  if (auto checked = check_target(*command); !checked) return checked;
  raise_open_file_limit(command->gateway.limits);
  // Before the target: llama-server takes what memory is left.
  Result<std::shared_ptr<const Skimmer>> skimmer = load_skimmer(*command);
  if (!skimmer) return skimmer.error();
  return serve(command->gateway, std::move(*skimmer), {});
}

}  // namespace

int run_serve(std::span<const std::string> arguments) {
  const Result<void> result = run(arguments);
  return result ? kExitOk : report_error(result.error());
}

}  // namespace skimfill
