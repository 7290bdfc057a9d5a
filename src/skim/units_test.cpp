#include "skim/units.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

namespace skimfill {
namespace {

// Tokens of `width` bytes each: the splitter only sees where tokens begin.
TokenizedText tokens_of(std::string_view text, std::size_t width = 4) {
  TokenizedText tokens;
  for (std::size_t i = 0; i < text.size(); i += width) {
    tokens.tokens.push_back(0);
    tokens.offsets.push_back(static_cast<std::int64_t>(i));
  }
  tokens.offsets.push_back(static_cast<std::int64_t>(text.size()));
  return tokens;
}

std::vector<std::string> unit_texts(const std::string& text, std::size_t width = 4) {
  std::vector<std::string> texts;
  for (const TextUnit& unit : split_units(text, tokens_of(text, width))) {
    texts.push_back(
        text.substr(static_cast<std::size_t>(unit.begin), static_cast<std::size_t>(unit.end - unit.begin)));
  }
  return texts;
}

void expect_cover(const std::string& text, std::size_t width) {
  const TokenizedText tokens = tokens_of(text, width);
  std::int64_t end = 0;
  std::int64_t last_token = 0;
  for (const TextUnit& unit : split_units(text, tokens)) {
    EXPECT_EQ(unit.begin, end);
    EXPECT_GT(unit.end, unit.begin);
    EXPECT_EQ(unit.first_token, last_token);
    end = unit.end;
    last_token = unit.last_token;
  }
  EXPECT_EQ(end, static_cast<std::int64_t>(text.size()));
  EXPECT_EQ(last_token, tokens.size());
}

TEST(Units, AreLinesWithTheBlankLinesAfterThem) {
  EXPECT_THAT(unit_texts("one\n\n \ntwo\r\nthree"), testing::ElementsAre("one\n\n \n", "two\r\n", "three"));
  EXPECT_THAT(unit_texts(""), testing::IsEmpty());
  EXPECT_THAT(unit_texts("\n\n"), testing::ElementsAre("\n\n"));
}

TEST(Units, OfALongLineAreItsSentences) {
  const std::string sentence = "The gauge in the cellar reads forty two and it never changes. ";
  std::string line;
  for (int i = 0; i < 10; ++i) line += sentence;
  EXPECT_THAT(unit_texts(line), testing::Each(sentence));
  std::string cjk;
  for (int i = 0; i < 40; ++i) cjk += "今日は天気がいい。";
  EXPECT_THAT(unit_texts(cjk, 3), testing::Each("今日は天気がいい。"));
}

TEST(Units, OfTextWithoutBreaksEndBetweenWordsOrCodePoints) {
  std::string words;
  for (int i = 0; i < 300; ++i) words += "word ";
  for (const std::string& unit : unit_texts(words)) EXPECT_EQ(unit.back(), ' ');
  std::string kanji;
  for (int i = 0; i < 500; ++i) kanji += "漢";
  EXPECT_GT(unit_texts(kanji, 4).size(), 2U);
  for (const std::string& unit : unit_texts(kanji, 4)) EXPECT_EQ(unit.size() % 3, 0U);
}

TEST(Units, CoverAnyBytesWithoutGaps) {
  std::mt19937 random(3);
  std::uniform_int_distribution<int> any_byte(0, 255);
  for (int round = 0; round < 300; ++round) {
    std::string text(static_cast<std::size_t>(round * 7), '\0');
    for (char& byte : text) byte = static_cast<char>(any_byte(random));
    expect_cover(text, static_cast<std::size_t>(1 + round % 5));
  }
  expect_cover(std::string(5000, '\x80'), 1);  // continuation bytes only
}

TEST(TokenBorders, TellWhatEndsBefore) {
  const std::string text = "a b. c\nd\n\ne";
  const std::vector<Border> borders = token_borders(text, tokens_of(text, 1));
  EXPECT_EQ(borders[0], Border::passage);
  EXPECT_EQ(borders[1], Border::word);      // " b"
  EXPECT_EQ(borders[3], Border::none);      // inside "b."
  EXPECT_EQ(borders[4], Border::sentence);  // " c"
  EXPECT_EQ(borders[7], Border::line);      // "d"
  EXPECT_EQ(borders[10], Border::paragraph);
}

}  // namespace
}  // namespace skimfill
