#include <gtest/gtest.h>

#include "gateway/dialect/reply.h"

namespace skimfill {
namespace {

bool streamable(Dialect dialect, std::string_view body) { return is_streamable(dialect, JsonView::of(body)); }

TEST(ReplyRequest, WhatAStreamDoesNotCarryIsNotAskedForAsOne) {
  for (const std::string_view body :
       {R"({"logprobs":true})", R"({"logprobs":3})", R"({"top_logprobs":2})", R"({"n_probs":1})",
        R"({"n":2})", R"({"n_cmpl":3})", R"({"best_of":2})", R"({"response_fields":["content"]})",
        R"({"stop":["a"]})", R"({"stop":"a"})", R"({"verbose":true})", R"({"return_tokens":true})",
        R"({"reasoning_format":"none"})", R"({"continue_final_message":true})",
        R"({"continue_final_message":"content"})", R"({"n":1,"n":2})"}) {
    EXPECT_FALSE(streamable(Dialect::chat, body)) << body;
    EXPECT_FALSE(streamable(Dialect::completion, body)) << body;
  }
  for (const std::string_view body :
       {R"({})", R"({"logprobs":false,"top_logprobs":null,"n":1,"n_probs":0,"verbose":false})",
        R"({"prompt":"text","return_tokens":false,"reasoning_format":null})",
        R"({"tools":[],"stop":null})"}) {
    EXPECT_TRUE(streamable(Dialect::chat, body)) << body;
    EXPECT_TRUE(streamable(Dialect::completion, body)) << body;
  }
  EXPECT_FALSE(streamable(Dialect::completion, R"({"prompt":["a","b"]})"));
}

TEST(ReplyRequest, AStreamIsAskedForByTheBytesThatSaySo) {
  EXPECT_EQ(
      as_stream_request(Dialect::chat, R"({ "temperature":0.70,"stream":false })"),
      R"({ "temperature":0.70,"stream":true,"return_progress":true,"stream_options":{"include_usage":true} })");
  EXPECT_EQ(as_stream_request(Dialect::completion, R"({"stream_options":{"include_usage":false,"x":1E2}})"),
            R"({"stream_options":{"include_usage":true,"x":1E2},"stream":true,"return_progress":true})");
  EXPECT_EQ(as_stream_request(Dialect::chat, R"({"stream_options":null,"stream":null})"),
            R"({"stream_options":{"include_usage":true},"stream":true,"return_progress":true})");
  EXPECT_EQ(as_stream_request(Dialect::messages, R"({})"), R"({"stream":true,"return_progress":true})");
  EXPECT_EQ(as_stream_request(Dialect::responses, R"({"a":1})"),
            R"({"a":1,"stream":true,"return_progress":true})");
}

TEST(ReplyRequest, ProgressIsAskedForUnlessItWouldCarryTextOfTheAnswer) {
  EXPECT_EQ(with_progress_request(R"({"messages":[{"role":"user"}]})"),
            R"({"messages":[{"role":"user"}],"return_progress":true})");
  EXPECT_EQ(with_progress_request(R"({"prompt":"a","return_progress":false})"),
            R"({"prompt":"a","return_progress":true})");
  constexpr std::string_view kBegun =
      R"({"messages":[{"role":"user"},{"role":"assistant","content":"The"}]})";
  EXPECT_EQ(with_progress_request(kBegun), kBegun);
}

TEST(ReplyError, EachDialectHasItsForm) {
  EXPECT_EQ(error_body(Dialect::chat, 503, "a \"b\"", "unavailable_error"),
            R"({"error":{"code":503,"message":"a \"b\"","type":"unavailable_error"}})");
  EXPECT_EQ(error_body(Dialect::messages, 503, "m", "unavailable_error"),
            R"({"type":"error","error":{"type":"overloaded_error","message":"m"}})");
  EXPECT_EQ(error_body(Dialect::messages, 418, "m", "teapot"),
            R"({"type":"error","error":{"type":"api_error","message":"m"}})");
}

TEST(ReplyError, AnEventIsOneLineOfDataInTheDialectsForm) {
  EXPECT_EQ(error_event(Dialect::chat, "{\"error\":\r\n {\"message\":\"a\\nb\"}}"),
            "data: {\"error\":   {\"message\":\"a\\nb\"}}\n\n");
  EXPECT_EQ(error_event(Dialect::completion, R"({"code":500,"message":"m"})"),
            "data: {\"error\":{\"code\":500,\"message\":\"m\"}}\n\n");
  EXPECT_EQ(error_event(Dialect::messages, R"({"error":{"message":"m"},"skim":{}})"),
            "event: error\ndata: {\"error\":{\"message\":\"m\"},\"skim\":{},\"type\":\"error\"}\n\n");
  EXPECT_EQ(
      error_event(Dialect::responses, R"({"error":{"code":503,"message":"m"}})"),
      "event: error\ndata: {\"error\":{\"code\":503,\"message\":\"m\"},\"type\":\"error\",\"code\":\"503\","
      "\"message\":\"m\",\"param\":null}\n\n");
}

TEST(ReplyProgress, StandsInWhatOtherClientsStepOver) {
  EXPECT_EQ(progress_event(Dialect::chat, "queued", 12.5),
            "data: {\"choices\":[],\"skim_progress\":{\"stage\":\"queued\",\"ms\":12.5}}\n\n");
  EXPECT_EQ(progress_event(Dialect::messages, "skimmed", 3),
            "event: ping\ndata: {\"type\":\"ping\",\"skim_progress\":{\"stage\":\"skimmed\",\"ms\":3}}\n\n");
  EXPECT_EQ(progress_event(Dialect::responses, "queued", 0),
            "event: skim.progress\ndata: {\"type\":\"skim.progress\","
            "\"skim_progress\":{\"stage\":\"queued\",\"ms\":0}}\n\n");
}

}  // namespace
}  // namespace skimfill
