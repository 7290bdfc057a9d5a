#include "cli/skim_command.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "cli/arguments.h"
#include "cli/console.h"
#include "cli/files.h"
#include "cli/interrupt.h"
#include "cli/progress_bar.h"
#include "cli/skim_report.h"
#include "core/log.h"

namespace skimfill {
namespace {

constexpr std::int64_t kMostTokens = std::int64_t{1} << 40;
constexpr char kDefaultModel[] = "SmolLM2-135M-Instruct.Q4_1.gguf";

// Unset and empty are the same to a user of a shell.
std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

Result<std::string> default_drafter() {
  if (std::string drafter = environment("SKIMFILL_DRAFTER"); !drafter.empty()) return drafter;
  std::string cache = environment("SKIMFILL_CACHE");
  if (cache.empty()) cache = environment("HOME") + "/.cache/skimfill";
  const std::string model = cache + "/models/" + kDefaultModel;
  std::error_code error;
  if (std::filesystem::exists(model, error)) return model;
  return Error{Status::invalid,
               "no drafter: give --drafter FILE (the GGUF of a small model), set SKIMFILL_DRAFTER, or run "
               "scripts/quickstart, which puts one at " +
                   model};
}

// CLI11's own usage line says neither what must be given nor that it must.
class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter() { column_width(26); }
  std::string make_usage(const CLI::App*, std::string) const override {
    return "\n  skimfill skim FILE --question TEXT [flags]\n";
  }
};

struct RawValues {
  std::optional<std::string> keep, budget, segment, threads;
  std::string format = "text";
};

Result<void> set_values(SkimCommand& command, const RawValues& raw) {
  if (raw.keep) {
    const Result<double> keep = parse_share("--keep", *raw.keep);
    if (!keep) return keep.error();
    command.keep_ratio = *keep;
  }
  if (raw.budget) {
    const Result<std::int64_t> budget = parse_count("--budget", *raw.budget, 1, kMostTokens);
    if (!budget) return budget.error();
    command.budget_tokens = *budget;
  }
  if (raw.segment) {
    const Result<std::int64_t> segment = parse_count("--segment", *raw.segment, 64, 8192);
    if (!segment) return segment.error();
    command.skimmer.segment_tokens = *segment;
  }
  if (raw.threads) {
    const Result<std::int64_t> threads = parse_count("--threads", *raw.threads, 1, 1024);
    if (!threads) return threads.error();
    command.skimmer.threads = static_cast<int>(*threads);
  }
  if (raw.format == "json") {
    command.format = SkimFormat::json;
  } else if (raw.format == "html") {
    command.format = SkimFormat::html;
  } else if (raw.format != "text") {
    return Error{Status::invalid, "--format '" + raw.format + "': give text, json or html"};
  }
  return {};
}

std::string parse_problem(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<std::string> extra = app.remaining();
  if (extra.empty()) return std::string(error.what()) + " (skimfill skim --help tells more)";
  const std::string name = extra.front().substr(0, extra.front().find('='));
  if (name.size() < 2 || name[0] != '-') {
    return "unexpected argument '" + extra.front() + "': one FILE at a time, and quotes around the question";
  }
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& known : option->get_lnames()) names.push_back("--" + known);
  }
  const std::vector<std::string_view> known(names.begin(), names.end());
  return "unknown flag '" + name + "'" + did_you_mean(name, known) + " (skimfill skim --help lists all)";
}

Result<void> check(SkimCommand& command) {
  if (command.question.find_first_not_of(" \t\r\n") == std::string::npos) {
    return Error{Status::invalid, "--question is empty: say what the text is read for"};
  }
  if (command.skimmer.drafter.empty()) {
    const Result<std::string> drafter = default_drafter();
    if (!drafter) return drafter.error();
    command.skimmer.drafter = *drafter;
  }
  if (auto readable = check_readable_file("--drafter", command.skimmer.drafter); !readable) return readable;
  if (command.file != "-") {
    if (auto readable = check_readable_file("FILE", command.file); !readable) return readable;
  }
  if (!command.output.empty()) return check_writable(command.output);
  return {};
}

Result<SkimReport> make_report(const SkimCommand& command, const Stopwatch& clock) {
  const Interrupt interrupt;
  const std::stop_token stop = interrupt.token();
  Result<std::string> text = read_document(command.file, stop);
  if (!text) return text.error();

  ProgressBar bar(is_terminal(STDERR_FILENO) && !command.verbose);
  const Stopwatch load_clock;
  Result<Skimmer> skimmer = Skimmer::load(command.skimmer, bar.callback(), stop);
  const double load_ms = load_clock.elapsed_ms();
  if (!skimmer) {
    // The options were checked, so what is wrong is the model's file: no bad use of the command.
    const Status status = skimmer.error().status;
    return Error{status == Status::invalid ? Status::unsupported : status, skimmer.error().message};
  }
  log::debug("{}", skimmer->description());

  const Passage passage{.role = Role::user, .text = *text};
  const SkimRequest request{.passages = {&passage, 1},
                            .question = command.question,
                            .mode = Mode::always,
                            .keep_ratio = command.keep_ratio,
                            .budget_tokens = command.budget_tokens};
  Result<SkimResult> result = skimmer->skim(request, stop, bar.callback());
  if (!result) return result.error();
  if (stop.stop_requested()) return Error{Status::cancelled, "cancelled"};
  const RunTimes times = RunTimes::of(load_ms, result->timings, clock.elapsed_ms());
  return SkimReport{.file = command.file == "-" ? "stdin" : command.file,
                    .text = std::move(*text),
                    .result = std::move(*result),
                    .times = times};
}

std::string render(const SkimCommand& command, const SkimReport& report) {
  switch (command.format) {
    case SkimFormat::json:
      return json_report(report);
    case SkimFormat::html:
      return html_report(report);
    case SkimFormat::text:
      break;
  }
  if (command.output.empty() && is_terminal(STDOUT_FILENO)) {
    return terminal_report(report, command.skimmer.mark, is_styled_terminal(STDOUT_FILENO));
  }
  return std::string(report.kept_text());
}

}  // namespace

Result<SkimCommand> parse_skim(std::span<const std::string> arguments) {
  SkimCommand command;
  RawValues raw;
  CLI::App app("Prints the text of FILE that QUESTION needs.", "skimfill skim");
  app.formatter(std::make_shared<HelpFormatter>());
  app.add_option("FILE", command.file, "the text to skim, any encoding; - reads stdin")
      ->required()
      ->option_text(" ");
  app.add_option("-q,--question", command.question, "what the text is read for")
      ->required()
      ->option_text("TEXT");

  const std::string what = "What to keep";
  app.add_option("--keep", raw.keep, "share of the tokens, above 0 and up to 1 (default 0.1)")
      ->option_text("R")
      ->group(what);
  app.add_option("--budget", raw.budget, "at most N tokens; with --keep too, the smaller one holds")
      ->option_text("N")
      ->group(what);
  app.add_option("--mark", command.skimmer.mark,
                 "stands where text was left out, may be empty (default [...])")
      ->option_text("TEXT")
      ->group(what);

  const std::string how = "How to read";
  app.add_option("--drafter", command.skimmer.drafter,
                 "GGUF of the small model (default SKIMFILL_DRAFTER, else the model that quickstart fetched)")
      ->option_text("FILE")
      ->group(how);
  app.add_option("--device", command.skimmer.device,
                 "such as CPU, CUDA0, Vulkan0 (default the first GPU, else CPU)")
      ->option_text("NAME")
      ->group(how);
  app.add_option("--segment", raw.segment, "tokens read in one piece, 64 to 8192 (default 1024)")
      ->option_text("N")
      ->group(how);
  app.add_option("--threads", raw.threads, "CPU threads (default one per hardware thread)")
      ->option_text("N")
      ->group(how);

  const std::string where = "Output";
  app.add_option("--format", raw.format, "text, json or html (default text)")
      ->option_text("FORM")
      ->group(where);
  app.add_option("-o,--output", command.output, "write there instead of stdout")
      ->option_text("FILE")
      ->group(where);
  app.add_flag("-v,--verbose", command.verbose, "say on stderr what is going on")->group(where);

  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    command.help = app.help();
    return command;
  } catch (const CLI::ParseError& error) {
    return Error{Status::invalid, parse_problem(app, error)};
  }
  if (auto set = set_values(command, raw); !set) return set.error();
  // A budget alone is the whole of the wish: the default share must not undercut it.
  if (command.budget_tokens && !command.keep_ratio) command.keep_ratio = 1.0;
  return command;
}

int run_skim(std::span<const std::string> arguments, const Stopwatch& clock) {
  Result<SkimCommand> command = parse_skim(arguments);
  if (!command) return report_error(command.error());
  if (!command->help.empty()) {
    const Result<void> printed = write_stdout(command->help);
    return printed ? kExitOk : report_error(printed.error());
  }
  spdlog::set_level(command->verbose ? spdlog::level::debug : spdlog::level::warn);
  if (auto checked = check(*command); !checked) return report_error(checked.error());

  const Result<SkimReport> report = make_report(*command, clock);
  if (!report) return report_error(report.error());
  const std::string rendered = render(*command, *report);
  const Result<void> written =
      command->output.empty() ? write_stdout(rendered) : write_file(command->output, rendered);
  if (!written) return report_error(written.error());
  if (command->format == SkimFormat::text) std::fputs(summary(*report).c_str(), stderr);
  return kExitOk;
}

}  // namespace skimfill
