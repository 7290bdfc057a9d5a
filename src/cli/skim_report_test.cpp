#include "cli/skim_report.h"

#include <gmock/gmock.h>

#include <boost/json.hpp>

#include "cli/console.h"
#include "cli/utf8.h"

namespace skimfill {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// "aaaa\n<b>&\n\xff\x1b[2J\n": the second line is kept.
SkimReport sample() {
  SkimReport report;
  report.file = "a<b>.txt";
  report.text = "aaaa\n<b>&\n\xff\x1b[2J\n";
  report.result.decision = Decision::skimmed;
  report.result.reason = "kept \"what\" matters";
  report.result.tokens = 12345;
  report.result.kept_tokens = 1234;
  report.result.question = "why\xff?";
  report.result.path = "llama";
  report.result.device = "CPU";
  report.result.spans = {{.begin = 5, .end = 10, .score = 2.5f}};
  const auto unit = [](std::int64_t begin, std::int64_t end, float score, bool kept) {
    Unit made;
    made.begin = begin;
    made.end = end;
    made.score = score;
    made.kept = kept;
    return made;
  };
  report.result.units = {unit(0, 5, -1, false), unit(5, 10, 2.5f, true), unit(10, 16, 0.5f, false)};
  report.result.texts = {"[...]\n<b>&\n[...]\n"};
  report.times =
      RunTimes::of(10.12345, {.tokenize_ms = 1, .score_ms = 100.5, .select_ms = 0.25, .total_ms = 102}, 130);
  return report;
}

TEST(SkimReport, TimesAddUpAsPrinted) {
  const auto times = boost::json::parse(json_report(sample())).at("timings_ms").as_object();
  double sum = 0;
  for (const char* part : {"load", "tokenize", "score", "select", "other"})
    sum += times.at(part).to_number<double>();
  EXPECT_NEAR(sum, times.at("total").to_number<double>(), 1e-6);
  EXPECT_EQ(times.size(), 6u);
}

TEST(SkimReport, JsonIsTheDocumentedObject) {
  const auto object = boost::json::parse(json_report(sample())).as_object();
  EXPECT_EQ(object.at("decision"), "skimmed");
  EXPECT_EQ(object.at("tokens"), 12345);
  EXPECT_EQ(object.at("kept_tokens"), 1234);
  EXPECT_EQ(object.at("question"), "why\uFFFD?");
  const auto& span = object.at("spans").as_array().at(0).as_object();
  EXPECT_EQ(span.at("begin"), 5);
  EXPECT_EQ(span.at("end"), 10);
  EXPECT_EQ(span.at("score").to_number<double>(), 2.5);
  EXPECT_EQ(object.size(), 9u);
}

TEST(SkimReport, HtmlShowsAllTextAndRunsNoneOfIt) {
  const std::string page = html_report(sample());
  EXPECT_THAT(page, HasSubstr(">&lt;b&gt;&amp;\n</mark>"));
  EXPECT_THAT(page, HasSubstr("a&lt;b&gt;.txt"));
  EXPECT_THAT(page, HasSubstr("kept &quot;what&quot; matters"));
  EXPECT_THAT(page, HasSubstr("aaaa\n"));
  EXPECT_THAT(page, HasSubstr("\uFFFD\uFFFD[2J\n"));
  EXPECT_THAT(page, Not(HasSubstr("<b>")));
  EXPECT_EQ(valid_utf8(page), page);
}

TEST(SkimReport, HtmlOfAWholeDocumentHasNoStrip) {
  SkimReport report = sample();
  report.result.decision = Decision::whole;
  report.result.units.clear();
  const std::string page = html_report(report);
  EXPECT_THAT(page, HasSubstr("aaaa\n&lt;b&gt;&amp;\n"));
  EXPECT_THAT(page, Not(HasSubstr("<nav")));
}

TEST(SkimReport, TextBetweenUnitsIsNotLost) {
  SkimReport report = sample();
  report.result.units.erase(report.result.units.begin());
  report.result.units.pop_back();
  EXPECT_THAT(html_report(report), HasSubstr("aaaa\n"));
  EXPECT_THAT(html_report(report), HasSubstr("[2J\n"));
}

TEST(SkimReport, TheTerminalGetsPlacesScoresAndMarks) {
  const std::string text = terminal_report(sample(), "[...]", false);
  EXPECT_EQ(text, "[...]\nbytes 5–10  score +2.50\n<b>&\n[...]\n");
  EXPECT_THAT(terminal_report(sample(), "", false), Not(HasSubstr("[...]")));
  EXPECT_THAT(terminal_report(sample(), "", true), HasSubstr("\033[2mbytes 5–10"));
}

TEST(SkimReport, TheTerminalIsSafeFromTheDocument) {
  SkimReport report = sample();
  report.result.decision = Decision::whole;
  EXPECT_THAT(terminal_report(report, "[...]", true), Not(HasSubstr("\x1b")));
}

TEST(SkimReport, SummarySaysHowMuchWasKept) {
  EXPECT_THAT(summary(sample()), HasSubstr("kept 1,234 of 12,345 tokens (10.0 %) in 1 span;"));
}

TEST(Utf8, IllFormedSequencesAreReplacedAsTheWebDoes) {
  EXPECT_EQ(valid_utf8("a\u00e9\u4e2d\U0001F600z"), "a\u00e9\u4e2d\U0001F600z");
  EXPECT_EQ(valid_utf8("\xc0\xaf"), "\uFFFD\uFFFD");            // overlong
  EXPECT_EQ(valid_utf8("\xed\xa0\x80"), "\uFFFD\uFFFD\uFFFD");  // surrogate
  EXPECT_EQ(valid_utf8("\xf0\x9f\x98"), "\uFFFD");              // cut short
  EXPECT_EQ(valid_utf8("\xe4\xb8z"), "\uFFFDz");
  EXPECT_EQ(valid_utf8("\xf4\x90\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD");  // beyond U+10FFFF
}

TEST(Console, NumbersAreGroupedByThousands) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(-1234567), "-1,234,567");
}

}  // namespace
}  // namespace skimfill
