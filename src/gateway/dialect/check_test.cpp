#include "gateway/dialect/check.h"

#include <gmock/gmock.h>

#include <string>
#include <utility>

namespace skimfill {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr Task kChat = {Dialect::chat, Task::Kind::generate};
constexpr Task kCompletion = {Dialect::completion, Task::Kind::generate};
constexpr Task kMessages = {Dialect::messages, Task::Kind::generate};
constexpr Task kResponses = {Dialect::responses, Task::Kind::generate};

std::string complaint(const Task& task, std::string_view body, const BodyLimits& limits = {}) {
  EXPECT_TRUE(check_json(body)) << body;
  const Result<void> checked = check_body(task, JsonView::of(body), limits);
  if (checked) return "accepted";
  EXPECT_EQ(checked.error().status, Status::invalid) << body;
  return checked.error().message;
}

// What is always there, and one member more.
std::string with_member(const Task& task, std::string_view member) {
  std::string body;
  switch (task.dialect) {
    case Dialect::completion:
      body = R"({"prompt":"hi",)";
      break;
    case Dialect::responses:
      body = R"({"input":"hi",)";
      break;
    default:
      body = R"({"messages":[{"role":"user","content":"hi"}],)";
  }
  return body.append(member) + '}';
}

std::string nested(std::size_t levels, char open, char close) {
  return std::string(levels, open) + std::string(levels, close);
}

struct FieldCase {
  std::string_view name;
  std::string_view value;
};

constexpr FieldCase kWrongFields[] = {
    {"stream", "\"yes\""},    {"stream", "1"},           {"temperature", "-1"},   {"temperature", "\"0.7\""},
    {"temperature", "1e999"}, {"temperature", "-1e999"}, {"temperature", "1e39"}, {"temperature", "true"},
    {"temperature", "[]"},    {"top_p", "-0.1"},         {"top_p", "1.0001"},     {"top_k", "-2"},
    {"top_k", "2147483648"},  {"top_k", "0.5"},
};

constexpr FieldCase kWrongOpenAiFields[] = {
    {"stream_options", "true"},
    {"stream_options", "{\"include_usage\":1}"},
    {"response_format", "{\"type\":5}"},
    {"min_p", "2"},
    {"min_p", "1e999"},
    {"frequency_penalty", "1e9"},
    {"presence_penalty", "1e9"},
    {"repeat_penalty", "0"},
    {"repeat_penalty", "1e9"},
    {"seed", "-2"},
    {"seed", "4294967296"},
    {"seed", "18446744073709551616"},
    {"max_tokens", "-2"},
    {"max_tokens", "2147483648"},
    {"max_tokens", "9223372036854775808"},
    {"max_tokens", "1e18"},
    {"max_tokens", "2.5"},
    {"max_tokens", "true"},
    {"max_tokens", "\"5\""},
    {"max_completion_tokens", "2.5"},
    {"max_output_tokens", "2147483648"},
    {"n_predict", "-2"},
    {"n_predict", "4294967301"},
    {"n", "0"},
    {"n", "true"},
    {"n", "2.5"},
    {"n_cmpl", "0"},
    {"n_keep", "-2"},
    {"n_probs", "-1"},
    {"n_probs", "1e10"},
    {"logprobs", "-1"},
    {"logprobs", "\"yes\""},
    {"top_logprobs", "-1"},
    {"top_logprobs", "true"},
    {"id_slot", "1.5"},
    {"mirostat", "3"},
    {"t_max_predict_ms", "1e300"},
    {"stop", "\"\""},
    {"stop", "[\"a\",\"\"]"},
    {"stop", "[1]"},
    {"stop", "{}"},
    {"response_format", "\"json_object\""},
    {"parallel_tool_calls", "\"no\""},
    {"reasoning_effort", "3"},
    {"reasoning_format", "{}"},
    {"chat_template_kwargs", "\"x\""},
    {"grammar", "{}"},
    {"model", "5"},
};

constexpr FieldCase kWrongAnthropicFields[] = {
    {"max_tokens", "-1"},
    {"max_tokens", "2147483648"},
    {"max_tokens", "1e18"},
    {"max_tokens", "2.5"},
    {"max_tokens", "true"},
    {"max_tokens", "\"5\""},
    {"stop_sequences", "[\"\"]"},
    {"stop_sequences", "[null]"},
    {"thinking", "\"enabled\""},
    {"thinking", "{\"budget_tokens\":2.5}"},
    {"thinking", "{\"budget_tokens\":4294967297}"},
    {"metadata", "\"u\""},
};

// As the child's own test-suite and common clients send them.
constexpr FieldCase kLegalFields[] = {
    {"stream", "false"},
    {"temperature", "0"},
    {"temperature", "1e-5"},
    {"temperature", "1e30"},
    {"top_p", "0"},
    {"top_p", "1"},
    {"top_k", "0"},
    {"top_k", "-1"},
    {"top_k", "40.0"},
    {"max_tokens", "0"},
    {"max_tokens", "1"},
    {"max_tokens", "2147483647"},
    {"an_unknown_field", "[1e999,{\"temperature\":\"hot\"}]"},
};

constexpr FieldCase kLegalOpenAiFields[] = {
    {"max_tokens", "-1"},
    {"n_predict", "-1"},
    {"seed", "-1"},
    {"seed", "4294967295"},
    {"min_p", "0.05"},
    {"frequency_penalty", "0"},
    {"presence_penalty", "-2"},
    {"repeat_penalty", "1.1"},
    {"n", "2"},
    {"id_slot", "-1"},
    {"logprobs", "true"},
    {"logprobs", "5"},
    {"top_logprobs", "10"},
    {"n_probs", "10"},
    {"stop", "[]"},
    {"stop", "\"x\""},
    {"stop", "[\"a\",\" \"]"},
    {"stream_options", "{\"include_usage\":true}"},
    {"logit_bias", "[[1,-100],[\"a\",false]]"},
    {"logit_bias", "{\"1\":-100}"},
    {"response_format", "{\"type\":\"sound\"}"},
    {"samplers", "\"tkp\""},
    {"response_fields", "[\"content\"]"},
    {"continue_final_message", "true"},
    {"grammar", "\"root ::= (\\\"a\\\")\""},
    {"lora", "[{\"id\":0,\"scale\":0.5}]"},
};

constexpr FieldCase kLegalAnthropicFields[] = {
    {"stop_sequences", "[\"\\n\",\"END\"]"}, {"thinking", "{\"type\":\"enabled\",\"budget_tokens\":50}"},
    {"thinking", "{\"type\":\"disabled\"}"}, {"metadata", "{\"user_id\":\"u\"}"},
    {"seed", "\"not a field of this API\""},
};

std::string with_field(const Task& task, const FieldCase& field) {
  return with_member(task, '"' + std::string(field.name) + "\":" + std::string(field.value));
}

void expect_named(const Task& task, const FieldCase& field) {
  EXPECT_THAT(complaint(task, with_field(task, field)), StartsWith(std::string(field.name)))
      << name_of(task.dialect) << ' ' << field.value;
}

void expect_accepted(const Task& task, const FieldCase& field) {
  EXPECT_EQ(complaint(task, with_field(task, field)), "accepted") << name_of(task.dialect);
}

TEST(Fields, WrongValuesAreNamedInEveryDialect) {
  for (const Task& task : {kChat, kCompletion, kResponses}) {
    for (const FieldCase& field : kWrongFields) expect_named(task, field);
    for (const FieldCase& field : kWrongOpenAiFields) expect_named(task, field);
  }
  for (const FieldCase& field : kWrongFields) expect_named(kMessages, field);
  for (const FieldCase& field : kWrongAnthropicFields) expect_named(kMessages, field);
}

TEST(Fields, LegalValuesAreAcceptedInEveryDialect) {
  for (const Task& task : {kChat, kCompletion, kResponses, kMessages}) {
    for (const FieldCase& field : kLegalFields) expect_accepted(task, field);
  }
  for (const Task& task : {kChat, kCompletion, kResponses}) {
    for (const FieldCase& field : kLegalOpenAiFields) expect_accepted(task, field);
  }
  for (const FieldCase& field : kLegalAnthropicFields) expect_accepted(kMessages, field);
}

TEST(Fields, NullMeansTheDefaultForEveryOne) {
  for (const Task& task : {kChat, kCompletion, kResponses, kMessages}) {
    for (const FieldCase& field : kWrongFields) expect_accepted(task, {field.name, "null"});
    for (const FieldCase& field : kWrongOpenAiFields) expect_accepted(task, {field.name, "null"});
    for (const FieldCase& field : kWrongAnthropicFields) expect_accepted(task, {field.name, "null"});
    for (const std::string_view name : {"tools", "tool_choice", "system", "instructions"}) {
      expect_accepted(task, {name, "null"});
    }
  }
}

TEST(Fields, TheComplaintTellsTheRange) {
  EXPECT_EQ(complaint(kChat, with_member(kChat, R"("top_p":2)")), "top_p: expected a number from 0 to 1");
  EXPECT_EQ(complaint(kChat, with_member(kChat, R"("max_tokens":2.5)")),
            "max_tokens: expected a whole number from -1 to 2147483647");
  EXPECT_EQ(complaint(kChat, with_member(kChat, R"("temperature":-1)")),
            "temperature: expected a number of at least 0, within 32-bit floating point");
}

TEST(Fields, EachValueOfARepeatedNameIsChecked) {
  EXPECT_EQ(complaint(kChat, with_member(kChat, R"("stream":true,"stream":false)")), "accepted");
  EXPECT_THAT(complaint(kChat, with_member(kChat, R"("stream":"yes","stream":false)")),
              StartsWith("stream:"));
}

TEST(Recursion, BracketsAndRulesOfAGrammarAreBounded) {
  const auto with_grammar = [](std::string_view grammar) {
    return with_member(kChat, "\"grammar\":\"root ::= " + std::string(grammar) + "\"");
  };
  EXPECT_EQ(complaint(kChat, with_grammar(nested(1000, '(', ')'))), "accepted");
  EXPECT_THAT(complaint(kChat, with_grammar(nested(1001, '(', ')'))), StartsWith("grammar:"));
  EXPECT_EQ(complaint(kChat, with_grammar(std::string(250'000, 'a'))), "accepted");
  EXPECT_THAT(complaint(kChat, with_grammar(std::string(270'000, 'a'))), StartsWith("grammar:"));
}

// Definitions of which each refers to the next one.
std::string chained_schema(int references, std::string_view ref = "$ref") {
  std::string schema = R"({"$defs":{)";
  for (int i = 0; i < references; ++i) {
    schema += '"' + std::to_string(i) + R"(":{")" + std::string(ref) + R"(":"#/$defs/)" +
              std::to_string(i + 1) + R"("},)";
  }
  return schema + '"' + std::to_string(references) + R"(":{"const":"$ref"}}})";
}

TEST(Recursion, ChainsOfReferencesAreBounded) {
  struct Holder {
    Task task;
    std::string_view before;
    std::string_view after;
    std::string_view place;
  };
  for (const Holder& h : std::initializer_list<Holder>{
           {kCompletion, R"("json_schema":)", "", "json_schema:"},
           {kChat, R"("response_format":{"type":"json_schema","json_schema":{"schema":)", "}}",
            "response_format:"},
           {kChat, R"("tools":[{"type":"function","function":{"name":"f","parameters":)", "}}]", "tools[0]:"},
           {kMessages, R"("tools":[{"name":"f","input_schema":)", "}]", "tools[0]:"},
           {kResponses, R"("text":{"format":{"schema":)", "}}", "text:"}}) {
    const auto body = [&](const std::string& schema) {
      return with_member(h.task, std::string(h.before) + schema + std::string(h.after));
    };
    EXPECT_EQ(complaint(h.task, body(chained_schema(500))), "accepted") << h.place;
    EXPECT_THAT(complaint(h.task, body(chained_schema(3000))), StartsWith(std::string(h.place)));
    EXPECT_THAT(complaint(h.task, body(chained_schema(3000, R"(\u0024r\u0065f)"))),
                StartsWith(std::string(h.place)));
    EXPECT_EQ(complaint(h.task, body(chained_schema(3000, "$comment"))), "accepted") << h.place;
  }
}

struct ShapeCase {
  std::string_view body;
  std::string_view complaint;  // how it begins
};

void expect_all(const Task& task, std::initializer_list<ShapeCase> cases) {
  for (const auto& [body, expected] : cases) {
    EXPECT_THAT(complaint(task, body), StartsWith(std::string(expected))) << body;
  }
}

TEST(Shapes, ABodyIsAnObject) {
  for (const Task& task : {kChat, kCompletion, kMessages, kResponses}) {
    for (const char* body : {"[]", "5", "\"x\"", "null", "true"}) {
      EXPECT_THAT(complaint(task, body), HasSubstr("object")) << body;
    }
  }
}

TEST(Shapes, OfOtherWorkOnlyTheFieldsAreChecked) {
  constexpr Task kCompute = {Dialect::other, Task::Kind::compute};
  EXPECT_EQ(complaint(kCompute, R"({"input":[["a"]],"messages":5,"tools":"x","n_predict":3})"), "accepted");
  EXPECT_THAT(complaint(kCompute, R"({"n_predict":2.5})"), StartsWith("n_predict:"));
}

TEST(Shapes, ACountIsCheckedLikeAGeneration) {
  EXPECT_THAT(complaint({Dialect::chat, Task::Kind::count}, "{}"), StartsWith("messages:"));
  EXPECT_THAT(complaint({Dialect::responses, Task::Kind::count}, "{}"), StartsWith("input:"));
}

TEST(Shapes, WrongChatMessagesAreNamed) {
  expect_all(
      kChat,
      {{R"({})", "messages:"},
       {R"({"messages":null})", "messages:"},
       {R"({"messages":[]})", "messages:"},
       {R"({"messages":"hi"})", "messages:"},
       {R"({"messages":{}})", "messages:"},
       {R"({"messages":[1]})", "messages[0]:"},
       {R"({"messages":[{}]})", "messages[0].role:"},
       {R"({"messages":[{"role":5,"content":"x"}]})", "messages[0].role:"},
       {R"({"messages":[{"role":"user"}]})", "messages[0].content:"},
       {R"({"messages":[{"role":"assistant"}]})", "messages[0].content:"},
       {R"({"messages":[{"role":"system","content":123}]})", "messages[0].content:"},
       {R"({"messages":[{"role":"user","content":{}}]})", "messages[0].content:"},
       {R"({"messages":[{"role":"user","content":"x"},{"role":"user","content":["x"]}]})",
        "messages[1].content[0]:"},
       {R"({"messages":[{"role":"user","content":[{"text":"x"}]}]})", "messages[0].content[0].type:"},
       {R"({"messages":[{"role":"user","content":[{"type":"text"}]}]})", "messages[0].content[0].text:"},
       {R"({"messages":[{"role":"user","content":[{"type":"text","text":null}]}]})",
        "messages[0].content[0].text:"},
       {R"({"messages":[{"role":"user","content":"x","name":5}]})", "messages[0].name:"},
       {R"({"messages":[{"role":"tool","content":"x","tool_call_id":5}]})", "messages[0].tool_call_id:"}});
}

TEST(Shapes, WrongToolCallsAreNamed) {
  const auto with_calls = [](std::string_view calls) {
    return R"({"messages":[{"role":"assistant","content":null,"tool_calls":)" + std::string(calls) + "}]}";
  };
  const std::string place = "messages[0].tool_calls";
  for (const auto& [calls, expected] : std::initializer_list<ShapeCase>{
           {"{}", ":"},
           {"[1]", "[0]:"},
           {"[{}]", "[0].type:"},
           {R"([{"type":"function","id":5,"function":{"name":"f","arguments":""}}])", "[0].id:"},
           {R"([{"type":"function"}])", "[0].function:"},
           {R"([{"type":"function","function":{"arguments":""}}])", "[0].function.name:"},
           {R"([{"type":"function","function":{"name":"f"}}])", "[0].function.arguments:"}}) {
    EXPECT_THAT(complaint(kChat, with_calls(calls)), StartsWith(place + std::string(expected))) << calls;
  }
}

TEST(Shapes, ArgumentsMayBeAnythingThatIsNotTooDeep) {
  const auto with_arguments = [](std::string_view arguments) {
    return R"({"messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function",)"
           R"("function":{"name":"f","arguments":)" +
           std::string(arguments) + "}}]}]}";
  };
  const std::string long_text = '"' + std::string(300'000, 'x') + '"';
  for (const std::string_view arguments : std::initializer_list<std::string_view>{
           R"("{")", R"("")", R"("null")", R"("[1]")", R"("{'a':1}")", R"({"a":1})", "null", long_text}) {
    EXPECT_EQ(complaint(kChat, with_arguments(arguments)), "accepted") << arguments.substr(0, 20);
  }
  const auto deep = [&](std::size_t levels) { return with_arguments('"' + nested(levels, '[', ']') + '"'); };
  EXPECT_EQ(complaint(kChat, deep(128)), "accepted");
  EXPECT_THAT(complaint(kChat, deep(129)), StartsWith("messages[0].tool_calls[0].function.arguments:"));
}

TEST(Shapes, LegalChatMessagesAreAccepted) {
  for (
      const char* body :
      {R"({"messages":[{"role":"system","content":"S1"},{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},
            {"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]},
            {"role":"tool","tool_call_id":"c1","content":[{"type":"text","text":"c"}]},{"role":"system","content":"S2"},
            {"role":"developer","content":"D"},{"role":"user","content":"u1"},{"role":"user","content":"u2"},
            {"role":"assistant","content":""}]})",
       R"({"messages":[{"role":"wizard","content":"x"}]})",
       R"({"messages":[{"role":"user","content":null}]})", R"({"messages":[{"role":"user","content":[]}]})",
       R"({"messages":[{"role":"assistant","tool_calls":[{"type":"function","id":"c","function":{"name":"f","arguments":"{}"}}]}]})",
       R"({"messages":[{"role":"assistant","content":"x","tool_calls":null,"name":null,"refusal":null,"reasoning_content":null}]})",
       R"({"messages":[{"role":"tool","tool_call_id":"of no call","content":"x"}]})",
       R"({"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AA"}}]}]})"}) {
    EXPECT_EQ(complaint(kChat, body), "accepted") << body;
  }
}

TEST(Shapes, WrongToolsAreNamed) {
  const auto complain = [](const Task& task, std::string_view member) {
    return complaint(task, with_member(task, member));
  };
  EXPECT_THAT(complain(kChat, R"("tools":"x")"), StartsWith("tools:"));
  EXPECT_THAT(complain(kChat, R"("tools":[1])"), StartsWith("tools[0]:"));
  EXPECT_THAT(complain(kChat, R"("tools":[{}])"), StartsWith("tools[0].type:"));
  EXPECT_THAT(complain(kChat, R"("tools":[{"type":"function"}])"), StartsWith("tools[0].function:"));
  EXPECT_THAT(complain(kChat, R"("tools":[{"type":"function","function":{}}])"),
              StartsWith("tools[0].function.name:"));
  EXPECT_THAT(complain(kResponses, R"("tools":[{"type":"function"}])"), StartsWith("tools[0].name:"));
  EXPECT_THAT(complain(kMessages, R"("tools":[{"input_schema":{}}])"), StartsWith("tools[0].name:"));
  EXPECT_EQ(complain(kChat, R"("tools":[])"), "accepted");
  EXPECT_EQ(complain(kResponses, R"("tools":[{"type":"web_search"}])"), "accepted");
}

TEST(Shapes, AChosenToolMustBeThere) {
  struct Choice {
    Task task;
    std::string_view tools;
    std::string_view choice;
    std::string_view complaint;
  };
  constexpr std::string_view kChatTools = R"([{"type":"function","function":{"name":"clock"}}])";
  constexpr std::string_view kFlatTools = R"([{"type":"function","name":"clock"}])";
  for (const Choice& c : std::initializer_list<Choice>{
           {kChat, kChatTools, R"("none")", "accepted"},
           {kChat, kChatTools, R"("required")", "accepted"},
           {kChat, "null", R"("auto")", "accepted"},
           {kChat, kChatTools, R"("sometimes")", "tool_choice:"},
           {kChat, kChatTools, R"(true)", "tool_choice:"},
           {kChat, kChatTools, R"({"type":"function","function":{"name":"clock"}})", "accepted"},
           {kChat, kChatTools, R"({"type":"function","function":{"name":"watch"}})",
            "tool_choice.function.name:"},
           {kChat, "[]", R"({"type":"function","function":{"name":"clock"}})", "tool_choice.function.name:"},
           {kChat, kChatTools, R"({"type":"function"})", "tool_choice.function.name:"},
           {kChat, kChatTools, R"({"name":"clock"})", "tool_choice.type:"},
           {kResponses, kFlatTools, R"({"type":"function","name":"clock"})", "accepted"},
           {kResponses, kFlatTools, R"({"type":"function","name":"watch"})", "tool_choice.name:"},
           {kMessages, kFlatTools, R"({"type":"any"})", "accepted"},
           {kMessages, kFlatTools, R"({"type":"tool","name":"clock"})", "accepted"},
           {kMessages, kFlatTools, R"({"type":"tool","name":"watch"})", "tool_choice.name:"},
           {kMessages, kFlatTools, R"({"type":"sometimes"})", "tool_choice.type:"},
           {kMessages, kFlatTools, R"("auto")", "tool_choice:"}}) {
    const std::string member =
        "\"tool_choice\":" + std::string(c.choice) + ",\"tools\":" + std::string(c.tools);
    EXPECT_THAT(complaint(c.task, with_member(c.task, member)), StartsWith(std::string(c.complaint)))
        << member;
  }
}

TEST(Shapes, PromptsOfEveryKindAreAccepted) {
  for (const char* prompt :
       {R"("")", R"("a")", R"([1,2,3])", R"(["a","b"])", R"([[1,2],[3]])", R"([[1,2],"a"])", R"([1,2,"a",3])",
        R"([["a",1]])", R"({"prompt_string":"a"})", R"([[1],{"prompt_string":"a","multimodal_data":"x"}])"}) {
    EXPECT_EQ(complaint(kCompletion, R"({"prompt":)" + std::string(prompt) + "}"), "accepted") << prompt;
  }
}

TEST(Shapes, WrongPromptsAreNamed) {
  expect_all(kCompletion, {{R"({})", "prompt:"},
                           {R"({"prompt":null})", "prompt:"},
                           {R"({"prompt":5})", "prompt:"},
                           {R"({"prompt":[]})", "prompt:"},
                           {R"({"prompt":{"x":1}})", "prompt.prompt_string:"},
                           {R"({"prompt":{"prompt_string":5}})", "prompt.prompt_string:"},
                           {R"({"prompt":[1,2.5]})", "prompt[1]:"},
                           {R"({"prompt":[4294967301]})", "prompt[0]:"},
                           {R"({"prompt":[-1]})", "prompt[0]:"},
                           {R"({"prompt":["a",null]})", "prompt[1]:"},
                           {R"({"prompt":["a",[1,true]]})", "prompt[1][1]:"},
                           {R"({"prompt":[{"prompt_string":"a"},{}]})", "prompt[1].prompt_string:"}});
}

TEST(Shapes, WrongAnthropicMessagesAreNamed) {
  expect_all(
      kMessages,
      {{R"({"max_tokens":5})", "messages:"},
       {R"({"messages":"hi"})", "messages:"},
       {R"({"messages":[{"role":"user"}]})", "messages[0].content:"},
       {R"({"messages":[{"role":"user","content":5}]})", "messages[0].content:"},
       {R"({"messages":[{"role":"user","content":[{"type":"text"}]}]})", "messages[0].content[0].text:"},
       {R"({"messages":[{"role":"user","content":[{"type":"tool_use","input":{}}]}]})",
        "messages[0].content[0].name:"},
       {R"({"messages":[{"role":"user","content":[{"type":"tool_result","content":"x"}]}]})",
        "messages[0].content[0].tool_use_id:"},
       {R"({"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":5}]}]})",
        "messages[0].content[0].content:"},
       {R"({"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"text"}]}]}]})",
        "messages[0].content[0].content[0].text:"},
       {R"({"system":5,"messages":[]})", "system:"},
       {R"({"system":[{"type":"text"}],"messages":[]})", "system[0].text:"}});
}

TEST(Shapes, LegalAnthropicMessagesAreAccepted) {
  for (const char* body :
       {R"({"messages":[],"max_tokens":50})",
        R"({"system":"S","messages":[{"role":"user","content":"x"},{"role":"assistant"}]})",
        R"({"system":[{"type":"text","text":"S","cache_control":{"type":"ephemeral"}}],"max_tokens":9,
            "messages":[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"thinking","thinking":"hm"},{"type":"tool_use","id":"t","name":"f","input":{}}]},
            {"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"r"},{"type":"tool_result","tool_use_id":"u","is_error":true,"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},
            {"type":"tool_result","tool_use_id":"v"},{"type":"image","source":{"type":"url","url":"x"}},{"type":"search_result"}]}]})"}) {
    EXPECT_EQ(complaint(kMessages, body), "accepted") << body;
  }
}

TEST(Shapes, WrongItemsAreNamed) {
  expect_all(
      kResponses,
      {{R"({})", "input:"},
       {R"({"input":null})", "input:"},
       {R"({"input":5})", "input:"},
       {R"({"input":[]})", "input:"},
       {R"({"input":"x","instructions":["y"]})", "instructions:"},
       {R"({"input":[1]})", "input[0]:"},
       {R"({"input":[{"type":5}]})", "input[0].type:"},
       {R"({"input":[{}]})", "input[0].role:"},
       {R"({"input":[{"role":"user"}]})", "input[0].content:"},
       {R"({"input":[{"role":"user","content":[{"type":"input_text"}]}]})", "input[0].content[0].text:"},
       {R"({"input":[{"type":"function_call","name":"f","arguments":"{}"}]})", "input[0].call_id:"},
       {R"({"input":[{"type":"function_call","call_id":"c","arguments":"{}"}]})", "input[0].name:"},
       {R"({"input":[{"type":"function_call","call_id":"c","name":"f"}]})", "input[0].arguments:"},
       {R"({"input":[{"type":"function_call_output","call_id":"c"}]})", "input[0].output:"},
       {R"({"input":[{"type":"function_call_output","call_id":"c","output":[1]}]})", "input[0].output[0]:"}});
}

TEST(Shapes, LegalItemsAreAccepted) {
  for (
      const char* body :
      {R"({"input":"x","instructions":null})",
       R"({"input":[{"role":"system","content":"S"},{"type":"message","role":"user","content":[{"type":"input_text","text":"x"},{"type":"input_image","image_url":"y"}]},
            {"type":"reasoning","id":"r","summary":[],"content":[]},{"type":"function_call","call_id":"c","name":"f","arguments":"{"},
            {"type":"function_call_output","call_id":"c","output":"o"},{"type":"function_call_output","call_id":"c","output":[{"type":"input_text","text":"o"}]},
            {"type":"item_reference","id":"x"},{"role":"user","content":"q"}]})"}) {
    EXPECT_EQ(complaint(kResponses, body), "accepted") << body;
  }
}

TEST(Shapes, MessagesAndPartsCountAgainstOneLimit) {
  const BodyLimits limits{.max_messages = 3};
  const auto body = [](std::string_view list) { return R"({"messages":[)" + std::string(list) + "]}"; };
  constexpr std::string_view kMessage = R"({"role":"user","content":"x"})";
  constexpr std::string_view kParts =
      R"({"role":"user","content":[{"type":"text","text":"x"},{"type":"text","text":"y"}]})";
  const std::string three =
      body(std::string(kMessage) + ',' + std::string(kMessage) + ',' + std::string(kMessage));
  EXPECT_EQ(complaint(kChat, three, limits), "accepted");
  EXPECT_EQ(complaint(kMessages, body(kParts), limits), "accepted");
  EXPECT_THAT(complaint(kChat, body(std::string(kParts) + ',' + std::string(kMessage)), limits),
              AllOf(StartsWith("messages[1]:"), HasSubstr("3")));
  EXPECT_THAT(
      complaint(kChat, body(std::string(kMessage) + ',' + std::string(kMessage) + ',' + std::string(kParts)),
                limits),
      StartsWith("messages[2].content[0]:"));
}

TEST(Shapes, AllValuesCountAgainstOneLimit) {
  const BodyLimits limits{.max_values = 5};
  EXPECT_EQ(complaint(kCompletion, R"({"prompt":[1,2,3,4],"stream":true})", limits), "accepted");
  EXPECT_THAT(complaint(kCompletion, R"({"prompt":[1,2,3,4,5],"stream":true})", limits),
              HasSubstr("5 values"));
}

}  // namespace
}  // namespace skimfill
