#include "gateway/json/json_edit.h"

#include <gmock/gmock.h>

namespace skimfill {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Every oddity that a rewriting serialiser would lose: spacing, key order, number spellings, escapes.
constexpr std::string_view kOdd =
    "\xEF\xBB\xBF { \"b\" : 1e999 ,\"a\":[0.70, -0,12345678901234567890123] , \"s\\u0041\" : \"x\\\"]}\\\\\" "
    ","
    "\"o\":{ \"in\":{} , \"e\":[ ] }, \"t\":true,\"n\" : null }\n";

std::string text_of(std::string_view text, const JsonView& view) {
  return std::string(text.substr(view.range().begin, view.range().end - view.range().begin));
}

TEST(JsonEdit, FindsEveryMemberAtItsPlace) {
  ASSERT_TRUE(check_json(kOdd));
  std::vector<std::string> names;
  std::vector<std::string> values;
  for (const JsonMember& member : JsonView::of(kOdd).members()) {
    names.push_back(member.name);
    values.push_back(text_of(kOdd, member.value));
    EXPECT_EQ(kOdd[member.begin], '"');
  }
  EXPECT_THAT(names, ElementsAre("b", "a", "sA", "o", "t", "n"));
  EXPECT_THAT(values, ElementsAre("1e999", "[0.70, -0,12345678901234567890123]", R"("x\"]}\\")",
                                  R"({ "in":{} , "e":[ ] })", "true", "null"));
}

TEST(JsonEdit, ReplacingOneMemberLeavesAllOtherBytesAlone) {
  for (const JsonMember& member : JsonView::of(kOdd).members()) {
    JsonEdits edits(kOdd);
    edits.set_members(JsonView::of(kOdd), {{member.name, "[42]"}});
    std::string expected(kOdd);
    const ByteRange range = member.value.range();
    expected.replace(range.begin, range.end - range.begin, "[42]");
    EXPECT_EQ(edits.apply(), expected) << member.name;
  }
}

TEST(JsonEdit, RemovingOneMemberLeavesTheOthersAndTheirBytes) {
  for (const JsonMember& removed : JsonView::of(kOdd).members()) {
    const std::string text = without_member(std::string(kOdd), removed.name);
    ASSERT_TRUE(check_json(text)) << text;
    std::vector<std::string> left;
    for (const JsonMember& member : JsonView::of(text).members()) {
      left.push_back(member.name + text_of(text, member.value));
    }
    std::vector<std::string> expected;
    for (const JsonMember& member : JsonView::of(kOdd).members()) {
      if (member.name != removed.name) expected.push_back(member.name + text_of(kOdd, member.value));
    }
    EXPECT_EQ(left, expected);
  }
}

TEST(JsonEdit, RemovesAllDuplicatesWhereverTheyStand) {
  EXPECT_EQ(without_member(R"({"skim":1,"a":2,"skim":3,"skim":4})", "skim"), R"({"a":2})");
  EXPECT_EQ(without_member(R"({ "skim":1, "skim":4 })", "skim"), R"({  })");
  EXPECT_EQ(without_member(R"({"sk\u0069m":1,"a":2})", "skim"), R"({"a":2})");
  EXPECT_EQ(without_member(R"({"a":{"skim":1}})", "skim"), R"({"a":{"skim":1}})");
  EXPECT_EQ(without_member(R"(["skim"])", "skim"), R"(["skim"])");
}

TEST(JsonEdit, AddsMembersAtTheEndInOrder) {
  JsonEdits empty("{ }");
  empty.set_members(JsonView::of("{ }"), {{"a", "1"}, {"b", "2"}});
  EXPECT_EQ(empty.apply(), R"({"a":1,"b":2 })");

  constexpr std::string_view kText = R"({"o":{"x":1},"z":0 })";
  JsonEdits edits(kText);
  edits.set_members(JsonView::of(kText), {{"new", "[]"}, {"z", "9"}});
  edits.set_members(*JsonView::of(kText).find("o"), {{"y", "2"}});
  EXPECT_EQ(edits.apply(), R"({"o":{"x":1,"y":2},"z":9,"new":[] })");
}

TEST(JsonEdit, OfDuplicateKeysTheLastOneHolds) {
  constexpr std::string_view kText = R"({"stream":true,"stream":false})";
  EXPECT_EQ(JsonView::of(kText).find("stream")->bytes(), "false");
}

TEST(JsonEdit, DecodesStrings) {
  constexpr std::string_view kText = R"(["plain","\u00e9\n\"\\\/","\ud83d\ude00","",  "é😀"])";
  ASSERT_TRUE(check_json(kText));
  std::vector<std::string> strings;
  for (const JsonView& element : JsonView::of(kText).elements()) strings.push_back(element.as_string());
  EXPECT_THAT(strings, ElementsAre("plain", "é\n\"\\/", "😀", "", "é😀"));
}

TEST(JsonEdit, QuotedTextReadsBackAsItself) {
  std::string all;
  for (char c = 0; c < 127; ++c) all += c;
  all += "é漢😀\u2028";
  const std::string literal = quote_json(all);
  ASSERT_TRUE(check_json(literal)) << literal;
  EXPECT_EQ(JsonView::of(literal).as_string(), all);
}

TEST(JsonEdit, WholeNumbersOnlyAreIntegers) {
  const auto integer = [](std::string_view text) { return JsonView::of(text).as_integer(); };
  EXPECT_EQ(integer("12"), 12);
  EXPECT_EQ(integer("1e3"), 1000);
  EXPECT_EQ(integer("-9223372036854775808"), INT64_MIN);
  EXPECT_EQ(integer("9223372036854775808"), std::nullopt);
  EXPECT_EQ(integer("2.5"), std::nullopt);
  EXPECT_EQ(integer("1e999"), std::nullopt);
  EXPECT_EQ(integer("true"), std::nullopt);
  EXPECT_EQ(integer("\"5\""), std::nullopt);
}

TEST(JsonEdit, RefusesWhatIsNotOneWellFormedValue) {
  for (const char* text : {"", " ", "{", "{]", "[1,]", "{\"a\":1,}", "{} {}", "nul", "\"\\ud800\"",
                           "\"\xff\"", "\"a\nb\"", "01", "{\"a\" 1}", "{a:1}", "[1] x"}) {
    const Result<void> checked = check_json(text);
    ASSERT_FALSE(checked) << text;
    EXPECT_EQ(checked.error().status, Status::invalid);
    EXPECT_THAT(checked.error().message, HasSubstr("not well-formed JSON"));
  }
}

TEST(JsonEdit, DepthCountsBracketsOutsideStrings) {
  EXPECT_FALSE(is_deeper_than("[[]]", 2));
  EXPECT_TRUE(is_deeper_than("[[]]", 1));
  EXPECT_FALSE(is_deeper_than(R"({"a":"[[[[{{{{\"[[["})", 1));
  EXPECT_FALSE(is_deeper_than("[[],[],[[]]]", 3));
  const std::string deep(400'000, '[');
  EXPECT_TRUE(is_deeper_than(deep, 128));
  EXPECT_TRUE(is_deeper_than("\xEF\xBB\xBF" + deep, 128));
}

TEST(JsonEdit, BothDepthChecksAgree) {
  for (int depth = 1; depth < 20; ++depth) {
    const auto levels = static_cast<std::size_t>(depth);
    const std::string text = std::string(levels, '[') + std::string(levels, ']');
    EXPECT_EQ(check_json(text, 10).ok(), !is_deeper_than(text, 10)) << depth;
  }
}

TEST(JsonEdit, KnowsWhatLooksLikeJson) {
  EXPECT_TRUE(looks_like_json(" \n{"));
  EXPECT_TRUE(looks_like_json("\xEF\xBB\xBF["));
  EXPECT_FALSE(looks_like_json("--boundary"));
  EXPECT_FALSE(looks_like_json(""));
}

TEST(Json, ValuesAreCountedOutsideOfStrings) {
  EXPECT_FALSE(has_more_values_than(R"({"a":[1,2,3],"b":",,,,\",,"})", 4));
  EXPECT_TRUE(has_more_values_than(R"({"a":[1,2,3],"b":",,,,\",,"})", 3));
  EXPECT_FALSE(has_more_values_than("", 1));
  EXPECT_FALSE(has_more_values_than("\",,,", 1));
}

TEST(Json, StringsEndAtTheFirstQuoteThatIsNotEscaped) {
  EXPECT_EQ(JsonView::of(R"("a\\" )").bytes(), R"("a\\")");
  EXPECT_EQ(JsonView::of(R"("a\\\"b" )").bytes(), R"("a\\\"b")");
  EXPECT_EQ(JsonView::of(R"("" "")").bytes(), R"("")");
  const auto elements = JsonView::of(R"(["\\","\"",""])").elements();
  ASSERT_EQ(elements.size(), 3);
  EXPECT_EQ(elements[0].as_string(), "\\");
  EXPECT_EQ(elements[1].as_string(), "\"");
}

}  // namespace
}  // namespace skimfill
