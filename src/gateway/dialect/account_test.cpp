#include "gateway/dialect/account.h"

#include <gmock/gmock.h>

#include <boost/json/parse.hpp>

namespace skimfill {
namespace {

namespace json = boost::json;

json::value read(const std::string& text) { return json::parse(json::string_view(text.data(), text.size())); }

Account skimmed_account() {
  Account account;
  account.skimmed = true;
  account.skim_json = R"({"decision":"skimmed"})";
  account.queue_ms = 100;
  account.skim_ms = 400;
  account.sent_ms = 510;
  account.head_ms = 560;
  account.end_ms = 1575;
  account.prompt_tokens = 9000;
  account.drafter_prompt_tokens = 8000;
  account.drafter_sent_tokens = 800;
  return account;
}

constexpr TargetTimes kTarget{.prompt_ms = 300, .predicted_ms = 700};

double sum(const Times& times) { return times.prompt_ms() + times.predicted_ms; }

TEST(Account, ThePartsAddUpToTheWholeTime) {
  for (const bool streamed : {false, true}) {
    for (const bool target_tells : {false, true}) {
      Account account = skimmed_account();
      account.streamed = streamed;
      if (streamed) account.first_text_ms = 870;
      const Times times = times_of(account, target_tells ? std::optional(kTarget) : std::nullopt);
      EXPECT_NEAR(sum(times), account.end_ms, 1e-9) << streamed << target_tells;
      EXPECT_GE(times.other_ms, 0);
      EXPECT_EQ(times.skim_ms, 400);
    }
  }
}

TEST(Account, WaitingForTheTargetToBeginIsQueue) {
  Account account = skimmed_account();
  account.streamed = true;
  EXPECT_DOUBLE_EQ(times_of(account, kTarget).queue_ms, 100 + 50);
  account.streamed = false;
  EXPECT_DOUBLE_EQ(times_of(account, kTarget).queue_ms, 100 + 65);
}

TEST(Account, AnUnstreamedTargetWithoutTimesLeavesPrefillUnknown) {
  const std::string reply = with_account(Dialect::chat, R"({"choices":[]})", skimmed_account());
  const json::object timings = read(reply).at("timings").as_object();
  EXPECT_FALSE(timings.contains("prefill_ms"));
  EXPECT_FALSE(timings.contains("prompt_ms"));
  EXPECT_TRUE(timings.contains("skim_ms"));
}

TEST(Account, TheReplyKeepsItsBytesAndGainsTheAccount) {
  const std::string reply = with_account(
      Dialect::chat,
      R"({"choices":[{"text":"é"}], "x":1E2,"usage":{"completion_tokens":5,"prompt_tokens":900,"total_tokens":905,)"
      R"("prompt_tokens_details":{"cached_tokens":200}},"timings":{"cache_n":200,"prompt_n":700,"prompt_ms":300,)"
      R"("prompt_per_second":1,"predicted_n":5,"predicted_ms":700.0}})",
      skimmed_account());
  EXPECT_TRUE(reply.starts_with(R"({"choices":[{"text":"é"}], "x":1E2,"usage":{"completion_tokens":5,)"))
      << reply;
  const json::value value = read(reply);
  EXPECT_EQ(value.at("skim").at("decision"), "skimmed");
  const json::value& usage = value.at("usage");
  EXPECT_EQ(usage.at("prompt_tokens"), 9000);
  EXPECT_EQ(usage.at("total_tokens"), 9005);
  EXPECT_EQ(usage.at("prompt_tokens_details").at("cached_tokens"), 200);
  EXPECT_EQ(usage.at("prompt_tokens_details").at("kept_tokens"), 900);
  EXPECT_FALSE(usage.at("prompt_tokens_details").as_object().contains("estimated"));
  const json::value& timings = value.at("timings");
  EXPECT_EQ(timings.at("prefill_ms"), 300);
  EXPECT_EQ(timings.at("cache_n"), 200);
  EXPECT_NEAR(timings.at("prompt_per_second").to_number<double>(), 700 / 0.3, 1e-3);
  const auto part = [&](const char* name) { return timings.at(name).to_number<double>(); };
  EXPECT_NEAR(part("queue_ms") + part("skim_ms") + part("prefill_ms") + part("other_ms"), part("prompt_ms"),
              0.01);
  EXPECT_NEAR(part("prompt_ms") + part("predicted_ms"), 1575, 0.01);
}

TEST(Account, WithoutAnExactCountTheDraftersIsScaled) {
  Account account = skimmed_account();
  account.prompt_tokens.reset();
  const json::value usage =
      read(with_account(Dialect::chat,
                        R"({"usage":{"prompt_tokens":880,"completion_tokens":1,"total_tokens":881}})",
                        account))
          .at("usage");
  EXPECT_EQ(usage.at("prompt_tokens"), 8800);
  EXPECT_EQ(usage.at("total_tokens"), 8801);
  EXPECT_EQ(usage.at("prompt_tokens_details").at("estimated"), true);
  EXPECT_EQ(usage.at("prompt_tokens_details").at("kept_tokens"), 880);
}

TEST(Account, AWholePromptKeepsTheTargetsOwnCounts) {
  Account account = skimmed_account();
  account.skimmed = false;
  account.prompt_tokens.reset();
  const json::value usage =
      read(with_account(Dialect::chat,
                        R"({"usage":{"prompt_tokens":12,"completion_tokens":1,"total_tokens":13}})", account))
          .at("usage");
  EXPECT_EQ(usage.at("prompt_tokens"), 12);
  EXPECT_EQ(usage.at("total_tokens"), 13);
  EXPECT_FALSE(usage.at("prompt_tokens_details").as_object().contains("estimated"));
}

TEST(Account, NoUsageIsAddedWhereNoneWasAskedFor) {
  EXPECT_FALSE(read(with_account(Dialect::chat, R"({"choices":[]})", skimmed_account()))
                   .as_object()
                   .contains("usage"));
  EXPECT_TRUE(
      read(with_account(Dialect::chat, R"({"usage":null})", skimmed_account())).at("usage").is_null());
}

TEST(Account, AMessagesCountsAddUpToWhatTheClientSent) {
  constexpr std::string_view kUsage =
      R"("usage":{"cache_read_input_tokens":200,"input_tokens":700,"output_tokens":5})";
  const std::string reply = "{" + std::string(kUsage) + "}";
  const json::value whole = read(with_account(Dialect::messages, reply, skimmed_account()));
  Account account = skimmed_account();
  const json::value start =
      read(with_counts_in_start(Dialect::messages, R"({"message":)" + reply + "}", account));
  EXPECT_EQ(start.at("message").at("usage"), whole.at("usage"));
  EXPECT_EQ(whole.at("usage"), json::parse(R"({"cache_read_input_tokens":200,"input_tokens":8800,)"
                                           R"("kept_input_tokens":900,"output_tokens":5})"));
  const json::value last = read(with_account_in_last(
      Dialect::messages, R"({"type":"message_delta","usage":{"output_tokens":5}})", account));
  EXPECT_EQ(last.at("usage"), json::parse(R"({"output_tokens":5})"));
  EXPECT_TRUE(last.as_object().contains("timings") && last.as_object().contains("skim"));
}

TEST(Account, AMessageWhosePromptWasAllCachedHasNoNegativeCount) {
  Account account = skimmed_account();
  account.prompt_tokens = 100;
  const json::value usage =
      read(with_account(Dialect::messages, R"({"usage":{"cache_read_input_tokens":200,"input_tokens":1}})",
                        account))
          .at("usage");
  EXPECT_EQ(usage.at("input_tokens"), 0);
}

TEST(Account, WhereTheTargetGivesNoCountOursIsTaken) {
  Account account = skimmed_account();
  constexpr std::string_view kStart = R"({"message":{"usage":{"input_tokens":0,"output_tokens":0}}})";
  EXPECT_EQ(
      read(with_counts_in_start(Dialect::messages, kStart, account)).at("message").at("usage"),
      json::parse(R"({"input_tokens":9000,"kept_input_tokens":900,"estimated":true,"output_tokens":0})"));
  account.skimmed = false;
  EXPECT_EQ(read(with_counts_in_start(Dialect::messages, kStart, account)).at("message").at("usage"),
            json::parse(R"({"input_tokens":9000,"kept_input_tokens":9000,"output_tokens":0})"));
}

TEST(Account, AResponseHoldsItsAccountInside) {
  const json::value last = read(with_account_in_last(
      Dialect::responses,
      R"({"type":"response.completed","response":{"id":"r","usage":{"input_tokens":900,"output_tokens":5,)"
      R"("total_tokens":905,"input_tokens_details":{"cached_tokens":200}}},)"
      R"("timings":{"prompt_n":700,"prompt_ms":300,"predicted_ms":700}})",
      skimmed_account()));
  const json::value& response = last.at("response");
  EXPECT_EQ(last.at("timings"), response.at("timings"));
  EXPECT_EQ(response.at("timings").at("prefill_ms"), 300);
  EXPECT_EQ(response.at("timings").at("prompt_n"), 700);
  EXPECT_EQ(response.at("skim").at("decision"), "skimmed");
  EXPECT_EQ(response.at("usage"),
            json::parse(R"({"input_tokens":9000,"output_tokens":5,"total_tokens":9005,)"
                        R"("input_tokens_details":{"cached_tokens":200,"kept_tokens":900}})"));
}

TEST(Account, WhatIsNoReplyStaysAsItIs) {
  constexpr std::string_view kNone = R"({"type":"response.completed","response":null,"timings":{}})";
  EXPECT_EQ(with_account_in_last(Dialect::responses, kNone, skimmed_account()), kNone);
  Account account = skimmed_account();
  EXPECT_EQ(with_counts_in_start(Dialect::messages, kNone, account), kNone);
}

TEST(Account, AnEstimateIsCalledOneInEachDialect) {
  Account account = skimmed_account();
  account.prompt_tokens.reset();
  const json::value message =
      read(with_account(Dialect::messages, R"({"usage":{"input_tokens":880}})", account));
  EXPECT_EQ(message.at("usage"),
            json::parse(R"({"input_tokens":8800,"kept_input_tokens":880,"estimated":true})"));
  const json::value response =
      read(with_account(Dialect::responses, R"({"usage":{"input_tokens":880}})", account));
  EXPECT_EQ(response.at("usage").at("input_tokens_details").at("estimated"), true);
}

TEST(Account, AStreamWithoutTimesWaitedUntilItsFirstByte) {
  Account account = skimmed_account();
  account.streamed = true;
  account.first_text_ms = 870;
  const Times times = times_of(account, std::nullopt);
  EXPECT_DOUBLE_EQ(times.queue_ms, 100 + 50);
  EXPECT_DOUBLE_EQ(*times.prefill_ms, 870 - 560);
  EXPECT_DOUBLE_EQ(times.predicted_ms, 1575 - 870);
}

TEST(Account, ThePromptThatDoesNotFitIsToldWithItsNumbers) {
  constexpr std::string_view kError =
      R"({"error":{"code":400,"message":"request (900 tokens) exceeds","type":"exceed_context_size_error",)"
      R"("n_prompt_tokens":900,"n_ctx":512}})";
  ASSERT_TRUE(is_context_error(kError));
  const json::value error = read(context_error(kError, skimmed_account())).at("error");
  EXPECT_EQ(error.at("n_prompt_tokens"), 9000);
  EXPECT_EQ(error.at("n_kept_tokens"), 900);
  EXPECT_EQ(error.at("n_ctx"), 512);
  EXPECT_THAT(
      std::string(error.at("message").as_string()),
      testing::AllOf(testing::HasSubstr("9000"), testing::HasSubstr("900"), testing::HasSubstr("512")));
}

TEST(Account, OtherErrorsAreNoContextErrors) {
  EXPECT_FALSE(is_context_error(R"({"error":{"code":400,"message":"no","type":"invalid_request_error"}})"));
  EXPECT_FALSE(is_context_error(R"({"error":"maximum context length"})"));
  EXPECT_TRUE(is_context_error(R"({"error":{"code":"context_length_exceeded"}})"));
}

TEST(Account, SpansNameMessageAndPartAndAreGivenWhenAsked) {
  constexpr std::string_view kBody =
      R"({"messages":[{"role":"user","content":"a"},{"role":"user","content":[{"type":"text","text":"b"}]}]})";
  const Prompt prompt = read_prompt(Dialect::chat, JsonView::of(kBody));
  SkimResult result;
  result.decision = Decision::skimmed;
  result.reason = "it \"pays\"";
  result.spans = {Span{.passage = 0, .message = 0, .begin = 3, .end = 9, .score = 1.5F},
                  Span{.passage = 1, .message = 1, .begin = 0, .end = 4, .score = NAN}};
  const json::value asked = read(skim_json(result, prompt, true));
  EXPECT_EQ(asked.at("decision"), "skimmed");
  EXPECT_EQ(asked.at("reason"), "it \"pays\"");
  EXPECT_EQ(asked.at("spans").at(0), json::parse(R"({"message":0,"begin":3,"end":9,"score":1.5})"));
  EXPECT_EQ(asked.at("spans").at(1), json::parse(R"({"message":1,"part":0,"begin":0,"end":4})"));
  EXPECT_FALSE(read(skim_json(result, prompt, false)).as_object().contains("spans"));
}

}  // namespace
}  // namespace skimfill
