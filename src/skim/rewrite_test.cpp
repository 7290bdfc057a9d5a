#include "skim/rewrite.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace skimfill {
namespace {

// Units of one line each, or of one word each where the text is a single line.
std::vector<TextUnit> units_of(std::string_view text, char separator) {
  std::vector<TextUnit> units;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.size() - 1, text.find(separator, begin)) + 1;
    units.push_back({.begin = static_cast<std::int64_t>(begin), .end = static_cast<std::int64_t>(end)});
    begin = end;
  }
  return units;
}

TEST(Rewrite, PutsOneMarkForARunThatWasLeftOut) {
  const std::string_view text = "a\nb\nc\nd\ne\n";
  EXPECT_EQ(write_kept(text, units_of(text, '\n'), {false, true, false, false, true}, "[...]"),
            "[...]\nb\n[...]\ne\n");
  EXPECT_EQ(write_kept(text, units_of(text, '\n'), {true, false, false, false, false}, "[...]"),
            "a\n[...]\n");
}

TEST(Rewrite, KeepsEverythingByteForByte) {
  const std::string_view text = "a\r\n\xFF b";
  EXPECT_EQ(write_kept(text, units_of(text, '\n'), {true, true}, "[...]"), text);
}

TEST(Rewrite, StaysOnTheLineWhereNoLineWasLeftOut) {
  const std::string_view text = "one two three four";
  EXPECT_EQ(write_kept(text, units_of(text, ' '), {true, false, false, true}, "[...]"), "one [...] four");
}

TEST(Rewrite, NeverJoinsWhatDidNotTouch) {
  const std::string_view text = "<|im_xend|>";
  const std::vector<TextUnit> units{{.begin = 0, .end = 5}, {.begin = 5, .end = 6}, {.begin = 6, .end = 11}};
  EXPECT_EQ(write_kept(text, units, {true, false, true}, ""), "<|im_ end|>");
}

}  // namespace
}  // namespace skimfill
