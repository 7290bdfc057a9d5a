#include "gateway/dialect/sse.h"

#include <gmock/gmock.h>

#include <vector>

namespace skimfill {
namespace {

using testing::ElementsAre;

std::vector<std::string> split(const std::vector<std::string_view>& pieces, std::string* rest = nullptr) {
  SseSplitter splitter;
  std::vector<std::string> events;
  for (const std::string_view piece : pieces) {
    splitter.feed(piece);
    while (auto event = splitter.next()) events.push_back(*event);
  }
  if (rest != nullptr) *rest = splitter.rest();
  return events;
}

constexpr std::string_view kStreams[] = {
    "data: {\"a\":1}\n\n:\n\nevent: x\ndata: 2\n\ndata: [DONE]\n\n",
    "data: {\"a\":1}\r\n\r\n: ping\r\n\r\ndata: [DONE]\r\n\r\n",
    "data: {\"a\":\"\u00e9\"}\r\rdata: 2\r\rdata: 3\n\n",
};

TEST(Sse, EventsAreTheSameHoweverTheStreamIsCut) {
  for (const std::string_view stream : kStreams) {
    const std::vector<std::string> whole = split({stream});
    EXPECT_GE(whole.size(), 3u);
    for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
      EXPECT_EQ(split({stream.substr(0, cut), stream.substr(cut)}), whole) << "cut at " << cut;
    }
    std::vector<std::string_view> bytes;
    for (std::size_t i = 0; i < stream.size(); ++i) bytes.push_back(stream.substr(i, 1));
    EXPECT_EQ(split(bytes), whole);
  }
}

TEST(Sse, NoByteIsLost) {
  for (const std::string_view stream : kStreams) {
    for (std::size_t size = 0; size <= stream.size(); ++size) {
      std::string rest;
      std::string joined;
      for (const std::string& event : split({stream.substr(0, size)}, &rest)) joined += event;
      EXPECT_EQ(joined + rest, stream.substr(0, size));
    }
  }
}

TEST(Sse, AnEventIsHandedOutWithItsLastByte) {
  EXPECT_THAT(split({"data: 1\n\n"}), ElementsAre("data: 1\n\n"));
  EXPECT_THAT(split({"data: 1\r\n\r\n"}), ElementsAre("data: 1\r\n\r\n"));
  EXPECT_THAT(split({"data: 1\n"}), ElementsAre());
}

TEST(Sse, DataIsFoundOnItsOneLine) {
  const auto data = [](std::string_view event) -> std::string {
    const auto range = sse_data(event);
    return range ? std::string(event.substr(range->begin, range->end - range->begin)) : "none";
  };
  EXPECT_EQ(data("data: {\"a\":1}\n\n"), "{\"a\":1}");
  EXPECT_EQ(data("data:{}\r\n\r\n"), "{}");
  EXPECT_EQ(data("event: x\nid: 4\ndata: y\n\n"), "y");
  EXPECT_EQ(data("data: [DONE]"), "[DONE]");
  EXPECT_EQ(data(": data: 1\n\n"), "none");
  EXPECT_EQ(data("data: 1\ndata: 2\n\n"), "none");
}

}  // namespace
}  // namespace skimfill
