#include "cli/skim_report.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <cmath>
#include <cstdio>
#include <utility>

#include "cli/console.h"
#include "cli/utf8.h"

namespace skimfill {
namespace {

namespace json = boost::json;

double to_thousandths(double number) { return std::round(number * 1000) / 1000; }

std::string format(const char* pattern, double number) {
  char text[64];
  std::snprintf(text, sizeof text, pattern, number);
  return text;
}

}  // namespace

RunTimes RunTimes::of(double load_ms, const SkimTimings& skim, double total_ms) {
  RunTimes times{.load_ms = to_thousandths(load_ms),
                 .tokenize_ms = to_thousandths(skim.tokenize_ms),
                 .score_ms = to_thousandths(skim.score_ms),
                 .select_ms = to_thousandths(skim.select_ms),
                 .total_ms = to_thousandths(total_ms)};
  times.other_ms =
      to_thousandths(times.total_ms - times.load_ms - times.tokenize_ms - times.score_ms - times.select_ms);
  return times;
}

std::string json_report(const SkimReport& report) {
  const SkimResult& result = report.result;
  json::array spans;
  for (const Span& span : result.spans) {
    spans.push_back(
        json::object{{"begin", span.begin}, {"end", span.end}, {"score", to_thousandths(span.score)}});
  }
  const json::object timings{
      {"load", report.times.load_ms},   {"tokenize", report.times.tokenize_ms},
      {"score", report.times.score_ms}, {"select", report.times.select_ms},
      {"other", report.times.other_ms}, {"total", report.times.total_ms},
  };
  const json::object object{
      {"decision", result.decision == Decision::skimmed ? "skimmed" : "whole"},
      {"reason", valid_utf8(result.reason)},
      {"tokens", result.tokens},
      {"kept_tokens", result.kept_tokens},
      {"spans", std::move(spans)},
      {"path", valid_utf8(result.path)},
      {"device", valid_utf8(result.device)},
      {"timings_ms", timings},
      {"question", valid_utf8(result.question)},
  };
  return json::serialize(object) + "\n";
}

std::string terminal_report(const SkimReport& report, std::string_view mark, bool styled) {
  const std::string_view dim = styled ? "\033[2m" : "";
  const std::string_view plain = styled ? "\033[0m" : "";
  const std::string_view text = report.text;
  if (report.result.decision == Decision::whole) return terminal_text(text);
  std::string out;
  const auto say = [&](std::string_view line) { out.append(dim).append(line).append(plain).append("\n"); };
  std::int64_t at = 0;
  for (const Span& span : report.result.spans) {
    if (span.begin > at && !mark.empty()) say(terminal_text(mark));
    at = span.end;
    say("bytes " + grouped(span.begin) + "–" + grouped(span.end) + "  score " + format("%+.2f", span.score));
    out += terminal_text(
        text.substr(static_cast<std::size_t>(span.begin), static_cast<std::size_t>(span.end - span.begin)));
    if (out.back() != '\n') out += '\n';
  }
  if (std::ssize(text) > at && !mark.empty()) say(terminal_text(mark));
  return out;
}

std::string summary(const SkimReport& report) {
  const SkimResult& result = report.result;
  std::string out;
  if (result.decision == Decision::skimmed) {
    const double share = 100.0 * static_cast<double>(result.kept_tokens) / static_cast<double>(result.tokens);
    out = "skimmed: kept " + grouped(result.kept_tokens) + " of " + grouped(result.tokens) + " tokens (" +
          format("%.1f %%", share) + ") in " + grouped(std::ssize(result.spans)) +
          (result.spans.size() == 1 ? " span" : " spans");
  } else {
    out = "whole: all " + grouped(result.tokens) + " tokens";
  }
  if (!result.reason.empty()) out += "; " + terminal_text(result.reason);
  out += '\n';
  if (!result.path.empty()) out += "path    " + terminal_text(result.path) + "\n";
  if (!result.device.empty()) out += "device  " + terminal_text(result.device) + "\n";
  const std::pair<const char*, double> rows[] = {
      {"load", report.times.load_ms},   {"tokenize", report.times.tokenize_ms},
      {"score", report.times.score_ms}, {"select", report.times.select_ms},
      {"other", report.times.other_ms}, {"total", report.times.total_ms},
  };
  for (const auto& [name, ms] : rows) {
    char line[64];
    std::snprintf(line, sizeof line, "%-8s%10.1f ms\n", name, ms);
    out += line;
  }
  return out;
}

}  // namespace skimfill
