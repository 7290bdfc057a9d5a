#include "gateway/dialect/prompt.h"

#include <gmock/gmock.h>

#include "gateway/dialect/skim_fields.h"

namespace skimfill {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view kChat = R"({"model":"m","messages":[
  {"role":"system","content":"S1"},
  {"role":"user","content":[{"type":"text","text":"alpha"},{"type":"image_url","image_url":{"url":"x"}},{"type":"text","text":"b\u00e9ta"}]},
  {"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]},
  {"role":"tool","tool_call_id":"c1","content":"T"},
  {"role":"developer","content":"D"},
  {"role":"wizard","content":"W"},
  {"role":"user","content":"u2"}],"stream":true,"temperature":0.70})";

Prompt read(Dialect dialect, std::string_view body) {
  Result<Prompt> prompt = read_prompt(dialect, JsonView::of(body));
  EXPECT_TRUE(prompt) << prompt.error().message;
  return std::move(*prompt);
}

TEST(Chat, EveryTextIsAPassageOfItsRoleAndMessage) {
  const Prompt prompt = read(Dialect::chat, kChat);
  EXPECT_THAT(prompt.texts, ElementsAre("S1", "alpha", "béta", "T", "D", "W", "u2"));
  std::vector<Role> roles;
  std::vector<std::int64_t> messages;
  for (const Passage& passage : prompt.passages) {
    roles.push_back(passage.role);
    messages.push_back(passage.message);
  }
  EXPECT_THAT(roles, ElementsAre(Role::system, Role::user, Role::user, Role::tool, Role::system, Role::system,
                                 Role::user));
  EXPECT_THAT(messages, ElementsAre(0, 1, 1, 3, 4, 5, 6));
  EXPECT_EQ(prompt.parts[0], std::nullopt);
  EXPECT_EQ(prompt.parts[1], 0);
  EXPECT_EQ(prompt.parts[2], 2);
  EXPECT_TRUE(prompt.stream);
}

TEST(Chat, PassagesStayValidWhenThePromptMoves) {
  Prompt first = read(Dialect::chat, kChat);
  const Prompt second = std::move(first);
  EXPECT_EQ(second.passages[2].text, "béta");
  EXPECT_EQ(second.passages[2].text.data(), second.texts[2].data());
}

TEST(Chat, UnchangedTextsLeaveTheBodyByteForByte) {
  const Prompt prompt = read(Dialect::chat, kChat);
  EXPECT_EQ(with_texts(kChat, prompt, prompt.texts), kChat);
}

TEST(Chat, OnlyChangedTextsAreWritten) {
  const Prompt prompt = read(Dialect::chat, kChat);
  std::vector<std::string> texts = prompt.texts;
  texts[3] = "kept \"é\"\n";
  std::string expected(kChat);
  expected.replace(expected.find("\"T\""), 3, R"("kept \"é\"\n")");
  EXPECT_EQ(with_texts(kChat, prompt, texts), expected);
}

TEST(Chat, ACompletionHasOnePassage) {
  constexpr std::string_view kBody = R"({"prompt":"a b","stream":null,"n_predict":3})";
  const Prompt prompt = read(Dialect::completion, kBody);
  EXPECT_THAT(prompt.texts, ElementsAre("a b"));
  EXPECT_FALSE(prompt.stream);
  EXPECT_EQ(with_texts(kBody, prompt, {"b"}), R"({"prompt":"b","stream":null,"n_predict":3})");
}

TEST(Chat, PromptsThatAreNoPlainTextHaveNoPassage) {
  for (const char* body :
       {R"({"prompt":[1,2]})", R"({"prompt":["a","b"]})", R"({"prompt":{"prompt_string":"x"}})"}) {
    EXPECT_TRUE(read(Dialect::completion, body).texts.empty()) << body;
  }
}

TEST(Chat, WrongShapesAreNamed) {
  const auto complaint = [](Dialect dialect, std::string_view body) {
    const Result<Prompt> prompt = read_prompt(dialect, JsonView::of(body));
    return prompt ? std::string("accepted") : prompt.error().message;
  };
  EXPECT_THAT(complaint(Dialect::chat, "{}"), HasSubstr("messages"));
  EXPECT_THAT(complaint(Dialect::chat, R"({"messages":[]})"), HasSubstr("messages"));
  EXPECT_THAT(complaint(Dialect::chat, R"({"messages":"hi"})"), HasSubstr("messages"));
  EXPECT_THAT(complaint(Dialect::chat, R"({"messages":[1]})"), HasSubstr("messages[0]"));
  EXPECT_THAT(complaint(Dialect::chat, R"({"messages":[{"role":"user","content":"x"},{}]})"),
              HasSubstr("messages[1].role"));
  EXPECT_THAT(complaint(Dialect::chat, "[]"), HasSubstr("object"));
  EXPECT_THAT(complaint(Dialect::completion, R"({"prompt":null})"), HasSubstr("prompt"));
}

TEST(Chat, RoutesAreKnownWithPrefixAndQuery) {
  EXPECT_EQ(dialect_of("/v1/chat/completions"), Dialect::chat);
  EXPECT_EQ(dialect_of("/chat/completions?x=/completions"), Dialect::chat);
  EXPECT_EQ(dialect_of("/prefix/v1/completions"), Dialect::completion);
  EXPECT_EQ(dialect_of("/completion"), Dialect::completion);
  EXPECT_EQ(dialect_of("/v1/chat/completions/input_tokens"), Dialect::other);
  EXPECT_EQ(dialect_of("/v1/chat/completions/control"), Dialect::other);
  EXPECT_EQ(dialect_of("/infill"), Dialect::other);
}

TEST(SkimFields, AreReadWithNullsAsDefaults) {
  const auto fields = read_skim_fields(JsonView::of(
      R"({"skim":{"mode":"auto","keep_ratio":0.25,"budget":400,"question":"Who?","spans":true}})"));
  ASSERT_TRUE(fields);
  EXPECT_EQ(fields->mode, Mode::automatic);
  EXPECT_EQ(fields->keep_ratio, 0.25);
  EXPECT_EQ(fields->budget_tokens, 400);
  EXPECT_EQ(fields->question, "Who?");
  EXPECT_TRUE(fields->spans);
  for (const char* body :
       {"{}", R"({"skim":null})", R"({"skim":{}})", R"({"skim":{"mode":null,"budget":null}})"}) {
    const auto defaults = read_skim_fields(JsonView::of(body));
    ASSERT_TRUE(defaults) << body;
    EXPECT_EQ(defaults->mode, std::nullopt);
    EXPECT_EQ(defaults->budget_tokens, std::nullopt);
  }
}

TEST(SkimFields, WrongTypesAndRangesNameTheField) {
  const std::pair<const char*, const char*> kCases[] = {
      {"true", "skim:"},
      {R"({"mode":"on"})", "skim.mode"},
      {R"({"mode":1})", "skim.mode"},
      {R"({"keep_ratio":0})", "skim.keep_ratio"},
      {R"({"keep_ratio":1.01})", "skim.keep_ratio"},
      {R"({"keep_ratio":1e999})", "skim.keep_ratio"},
      {R"({"keep_ratio":"0.1"})", "skim.keep_ratio"},
      {R"({"budget":0})", "skim.budget"},
      {R"({"budget":2.5})", "skim.budget"},
      {R"({"budget":9223372036854775808})", "skim.budget"},
      {R"({"budget":true})", "skim.budget"},
      {R"({"question":[]})", "skim.question"},
      {R"({"spans":"yes"})", "skim.spans"},
      {R"({"keepratio":0.5})", "skim.keepratio"},
  };
  for (const auto& [skim, name] : kCases) {
    const std::string body = "{\"skim\":" + std::string(skim) + "}";
    const auto fields = read_skim_fields(JsonView::of(body));
    ASSERT_FALSE(fields) << body;
    EXPECT_EQ(fields.error().status, Status::invalid);
    EXPECT_THAT(fields.error().message, HasSubstr(name));
  }
}

}  // namespace
}  // namespace skimfill
