// The whole skim with the real small model. Texts are short: the drafter reads some hundred tokens a second.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <thread>

#include "skimfill/skimfill.h"

namespace skimfill {
namespace {

using testing::HasSubstr;

const std::string kNeedle = "Locker 88 opens with 4417.";
constexpr std::string_view kQuestion = "Which number opens locker 88?";

std::string document(int n_row, int needle_row, const char* separator = "\n") {
  std::string text;
  for (int i = 0; i < n_row; ++i) {
    if (i == needle_row) text += kNeedle + separator;
    text += "Row " + std::to_string(i) + ": gauge reads " + std::to_string(i * 7919 % 9973) + " on shelf " +
            std::to_string(i % 37) + "." + separator;
  }
  return text;
}

std::string kept_text(const SkimResult& result, std::string_view text) {
  std::string all;
  for (const Span& span : result.spans) {
    all += text.substr(static_cast<std::size_t>(span.begin), static_cast<std::size_t>(span.end - span.begin));
  }
  return all;
}

class SkimmerTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const char* path = std::getenv("SKIMFILL_TEST_MODEL");
    ASSERT_NE(path, nullptr) << "SKIMFILL_TEST_MODEL must name the test model";
    Result<Skimmer> loaded = Skimmer::load({.drafter = path, .device = "CPU", .segment_tokens = 512});
    ASSERT_TRUE(loaded.ok()) << loaded.error().message;
    skimmer_ = new Skimmer(std::move(*loaded));
  }
  static void TearDownTestSuite() {
    delete skimmer_;
    skimmer_ = nullptr;
  }

  static Result<SkimResult> skim(std::string_view text, SkimRequest request) {
    const Passage file{.role = Role::user, .text = text};
    request.passages = {&file, 1};
    if (request.question.empty()) request.question = kQuestion;
    return skimmer_->skim(request);
  }

  static Skimmer* skimmer_;
};

Skimmer* SkimmerTest::skimmer_ = nullptr;

TEST_F(SkimmerTest, KeepsTheLineThatAnswersTheQuestion) {
  const std::string text = document(60, 24);
  const Result<SkimResult> result = skim(text, {.keep_ratio = 0.1});
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->decision, Decision::skimmed);
  EXPECT_THAT(kept_text(*result, text), HasSubstr(kNeedle));
  EXPECT_THAT(result->texts[0], HasSubstr(kNeedle));
  EXPECT_THAT(result->texts[0], HasSubstr("[...]\n"));
  EXPECT_EQ(result->tokens, skimmer_->count_tokens(text));
  EXPECT_LE(result->kept_tokens, result->tokens / 10);
  EXPECT_EQ(result->kept_tokens, skimmer_->count_tokens(result->texts[0]));
  EXPECT_THAT(result->device, HasSubstr("CPU"));
  EXPECT_THAT(result->path, HasSubstr("20 of 30"));
}

TEST_F(SkimmerTest, KeepsItInTextWithoutLineBreaksToo) {
  const std::string text = document(60, 40, " ");
  const Result<SkimResult> result = skim(text, {.keep_ratio = 0.1});
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_THAT(kept_text(*result, text), HasSubstr(kNeedle));
}

TEST_F(SkimmerTest, UnitsCoverTheBodyAndSpansAreTheKeptOnes) {
  const std::string text = document(30, 12);
  const Result<SkimResult> result = skim(text, {.keep_ratio = 0.3});
  ASSERT_TRUE(result.ok());
  std::int64_t end = 0;
  std::string kept;
  for (const Unit& unit : result->units) {
    EXPECT_EQ(unit.begin, end);
    EXPECT_TRUE(std::isfinite(unit.score));
    end = unit.end;
    if (unit.kept)
      kept +=
          text.substr(static_cast<std::size_t>(unit.begin), static_cast<std::size_t>(unit.end - unit.begin));
  }
  EXPECT_EQ(end, static_cast<std::int64_t>(text.size()));
  EXPECT_EQ(kept, kept_text(*result, text));
}

TEST_F(SkimmerTest, NeverExceedsTheBudgetAndSkimsTwiceAlike) {
  const std::string text = document(30, 15);
  for (const std::int64_t budget : {1, 12, 50, 133}) {
    const Result<SkimResult> result = skim(text, {.keep_ratio = 0.5, .budget_tokens = budget});
    ASSERT_TRUE(result.ok());
    if (result->decision == Decision::whole) {
      EXPECT_THAT(result->reason, HasSubstr("too small"));
      continue;
    }
    EXPECT_LE(skimmer_->count_tokens(result->texts[0]), budget);
    const Result<SkimResult> again = skim(text, {.keep_ratio = 0.5, .budget_tokens = budget});
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(again->texts, result->texts);
  }
}

TEST_F(SkimmerTest, GoesThroughWholeWithTheReason) {
  const std::string text = document(20, 10);
  EXPECT_THAT(skim(text, {.keep_ratio = 1.0})->reason, HasSubstr("fits the budget"));
  EXPECT_THAT(skim(text, {.mode = Mode::off})->reason, HasSubstr("off"));
  EXPECT_THAT(skim(text, {.mode = Mode::automatic})->reason, HasSubstr("threshold of 4096"));
  EXPECT_THAT(skim("", {})->reason, HasSubstr("no text"));
  for (const Mode mode : {Mode::off, Mode::automatic}) {
    EXPECT_EQ(skim(text, {.mode = mode})->decision, Decision::whole);
    EXPECT_TRUE(skim(text, {.mode = mode})->texts.empty());
  }
}

TEST_F(SkimmerTest, RefusesRatiosAndBudgetsOutOfRange) {
  const std::string text = document(20, 10);
  for (const double ratio : {0.0, -1.0, 1.001, std::numeric_limits<double>::quiet_NaN()}) {
    const Result<SkimResult> result = skim(text, {.keep_ratio = ratio});
    ASSERT_FALSE(result.ok()) << ratio;
    EXPECT_EQ(result.error().status, Status::invalid);
  }
  for (const std::int64_t budget : {0, -5}) EXPECT_FALSE(skim(text, {.budget_tokens = budget}).ok());
}

TEST_F(SkimmerTest, OffsetsAreBytesOfTextThatIsNotUtf8) {
  std::string text = document(30, 12);
  text[100] = '\xFF';
  text.insert(300, std::string("\x00\xC3\x28", 3));
  const Result<SkimResult> result = skim(text, {.keep_ratio = 0.2});
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_THAT(kept_text(*result, text), HasSubstr(kNeedle));
}

TEST_F(SkimmerTest, AWaitingJobCanBeCancelledAndTheOthersFinish) {
  const std::string text = document(30, 12);
  const Passage file{.role = Role::user, .text = text};
  const SkimRequest request{.passages = {&file, 1}, .question = kQuestion, .keep_ratio = 0.2};
  std::stop_source leaves;
  std::optional<Result<SkimResult>> first;
  std::optional<Result<SkimResult>> second;
  std::jthread one([&] { first = skimmer_->skim(request); });
  std::jthread two([&] { second = skimmer_->skim(request, leaves.get_token()); });
  leaves.request_stop();
  one.join();
  two.join();
  ASSERT_TRUE(first->ok());
  ASSERT_FALSE(second->ok());
  EXPECT_EQ(second->error().status, Status::cancelled);
  EXPECT_TRUE(skimmer_->skim(request).ok());
}

TEST(SkimmerLoad, RefusesWithAReason) {
  EXPECT_EQ(Skimmer::load({}).error().status, Status::invalid);
  const char* path = std::getenv("SKIMFILL_TEST_MODEL");
  ASSERT_NE(path, nullptr);
  EXPECT_THAT(Skimmer::load({.drafter = "/nonexistent.gguf"}).error().message,
              HasSubstr("/nonexistent.gguf"));
  EXPECT_THAT(Skimmer::load({.drafter = path, .device = "Warp9"}).error().message, HasSubstr("Warp9"));
  EXPECT_EQ(Skimmer::load({.drafter = path, .segment_tokens = 3}).error().status, Status::invalid);
  EXPECT_EQ(Skimmer::load({.drafter = path, .keep_ratio = 0}).error().status, Status::invalid);
}

}  // namespace
}  // namespace skimfill
