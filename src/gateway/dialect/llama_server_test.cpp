#include "gateway/dialect/llama_server.h"

#include <gmock/gmock.h>

#include <boost/json.hpp>

#include "gateway/json/json_edit.h"

namespace skimfill {
namespace {

namespace json = boost::json;

std::string chat_with_arguments(const std::string& arguments) {
  return R"({"messages":[{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"f","arguments":)" +
         quote_json(arguments) + R"(}}]}],"temperature":0.70})";
}

std::string arguments_of(const std::string& body) {
  const json::value value = json::parse(body);
  const json::value& call = value.at("messages").at(0).at("tool_calls").at(0);
  return std::string(call.at("function").at("arguments").as_string());
}

TEST(ForLlamaServer, ArgumentsThatAreJsonStay) {
  for (const std::string arguments : {"{}", R"({"a": 1.50})", "null", "[1]", "\"text\""}) {
    const std::string body = chat_with_arguments(arguments);
    EXPECT_EQ(for_llama_server(Dialect::chat, body), body);
  }
}

TEST(ForLlamaServer, ArgumentsThatWereCutShortBecomeAnObjectWithTheirText) {
  for (const std::string& arguments : {std::string("{"), std::string("{'a':1}"),
                                       std::string(R"({"path": "C:\)"), std::string(300'000, 'x')}) {
    const std::string sent = for_llama_server(Dialect::chat, chat_with_arguments(arguments));
    EXPECT_EQ(json::parse(arguments_of(sent)).at("arguments").as_string(), arguments);
    EXPECT_TRUE(sent.ends_with(R"("temperature":0.70})"));
  }
  EXPECT_EQ(arguments_of(for_llama_server(Dialect::chat, chat_with_arguments(""))), "{}");
}

TEST(ForLlamaServer, ArgumentsInResponsesToo) {
  const std::string sent = for_llama_server(
      Dialect::responses, R"({"input":[{"type":"function_call","call_id":"c","name":"f","arguments":"{"}]})");
  const json::value value = json::parse(sent);
  EXPECT_EQ(value.at("input").at(0).at("arguments"), R"({"arguments":"{"})");
}

TEST(ForLlamaServer, AToolChosenByNameIsTheOnlyOne) {
  const std::string chat = for_llama_server(
      Dialect::chat,
      R"({"tools":[{"type":"function","function":{"name":"f"}},{"type":"function","function":{"name":"g"}}],)"
      R"("tool_choice":{"type":"function","function":{"name":"g"}}})");
  EXPECT_EQ(chat, R"({"tools":[{"type":"function","function":{"name":"g"}}],"tool_choice":"required"})");
  const std::string responses = for_llama_server(
      Dialect::responses,
      R"({"tool_choice":{"type":"function","name":"f"},"tools":[{"name":"f"},{"name":"g"}]})");
  EXPECT_EQ(responses, R"({"tool_choice":"required","tools":[{"name":"f"}]})");
  const std::string messages = for_llama_server(
      Dialect::messages, R"({"tool_choice":{"type":"tool","name":"f"},"tools":[{"name":"f"},{"name":"g"}]})");
  EXPECT_EQ(messages, R"({"tool_choice":{"type":"any"},"tools":[{"name":"f"}]})");
}

TEST(ForLlamaServer, NoToolMeansNoTools) {
  EXPECT_EQ(for_llama_server(Dialect::messages,
                             R"({"max_tokens":5,"tools":[{"name":"f"}],"tool_choice":{"type":"none"}})"),
            R"({"max_tokens":5})");
}

TEST(ForLlamaServer, OtherChoicesStay) {
  for (const std::string body :
       {R"({"tools":[{"name":"f"}],"tool_choice":"none"})",
        R"({"tools":[{"name":"f"}],"tool_choice":{"type":"any"}})", R"({"tool_choice":{"type":"auto"}})",
        R"({"messages":[{"role":"user","content":null}]})"}) {
    EXPECT_EQ(for_llama_server(Dialect::messages, body), body);
  }
}

}  // namespace
}  // namespace skimfill
