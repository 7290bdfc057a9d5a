#include "gateway/dialect/nulls.h"

#include <gtest/gtest.h>

#include <string_view>

namespace skimfill {
namespace {

struct Case {
  Dialect dialect;
  std::string_view body;
  std::string_view expected;
};

TEST(Nulls, AreTakenOutWhereTheyMeanTheDefault) {
  for (
      const Case& c : {
          Case{Dialect::chat, R"({"stop":null, "messages":[] , "tools":null})", R"({"messages":[]})"},
          Case{Dialect::completion, R"({"a":null,"b":null})", R"({})"},
          Case{Dialect::chat, R"({"messages":[{"role":"user","name":null,"content":null}],"n":1})",
               R"({"messages":[{"role":"user","content":null}],"n":1})"},
          Case{
              Dialect::chat,
              R"({"messages":[{"role":"assistant","content":null,"reasoning_content":null,"tool_calls":[{"id":null,"type":"function","function":{"name":"f","arguments":null}}]}]})",
              R"({"messages":[{"role":"assistant","content":null,"tool_calls":[{"type":"function","function":{"name":"f","arguments":null}}]}]})"},
          Case{
              Dialect::chat,
              R"({"tools":[{"type":"function","function":{"name":"f","description":null,"parameters":{"default":null}}}]})",
              R"({"tools":[{"type":"function","function":{"name":"f","parameters":{"default":null}}}]})"},
          Case{Dialect::responses, R"({"tools":null,"input":[{"status":null,"role":"user","content":"q"}]})",
               R"({"input":[{"role":"user","content":"q"}]})"},
          Case{Dialect::messages,
               R"({"tools":[{"name":"f","input_schema":{"enum":[null]},"description":null}]})",
               R"({"tools":[{"name":"f","input_schema":{"enum":[null]}}]})"},
      }) {
    EXPECT_EQ(without_nulls(c.dialect, std::string(c.body)), c.expected);
  }
}

TEST(Nulls, AllOtherBytesStay) {
  for (const std::string_view body :
       {R"({ "temperature" : 0.70 , "messages":[{"role":"user","content":"null"}]})",
        R"({"prompt":[null],"metadata":{"a":null},"prompt_null":"null"})", R"({"input":"null"})", R"([null])",
        "null"}) {
    for (const Dialect dialect :
         {Dialect::chat, Dialect::completion, Dialect::messages, Dialect::responses}) {
      EXPECT_EQ(without_nulls(dialect, std::string(body)), body);
    }
  }
}

}  // namespace
}  // namespace skimfill
