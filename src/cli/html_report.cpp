#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include "cli/console.h"
#include "cli/skim_report.h"
#include "cli/utf8.h"

namespace skimfill {
namespace {

// Left-out text is shown in one of these opacities, by score: a class costs less per span than a style of its
// own.
constexpr std::array kOpacities = {.34, .40, .46, .52, .58, .64, .70};

// Scores are standardised: this range around the prompt's average holds nearly all of what was left out.
constexpr double kFaintestScore = -1;
constexpr double kBrightestScore = 2;

constexpr char kStyle[] = R"css(
:root { color-scheme: light dark; --ink: #16181d; --paper: #fdfdfc; --line: #d5d7dc; --quiet: #565b66; --kept: #fff1b8; --bar: #c77f00; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #eceef2; --paper: #14161a; --line: #343841; --quiet: #9aa1ae; --kept: #4a3b05; --bar: #f0b429; }
}
* { box-sizing: border-box; }
body { margin: 0; padding: 1.25rem 3.25rem 3rem 1.25rem; background: var(--paper); color: var(--ink); font: 16px/1.55 system-ui, sans-serif; }
header, main { max-width: 62rem; margin: 0 auto; }
h1 { font-size: 1.35rem; line-height: 1.3; margin: 0 0 .25rem; overflow-wrap: anywhere; }
p { margin: .25rem 0; overflow-wrap: anywhere; }
.quiet { color: var(--quiet); }
dl { display: flex; flex-wrap: wrap; gap: .5rem 1.75rem; margin: 1rem 0; font-size: .875rem; }
dt { color: var(--quiet); }
dd { margin: 0; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.legend { font-size: .875rem; border-bottom: 1px solid var(--line); padding-bottom: 1rem; margin-bottom: 1rem; }
pre { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; font: .8125rem/1.6 ui-monospace, monospace; }
mark { color: inherit; background: var(--kept); border-radius: 2px; scroll-margin-top: 35vh; }
mark:target { outline: 2px solid var(--bar); }
nav { position: fixed; top: .75rem; bottom: .75rem; right: .75rem; width: 1.5rem; border: 1px solid var(--line); border-radius: 4px; background: var(--paper); overflow: hidden; }
nav a { position: absolute; left: 0; right: 0; min-height: 3px; background: var(--bar); }
nav a:hover, nav a:focus { background: var(--ink); }
@media (max-width: 40rem) { body { padding: .75rem 1.75rem 2rem .75rem; } nav { right: .25rem; width: 1rem; } }
@media print { nav { display: none; } body { padding: 0; } }
)css";

std::string number(const char* pattern, double value) {
  char text[32];
  std::snprintf(text, sizeof text, pattern, value);
  return text;
}

std::string dim_class(float score) {
  const double share = (score - kFaintestScore) / (kBrightestScore - kFaintestScore);
  const double steps = static_cast<double>(kOpacities.size() - 1);
  return "d" + std::to_string(std::lround(std::clamp(share, 0.0, 1.0) * steps));
}

std::string style() {
  std::string css = kStyle;
  for (std::size_t i = 0; i < kOpacities.size(); ++i) {
    css += ".d" + std::to_string(i) + " { opacity: " + number("%.2f", kOpacities[i]) + "; }\n";
  }
  return css;
}

std::string_view slice(const SkimReport& report, std::int64_t begin, std::int64_t end) {
  return std::string_view(report.text)
      .substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
}

// Units in the order of the text, neighbours that look the same joined; kept runs are numbered for the strip.
struct Run {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  bool kept = false;
  std::string look;  // the class of left-out text
  float score = 0;   // of a kept run: its best unit's
};

std::vector<Run> runs_of(const SkimReport& report) {
  if (report.result.decision == Decision::whole) return {};
  std::vector<Run> runs;
  std::int64_t at = 0;
  const auto add = [&](Run run) {
    if (run.begin >= run.end) return;
    Run* last = runs.empty() ? nullptr : &runs.back();
    if (last != nullptr && last->kept == run.kept && last->look == run.look) {
      last->end = run.end;
      last->score = std::max(last->score, run.score);
    } else {
      runs.push_back(std::move(run));
    }
  };
  for (const Unit& unit : report.result.units) {
    add({.begin = at, .end = unit.begin, .look = dim_class(0)});
    add({.begin = std::max(at, unit.begin),
         .end = unit.end,
         .kept = unit.kept,
         .look = unit.kept ? "" : dim_class(unit.score),
         .score = unit.score});
    at = std::max(at, unit.end);
  }
  add({.begin = at, .end = std::ssize(report.text), .look = dim_class(0)});
  return runs;
}

std::string id_of(std::size_t run) { return "s" + std::to_string(run); }

std::string title_of(const Run& run) {
  return "bytes " + grouped(run.begin) + "–" + grouped(run.end) + ", score " + number("%+.2f", run.score);
}

std::string strip(const SkimReport& report, const std::vector<Run>& runs) {
  const double size = static_cast<double>(report.text.size());
  std::string out = "<nav aria-label=\"Where the kept text lies\">\n";
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Run& run = runs[i];
    if (!run.kept) continue;
    out += "<a href=\"#" + id_of(i) + "\" title=\"" + title_of(run) + "\" aria-label=\"" + title_of(run) +
           "\" style=\"top:" + number("%.3f", 100 * static_cast<double>(run.begin) / size) +
           "%;height:" + number("%.3f", 100 * static_cast<double>(run.end - run.begin) / size) + "%\"></a>\n";
  }
  return out + "</nav>\n";
}

std::string document(const SkimReport& report, const std::vector<Run>& runs) {
  // The parser drops a line end right after <pre>; this one is for it.
  std::string out = "<pre>\n";
  if (report.result.decision == Decision::whole) out += html_text(report.text);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Run& run = runs[i];
    const std::string text = html_text(slice(report, run.begin, run.end));
    if (run.kept) {
      out += "<mark id=\"" + id_of(i) + "\" title=\"" + title_of(run) + "\">" + text + "</mark>";
    } else {
      out += "<span class=\"" + run.look + "\">" + text + "</span>";
    }
  }
  return out + "</pre>\n";
}

std::string fact(const char* name, const std::string& value) {
  return "<div><dt>" + std::string(name) + "</dt><dd>" + html_text(value) + "</dd></div>\n";
}

std::string facts(const SkimReport& report) {
  const SkimResult& result = report.result;
  const RunTimes& times = report.times;
  const auto ms = [](double value) { return number("%.1f ms", value); };
  std::string out = "<dl>\n";
  out += fact("tokens", grouped(result.tokens));
  out += fact("kept", grouped(result.kept_tokens));
  out += fact("spans", grouped(std::ssize(result.spans)));
  if (!result.path.empty()) out += fact("path", result.path);
  if (!result.device.empty()) out += fact("device", result.device);
  out += fact("load", ms(times.load_ms)) + fact("tokenize", ms(times.tokenize_ms)) +
         fact("score", ms(times.score_ms)) + fact("select", ms(times.select_ms)) +
         fact("other", ms(times.other_ms)) + fact("total", ms(times.total_ms));
  return out + "</dl>\n";
}

}  // namespace

std::string html_report(const SkimReport& report) {
  const std::vector<Run> runs = runs_of(report);
  const bool skimmed = report.result.decision == Decision::skimmed;
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      // Nothing is ever fetched, whatever the document holds.
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'\">\n";
  out +=
      "<title>" + html_text(report.file) + " · skimfill</title>\n<style>" + style() + "</style>\n</head>\n";
  out += "<body>\n<header>\n<p class=\"quiet\">" + html_text(report.file) + "</p>\n";
  out += "<h1>" + html_text(report.result.question) + "</h1>\n";
  out +=
      "<p>" + std::string(skimmed ? "Skimmed" : "Whole") + ": " + html_text(report.result.reason) + "</p>\n";
  out += facts(report);
  if (skimmed) {
    out +=
        "<p class=\"legend\"><mark>Kept</mark> text is bright. Left-out text is dim, "
        "<span class=\"d0\">fainter where the question needs it less</span>, "
        "<span class=\"d6\">clearer where it came close</span>. "
        "The strip at the right shows where the kept text lies; click it to go there.</p>\n";
  }
  out += "</header>\n";
  if (skimmed) out += strip(report, runs);
  out += "<main>\n" + document(report, runs) + "</main>\n</body>\n</html>\n";
  return out;
}

}  // namespace skimfill
