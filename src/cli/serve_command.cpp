#include "cli/serve_command.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
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
  if (auto checked = check_target(*command); !checked) return checked;
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
