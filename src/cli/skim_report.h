// What `skimfill skim` found, in the forms that it can be printed in.
#pragma once

#include <string>
#include <string_view>

#include "skimfill/skimfill.h"

namespace skimfill {

// Wall-clock milliseconds of a whole run; the parts add up to the total.
struct RunTimes {
  double load_ms = 0;
  double tokenize_ms = 0;
  double score_ms = 0;
  double select_ms = 0;
  double other_ms = 0;  // the rest: reading the file, starting, waiting
  double total_ms = 0;

  // Rounded to the microsecond first, so that the parts add up as printed.
  static RunTimes of(double load_ms, const SkimTimings& skim, double total_ms);
};

struct SkimReport {
  std::string file;  // its name, for a heading
  std::string text;  // its bytes
  SkimResult result;
  RunTimes times;

  std::string_view kept_text() const {
    return result.decision == Decision::skimmed ? std::string_view(result.texts.front()) : text;
  }
};

// One JSON object on one line.
std::string json_report(const SkimReport& report);

// A page of its own, without scripts or anything from elsewhere.
std::string html_report(const SkimReport& report);

// The kept spans for a person at a terminal, each under a line with its place and score.
std::string terminal_report(const SkimReport& report, std::string_view mark, bool styled);

// A few lines on what was done and what it took.
std::string summary(const SkimReport& report);

}  // namespace skimfill
