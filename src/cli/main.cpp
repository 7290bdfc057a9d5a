#include <spdlog/sinks/stdout_color_sinks.h>

#include <array>
#include <exception>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments.h"
#include "cli/console.h"
#include "cli/files.h"
#include "cli/help.h"
#include "cli/serve_command.h"
#include "cli/skim_command.h"
#include "core/clock.h"
#include "core/log.h"

namespace {

using namespace skimfill;

int print(std::string_view text) {
  const Result<void> printed = write_stdout(text);
  return printed ? kExitOk : report_error(printed.error());
}

int run(const std::vector<std::string>& arguments, const Stopwatch& clock) {
  // Results go to stdout, so the log does not.
  spdlog::set_default_logger(spdlog::stderr_color_mt("skimfill"));
  spdlog::set_pattern("%H:%M:%S.%e %^%l%$ %v");
  if (arguments.empty()) {
    return report_error({Status::invalid, "no command: give skim or serve (skimfill --help tells more)"});
  }
  const std::string& command = arguments.front();
  const std::span<const std::string> rest = std::span(arguments).subspan(1);
  if (command == "skim") return run_skim(rest, clock);
  if (command == "serve") return run_serve(rest);
  if (command == "--help" || command == "-h") return print(kProgramHelp);
  if (command == "--version") return print(version_line());
  constexpr std::array<std::string_view, 4> kCommands = {"skim", "serve", "--help", "--version"};
  return report_error({Status::invalid, "unknown command '" + command + "'" +
                                            did_you_mean(command, kCommands) +
                                            " (skimfill --help tells more)"});
}

}  // namespace

int main(int argc, char** argv) {
  const Stopwatch clock;
  try {
    return run({argv + 1, argv + argc}, clock);
  } catch (const std::bad_alloc&) {
    return report_error({Status::unavailable, "out of memory"});
  } catch (const std::exception& error) {
    return report_error({Status::internal, error.what()});
  }
}
