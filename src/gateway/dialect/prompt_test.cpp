#include "gateway/dialect/prompt.h"

#include <gmock/gmock.h>

#include "gateway/dialect/skim_fields.h"

namespace skimfill {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kChat = R"({"model":"m","messages":[
  {"role":"system","content":"S1"},
  {"role":"user","content":[{"type":"text","text":"alpha"},{"type":"image_url","image_url":{"url":"x"}},{"type":"text","text":"b\u00e9ta"}]},
  {"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]},
  {"role":"tool","tool_call_id":"c1","content":"T"},
  {"role":"developer","content":"D"},
  {"role":"wizard","content":"W"},
  {"role":"user","content":"u2"}],"stream":true,"temperature":0.70})";

Prompt read(Dialect dialect, std::string_view body) { return read_prompt(dialect, JsonView::of(body)); }

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

TEST(Chat, AnyShapeCanBeRead) {
  for (const Dialect dialect : {Dialect::chat, Dialect::completion, Dialect::messages, Dialect::responses}) {
    for (
        const char* body :
        {"{}", "[]", "5", R"({"messages":"hi","input":5,"prompt":null,"system":[1],"instructions":{}})",
         R"({"messages":[1,{},{"role":5,"content":[1,{"type":5},{"type":"text","text":5}]}],"stream":"yes"})",
         R"({"input":[1,{},{"type":"function_call_output"},{"role":"user","content":null}]})"}) {
      const Prompt prompt = read(dialect, body);
      EXPECT_THAT(prompt.texts, IsEmpty()) << body;
      EXPECT_FALSE(prompt.stream) << body;
    }
  }
}

// Role, message, part, subpart and text of each passage, in order.
std::vector<std::string> outline(const Prompt& prompt) {
  constexpr std::string_view kRoles[] = {"system", "user", "assistant", "tool"};
  const auto number = [](std::optional<std::int64_t> n) { return n ? std::to_string(*n) : "-"; };
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < prompt.texts.size(); ++i) {
    const Passage& passage = prompt.passages[i];
    lines.push_back(std::string(kRoles[static_cast<std::size_t>(passage.role)]) + ' ' +
                    std::to_string(passage.message) + ' ' + number(prompt.parts[i]) + ' ' +
                    number(prompt.subparts[i]) + ' ' + prompt.texts[i]);
  }
  return lines;
}

TEST(Chat, EveryPartOfALegalListIsReadInOrder) {
  constexpr std::string_view kBody = R"({"messages":[{"role":"system","content":"S1"},
    {"role":"user","content":[{"type":"text","text":"alpha OSPREY-1"},{"type":"text","text":"beta OSPREY-2"}]},
    {"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]},
    {"role":"tool","tool_call_id":"c1","content":[{"type":"text","text":"OSPREY-3"},{"type":"text","text":"OSPREY-4"}]},
    {"role":"system","content":"S2"},{"role":"developer","content":"D"},{"role":"user","content":"u1"},
    {"role":"user","content":"u2"},{"role":"assistant","content":""}]})";
  EXPECT_THAT(outline(read(Dialect::chat, kBody)),
              ElementsAre("system 0 - - S1", "user 1 0 - alpha OSPREY-1", "user 1 1 - beta OSPREY-2",
                          "tool 3 0 - OSPREY-3", "tool 3 1 - OSPREY-4", "system 4 - - S2", "system 5 - - D",
                          "user 6 - - u1", "user 7 - - u2", "assistant 8 - - "));
}

constexpr std::string_view kMessages =
    R"({"max_tokens":9,"system":[{"type":"text","text":"S","cache_control":{}}],
  "messages":[{"role":"user","content":[{"type":"text","text":"alpha OSPREY-1"},{"type":"image","source":{}},{"type":"text","text":"OSPREY-2"}]},
  {"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"x"},{"type":"text","text":"a"},{"type":"tool_use","id":"t","name":"f","input":{"text":"no"}}]},
  {"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"OSPREY-3"},
    {"type":"tool_result","tool_use_id":"u","content":[{"type":"image","source":{}},{"type":"text","text":"OSPREY-4"},{"type":"text","text":"z"}]},
    {"type":"tool_result","tool_use_id":"v"},{"type":"document","source":{"type":"text","data":"d"}},{"type":"text","text":"q"}]},
  {"role":"assistant","content":"so"}],"stream":true})";

TEST(Messages, BlocksArePassagesOfTheirOwnRoles) {
  const Prompt prompt = read(Dialect::messages, kMessages);
  EXPECT_THAT(outline(prompt),
              ElementsAre("system -1 0 - S", "user 0 0 - alpha OSPREY-1", "user 0 2 - OSPREY-2",
                          "assistant 1 1 - a", "tool 2 0 - OSPREY-3", "tool 2 1 1 OSPREY-4", "tool 2 1 2 z",
                          "user 2 4 - q", "assistant 3 - - so"));
  EXPECT_TRUE(prompt.stream);
}

TEST(Messages, ATextInAToolResultIsReplacedInPlace) {
  const Prompt prompt = read(Dialect::messages, kMessages);
  std::vector<std::string> texts = prompt.texts;
  texts[5] = "kept";
  std::string expected(kMessages);
  expected.replace(expected.find("OSPREY-4"), 8, "kept");
  EXPECT_EQ(with_texts(kMessages, prompt, texts), expected);
}

TEST(Messages, TheSystemMayBeAString) {
  EXPECT_THAT(
      outline(read(Dialect::messages, R"({"system":"S","messages":[{"role":"user","content":"u"}]})")),
      ElementsAre("system -1 - - S", "user 0 - - u"));
}

TEST(Responses, AStringIsTheUsersOnlyMessage) {
  EXPECT_THAT(outline(read(Dialect::responses, R"({"instructions":"I","input":"q"})")),
              ElementsAre("system -1 - - I", "user 0 - - q"));
}

TEST(Responses, ItemsArePassagesOfTheirOwnRoles) {
  constexpr std::string_view kBody = R"({"input":[{"role":"developer","content":"D"},
    {"type":"message","role":"user","content":[{"type":"input_text","text":"a"},{"type":"input_image","image_url":"x"},{"type":"input_text","text":"b"}]},
    {"type":"reasoning","summary":[],"content":[{"type":"reasoning_text","text":"hm"}]},
    {"type":"function_call","call_id":"c","name":"f","arguments":"{}"},
    {"type":"function_call_output","call_id":"c","output":"o"},
    {"type":"function_call_output","call_id":"d","output":[{"type":"input_text","text":"p"}]},
    {"type":"message","role":"assistant","content":[{"type":"output_text","text":"r"},{"type":"refusal","refusal":"no"}]},
    {"type":"web_search_call","content":"w"},{"role":"user","content":"q"}]})";
  EXPECT_THAT(outline(read(Dialect::responses, kBody)),
              ElementsAre("system 0 - - D", "user 1 0 - a", "user 1 2 - b", "tool 4 - - o", "tool 5 0 - p",
                          "assistant 6 0 - r", "user 8 - - q"));
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
