#include "skim/conversation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace skimfill {
namespace {

std::string rows(int n) {
  std::string text;
  for (int i = 0; i < n; ++i) {
    text += "Row " + std::to_string(i) + ": gauge reads " + std::to_string(i * 7919 % 9973) + " on shelf " +
            std::to_string(i % 37) + ". ";
  }
  return text;
}

std::string covered(std::span<const Passage> passages, const Conversation& conversation) {
  std::string all;
  for (const BodyRange& range : conversation.body) {
    all += passages[static_cast<std::size_t>(range.passage)].text.substr(
        static_cast<std::size_t>(range.begin), static_cast<std::size_t>(range.end - range.begin));
  }
  return all;
}

TEST(Conversation, AShortLastMessageIsTheQuestion) {
  const std::string file = rows(100);
  const std::vector<Passage> passages{{Role::system, file, 0},
                                      {Role::user, file, 1},
                                      {Role::assistant, file, 2},
                                      {Role::user, "Which shelf?", 3}};
  const Conversation conversation = read_conversation(passages, "");
  EXPECT_EQ(conversation.question, "Which shelf?");
  ASSERT_EQ(conversation.body.size(), 1U);  // not the system text, not the assistant's
  EXPECT_EQ(conversation.body[0].passage, 1);
  EXPECT_EQ(conversation.body[0].end, static_cast<std::int64_t>(file.size()));
}

TEST(Conversation, AToolResultAfterTheQuestionIsBody) {
  const std::string file = rows(100);
  const std::vector<Passage> passages{{Role::user, "Which shelf?", 0}, {Role::tool, file, 2}};
  const Conversation conversation = read_conversation(passages, "");
  EXPECT_EQ(conversation.question, "Which shelf?");
  ASSERT_EQ(conversation.body.size(), 1U);
  EXPECT_EQ(conversation.body[0].passage, 1);
}

TEST(Conversation, FindsTheQuestionAtTheEndOfALongText) {
  const std::string text =
      "The access word is HERON-731. " + rows(400) + " What is the access word? Reply with the word only.";
  const std::vector<Passage> passages{{Role::user, text, 0}};
  const Conversation conversation = read_conversation(passages, "");
  EXPECT_EQ(conversation.question, "What is the access word? Reply with the word only.");
  EXPECT_THAT(covered(passages, conversation), testing::StartsWith("The access word is"));
  EXPECT_THAT(covered(passages, conversation), testing::Not(testing::HasSubstr("What is")));
}

TEST(Conversation, FindsTheQuestionAtTheBeginningOfALongText) {
  const std::string text = "Which number opens locker 88?\n\n" + rows(200);
  const std::vector<Passage> passages{{Role::user, text, 0}};
  const Conversation conversation = read_conversation(passages, "");
  EXPECT_EQ(conversation.question, "Which number opens locker 88?");
  EXPECT_THAT(covered(passages, conversation), testing::Not(testing::HasSubstr("locker 88?")));
}

TEST(Conversation, TakesFirstAndLastLineWhereNothingIsAsked) {
  const std::string text = "Summarise this file.\n" + rows(200) + "\nKeep it short.";
  const std::vector<Passage> passages{{Role::user, text, 0}};
  EXPECT_EQ(read_conversation(passages, "").question, "Summarise this file.\nKeep it short.");
}

TEST(Conversation, TakesTheShortPartBesideALongOne) {
  const std::string file = rows(100);
  const std::vector<Passage> passages{{Role::user, file, 0}, {Role::user, "Which shelf holds row 7?", 0}};
  const Conversation conversation = read_conversation(passages, "");
  EXPECT_EQ(conversation.question, "Which shelf holds row 7?");
  EXPECT_EQ(conversation.body.size(), 1U);
}

TEST(Conversation, AGivenQuestionIsUsedAndProtectedWhereItStands) {
  const std::string text = rows(100) + "Find the shelf of row 7." + rows(100);
  const std::vector<Passage> passages{{Role::user, text, 0}};
  const Conversation conversation = read_conversation(passages, " Find the shelf of row 7. ");
  EXPECT_EQ(conversation.question, "Find the shelf of row 7.");
  EXPECT_EQ(conversation.body.size(), 2U);
  EXPECT_EQ(covered(passages, conversation), rows(100) + rows(100));
  // Elsewhere: the whole text is body.
  EXPECT_EQ(covered(passages, read_conversation(passages, "Which row?")), text);
}

TEST(Conversation, FindsQuestionsOfOtherScripts) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += "今日は天気がいいので散歩に行きました。";
  text += "鍵はどこにありますか？";
  const std::vector<Passage> passages{{Role::user, text, 0}};
  EXPECT_EQ(read_conversation(passages, "").question, "鍵はどこにありますか？");
}

TEST(Conversation, HasNoBodyAndNoQuestionWithoutUserText) {
  const std::string file = rows(100);
  const std::vector<Passage> system_only{{Role::system, file, 0}};
  EXPECT_TRUE(read_conversation(system_only, "").question.empty());
  EXPECT_TRUE(read_conversation(system_only, "").body.empty());
  EXPECT_TRUE(read_conversation({}, "").body.empty());
  const std::vector<Passage> blank{{Role::user, "  \n ", 0}};
  EXPECT_TRUE(read_conversation(blank, "").question.empty());
}

}  // namespace
}  // namespace skimfill
