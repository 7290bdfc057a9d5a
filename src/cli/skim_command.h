// `skimfill skim`: one file, one question, the text that the question needs.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "core/clock.h"
#include "skimfill/result.h"
#include "skimfill/skimfill.h"

namespace skimfill {

enum class SkimFormat { text, json, html };

struct SkimCommand {
  std::string file;  // "-": stdin
  std::string question;
  std::string output;  // empty: stdout
  SkimFormat format = SkimFormat::text;
  SkimmerOptions skimmer;
  std::optional<double> keep_ratio;
  std::optional<std::int64_t> budget_tokens;
  bool verbose = false;
  std::string help;  // not empty: print this and do nothing
};

// `arguments`: what follows the word skim.
Result<SkimCommand> parse_skim(std::span<const std::string> arguments);

// Returns the exit code. `clock` has run since the program began.
int run_skim(std::span<const std::string> arguments, const Stopwatch& clock);

}  // namespace skimfill
