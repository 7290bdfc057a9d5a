#include <gmock/gmock.h>

#include <boost/json/parse.hpp>

#include "gateway/dialect/reply.h"
#include "gateway/dialect/reply_recordings.h"

namespace skimfill {
namespace {

namespace json = boost::json;

json::value parsed(std::string_view text) { return json::parse(json::string_view(text.data(), text.size())); }

// What differs from one request to the next: kept as names without values.
void forget_ids_and_times(json::value& value) {
  if (value.is_array()) {
    for (json::value& element : value.get_array()) forget_ids_and_times(element);
  } else if (value.is_object()) {
    for (auto& member : value.get_object()) {
      const std::string_view name(member.key().data(), member.key().size());
      if (name == "timings") {
        for (auto& time : member.value().get_object()) time.value() = nullptr;
      } else if (name == "id" || name == "call_id" || name.starts_with("created") || name == "completed_at") {
        member.value() = nullptr;
      } else {
        forget_ids_and_times(member.value());
      }
    }
  }
}

json::value comparable(std::string_view text) {
  json::value value = parsed(text);
  forget_ids_and_times(value);
  return value;
}

ReplyAssembler assembled(Dialect dialect, std::string_view stream, Account* account = nullptr) {
  ReplyReader reader(dialect);
  reader.feed(stream);
  reader.finish();
  ReplyAssembler assembler(dialect);
  while (auto event = reader.next()) {
    if (account && event->part == ReplyEvent::Part::start) {
      event->bytes = amend_start(dialect, std::move(event->bytes), *account);
    } else if (account && event->part == ReplyEvent::Part::last) {
      event->bytes = amend_last(dialect, std::move(event->bytes), *account);
    }
    assembler.add(*event);
  }
  return assembler;
}

TEST(ReplyAssembler, AStreamGivesWhatTheUnstreamedRequestGets) {
  for (const Recording& recording : kRecordings) {
    const ReplyAssembler assembler = assembled(recording.dialect, recording.stream);
    EXPECT_FALSE(assembler.failure());
    EXPECT_EQ(comparable(assembler.reply()), comparable(recording.reply)) << recording.name;
  }
}

TEST(ReplyAssembler, TheAccountIsTheSameStreamedAndNot) {
  Account account;
  account.streamed = true;
  account.skimmed = true;
  account.skim_json = R"({"decision":"skimmed"})";
  account.queue_ms = 10;
  account.skim_ms = 20;
  account.sent_ms = 30;
  account.head_ms = 40;
  account.first_text_ms = 100;
  account.end_ms = 5000;
  account.prompt_tokens = 9000;
  for (const Recording& recording : kRecordings) {
    Account own = account;
    json::value whole = parsed(with_account(recording.dialect, recording.reply, account));
    json::value streamed = parsed(assembled(recording.dialect, recording.stream, &own).reply());
    // llama-server gives these times in streams alone.
    if (recording.dialect == Dialect::responses) {
      for (json::value* reply : {&whole, &streamed}) {
        for (const auto* name : {"cache_n", "prompt_per_token_ms", "predicted_n", "predicted_per_token_ms",
                                 "predicted_per_second"}) {
          reply->at("timings").as_object().erase(name);
        }
      }
    }
    forget_ids_and_times(whole);
    forget_ids_and_times(streamed);
    EXPECT_EQ(streamed, whole) << recording.name;
    EXPECT_EQ(streamed.at("skim").at("decision"), "skimmed");
  }
}

TEST(ReplyAssembler, SeveralChoicesAreToldApartByTheirIndex) {
  const ReplyAssembler assembler = assembled(
      Dialect::chat,
      "data: "
      "{\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":1,\"delta\":{\"content\":\"b\"}}]}\n\n"
      "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\n"
      "data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"B\"},\"finish_reason\":\"stop\"}]}\n\n"
      "data: {\"choices\":[{\"index\":0,\"delta\":{\"refusal\":\"r\"},\"finish_reason\":\"length\"}]}\n\n"
      "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":3}}\n\ndata: [DONE]\n\n");
  EXPECT_EQ(
      parsed(assembler.reply()),
      parsed(
          R"({"object":"chat.completion","usage":{"prompt_tokens":3},"choices":[)"
          R"({"index":0,"finish_reason":"length","message":{"role":"assistant","content":"a","refusal":"r"}},)"
          R"({"index":1,"finish_reason":"stop","message":{"role":"assistant","content":"bB"}}]})"));
}

TEST(ReplyAssembler, PiecesOfTextAreJoinedAsTheyAreEscaped) {
  const ReplyAssembler assembler = assembled(
      Dialect::chat,
      "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"type\":\"function\","
      "\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"city\\\":\\\"Oslo \\\\\\\"N\"}}]}}]}\n\n"
      "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":null,\"function\":{\"name\":null,"
      "\"arguments\":\"\\\\\\\" \\ud83d\\ude00\"}}]}}]}\n\n"
      "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":"
      "\" ✓\\\"}\"}}]},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n");
  EXPECT_EQ(parsed(assembler.reply()).at("choices").at(0).at("message").at("tool_calls").at(0),
            parsed(R"({"id":"c","type":"function","function":{"name":"f",)"
                   R"("arguments":"{\"city\":\"Oslo \\\"N\\\" 😀 ✓\"}"}})"));
}

TEST(ReplyAssembler, AToolsInputIsTheJsonOfItsPieces) {
  const auto input_of = [](std::string_view partial) {
    const std::string stream =
        "data: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":1}}}\n\n"
        "data: {\"type\":\"content_block_start\",\"index\":0,"
        "\"content_block\":{\"type\":\"tool_use\",\"input\":{}}}\n\n"
        "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\","
        "\"partial_json\":" +
        std::string(partial) + "}}\n\ndata: {\"type\":\"message_delta\",\"delta\":{}}\n\n";
    return parsed(assembled(Dialect::messages, stream).reply()).at("content").at(0).at("input");
  };
  EXPECT_EQ(input_of(R"("{\"a\": [0.70]}")"), parsed(R"({"a":[0.7]})"));
  EXPECT_EQ(input_of(R"("{\"a\":")"), parsed("{}"));
  EXPECT_EQ(input_of(R"("")"), parsed("{}"));
}

TEST(ReplyAssembler, AnErrorBecomesAStatusAndABody) {
  const auto failure = [](Dialect dialect, std::string_view event) {
    const auto found = assembled(dialect, event).failure();
    return found ? std::to_string(found->status) + ' ' + found->body : "none";
  };
  EXPECT_EQ(failure(Dialect::chat, "data: {\"error\":{\"code\":503,\"message\":\"m\"}}\n\n"),
            R"(503 {"error":{"code":503,"message":"m"}})");
  EXPECT_EQ(
      failure(Dialect::chat, "data: {\"error\":{\"type\":\"exceed_context_size_error\",\"n_ctx\":9}}\n\n"),
      R"(400 {"error":{"type":"exceed_context_size_error","n_ctx":9}})");
  EXPECT_EQ(failure(Dialect::completion, "data: {\"error\":{\"code\":\"context_length_exceeded\"}}\n\n"),
            R"(400 {"error":{"code":"context_length_exceeded"}})");
  EXPECT_EQ(failure(Dialect::chat, "data: {\"error\":\"it \\\"broke\\\"\"}\n\n"),
            R"(500 {"error":{"message":"it \"broke\""}})");
  EXPECT_EQ(failure(Dialect::messages, "event: error\ndata: {\"code\":501,\"message\":\"m\"}\n\n"),
            R"(501 {"type":"error","error":{"code":501,"message":"m"}})");
  EXPECT_EQ(failure(Dialect::messages,
                    "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":"
                    "\"overloaded_error\",\"message\":\"m\"}}\n\n"),
            R"(503 {"type":"error","error":{"type":"overloaded_error","message":"m"}})");
  EXPECT_EQ(failure(Dialect::responses, "data: {\"error\":{\"code\":404,\"message\":\"m\"}}\n\n"),
            R"(404 {"error":{"code":404,"message":"m"}})");
}

}  // namespace
}  // namespace skimfill
