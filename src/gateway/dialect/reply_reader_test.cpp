#include <gmock/gmock.h>

#include <cctype>
#include <map>

#include "gateway/dialect/reply.h"
#include "gateway/dialect/reply_recordings.h"

namespace skimfill {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Part = ReplyEvent::Part;

struct Reading {
  std::vector<ReplyEvent> events;
  bool complete = false;

  // One letter an event, a capital where it has text: plain, progress (g), start, last, end, error (x).
  std::string parts() const {
    std::string letters;
    for (const ReplyEvent& event : events) {
      const char letter = "pgslex"[static_cast<std::size_t>(event.part)];
      letters += event.has_text ? static_cast<char>(std::toupper(letter)) : letter;
    }
    return letters;
  }
  std::string bytes() const {
    std::string all;
    for (const ReplyEvent& event : events) all += event.bytes;
    return all;
  }
};

Reading read(Dialect dialect, const std::vector<std::string_view>& pieces) {
  ReplyReader reader(dialect);
  Reading reading;
  const auto drain = [&] {
    while (auto event = reader.next()) reading.events.push_back(std::move(*event));
  };
  for (const std::string_view piece : pieces) {
    reader.feed(piece);
    drain();
  }
  reader.finish();
  drain();
  reading.complete = reader.complete();
  return reading;
}

// The shortest recording of each dialect.
std::vector<Recording> short_recordings() {
  std::map<Dialect, Recording> shortest;
  for (const Recording& recording : kRecordings) {
    const auto [at, is_new] = shortest.emplace(recording.dialect, recording);
    if (!is_new && recording.stream.size() < at->second.stream.size()) at->second = recording;
  }
  std::vector<Recording> list;
  for (const auto& [dialect, recording] : shortest) list.push_back(recording);
  return list;
}

TEST(ReplyReader, EventsAreTheSameHoweverTheStreamIsCut) {
  ASSERT_EQ(short_recordings().size(), 4u);
  for (const Recording& recording : short_recordings()) {
    const std::string_view stream = recording.stream;
    const Reading whole = read(recording.dialect, {stream});
    EXPECT_TRUE(whole.complete) << recording.name;
    std::vector<std::string_view> bytes;
    for (std::size_t at = 0; at < stream.size(); ++at) bytes.push_back(stream.substr(at, 1));
    EXPECT_EQ(read(recording.dialect, bytes).parts(), whole.parts()) << recording.name;
    for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
      const Reading reading = read(recording.dialect, {stream.substr(0, cut), stream.substr(cut)});
      ASSERT_EQ(reading.parts(), whole.parts()) << recording.name << " cut at " << cut;
      ASSERT_EQ(reading.bytes(), stream) << recording.name << " cut at " << cut;
    }
  }
}

TEST(ReplyReader, EachEventOfARealStreamIsTold) {
  std::vector<std::string> told;
  for (const Recording& recording : kRecordings) {
    told.push_back(std::string(recording.name) + ' ' + read(recording.dialect, {recording.stream}).parts());
  }
  EXPECT_THAT(told,
              ElementsAre("chat_prefilled ppgpPPPple", "chat_thought ggpPPPPPple", "chat_tool ggpPPPPPPple",
                          "chat_tools_cut ggpPPPPPPPPPPple", "completion ggPPPPle", "own ggPPPPl",
                          "messages spPPPPPple", "messages_thought spPPPPPPple",
                          "messages_tools_cut sPPPPPPPPPPPPpple", "responses ppgppPPPPpppl",
                          "responses_thought ppgpPPPPPpl", "responses_tool ppgPPPPPPPpl"));
}

TEST(ReplyReader, AStreamThatBreaksOffIsNotComplete) {
  for (const Recording& recording : kRecordings) {
    const std::size_t middle = recording.stream.size() / 2;
    const Reading reading = read(recording.dialect, {recording.stream.substr(0, middle)});
    EXPECT_FALSE(reading.complete) << recording.name;
    EXPECT_TRUE(recording.stream.starts_with(reading.bytes())) << recording.name;
    EXPECT_TRUE(reading.bytes().ends_with("\n\n")) << "half an event went on: " << recording.name;
  }
  EXPECT_FALSE(read(Dialect::chat, {}).complete);
  EXPECT_FALSE(read(Dialect::chat, {":\n\ndata: [DONE]\n\n"}).complete);
}

TEST(ReplyReader, TheBlankLineAfterTheLastEventMayBeMissing) {
  for (const Recording& recording : kRecordings) {
    const Reading reading =
        read(recording.dialect, {recording.stream.substr(0, recording.stream.size() - 2)});
    EXPECT_TRUE(reading.complete) << recording.name;
    EXPECT_EQ(reading.bytes(), recording.stream);
  }
}

TEST(ReplyReader, TheLastEventIsTheOneBeforeDoneWhateverItHolds) {
  constexpr std::string_view kText = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\n";
  constexpr std::string_view kFinish =
      "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
  constexpr std::string_view kOtherText =
      "data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"b\"},\"finish_reason\":null}]}\n\n";
  constexpr std::string_view kUsage = "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":1}}\n\n";
  constexpr std::string_view kDone = "data: [DONE]\n\n";
  EXPECT_EQ(read(Dialect::chat, {kText, kFinish, kDone}).parts(), "Ple");
  EXPECT_EQ(read(Dialect::chat, {kText, kFinish, kUsage, kDone}).parts(), "Pple");
  EXPECT_EQ(read(Dialect::chat, {kText, kFinish, kOtherText, kFinish, kUsage, kDone}).parts(), "PpPple");
  EXPECT_EQ(read(Dialect::chat, {kText, kFinish}).parts(), "Pl");
  EXPECT_FALSE(read(Dialect::chat, {kText, kUsage}).complete);
}

TEST(ReplyReader, CommentsDoNotWaitBehindAnEventThatIsHeldBack) {
  ReplyReader reader(Dialect::chat);
  reader.feed("data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n");
  EXPECT_FALSE(reader.next());
  reader.feed(":\n\n");
  const std::optional<ReplyEvent> comment = reader.next();
  ASSERT_TRUE(comment);
  EXPECT_EQ(comment->bytes, ":\n\n");
}

TEST(ReplyReader, AnErrorOfTheTargetEndsTheAnswerInTheDialectsForm) {
  const Reading chat = read(Dialect::chat, {"data: {\"error\":{\"code\":500,\"message\":\"m\"}}\n\n"});
  EXPECT_EQ(chat.parts(), "x");
  EXPECT_TRUE(chat.complete);
  const Reading messages =
      read(Dialect::messages,
           {"event: error\ndata: {\"code\":500,\"message\":\"m\",\"type\":\"server_error\"}\n\n"});
  EXPECT_EQ(messages.parts(), "x");
  EXPECT_THAT(messages.bytes(), HasSubstr("\"type\":\"error\""));
  EXPECT_THAT(messages.bytes(), HasSubstr("\"error\":{\"code\":500"));
  const Reading responses =
      read(Dialect::responses, {"data: {\"error\":{\"code\":500,\"message\":\"m\"}}\n\n"});
  EXPECT_EQ(responses.parts(), "x");
  EXPECT_TRUE(responses.bytes().starts_with("event: error\n"));
  EXPECT_EQ(read(Dialect::chat, {"data: {\"error\":null,\"choices\":[]}\n\ndata: [DONE]\n\n"}).parts(), "le");
}

TEST(ReplyReader, AMessageThatLacksItsStartGetsOneAndNoBlockIsOpenedTwice) {
  constexpr std::string_view kBlock =
      "data: "
      "{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}"
      "\n\n";
  ReplyReader reader(Dialect::messages, "a \"model\"");
  reader.feed("event: ping\ndata: {\"type\":\"ping\"}\n\n");
  EXPECT_EQ(reader.next()->part, Part::plain);
  reader.feed(kBlock);
  reader.feed(kBlock);
  const std::optional<ReplyEvent> start = reader.next();
  ASSERT_TRUE(start);
  EXPECT_EQ(start->part, Part::start);
  EXPECT_THAT(start->bytes, HasSubstr("\"type\":\"message_start\""));
  EXPECT_THAT(start->bytes, HasSubstr(R"("model":"a \"model\"")"));
  EXPECT_TRUE(sse_object(start->bytes));
  EXPECT_EQ(reader.next()->bytes, kBlock);
  EXPECT_FALSE(reader.next());
}

TEST(ReplyReader, WhatIsNoJsonGoesOnAsItIs) {
  for (const std::string_view event :
       {"data: {\n\n", "data: 5\n\n", "data: {\"a\":1}\ndata: {}\n\n", "id: 4\n\n"}) {
    const Reading reading = read(Dialect::chat, {event});
    EXPECT_EQ(reading.parts(), "p");
    EXPECT_EQ(reading.bytes(), event);
  }
}

}  // namespace
}  // namespace skimfill
