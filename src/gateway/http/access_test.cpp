#include "gateway/http/access.h"

#include <gmock/gmock.h>

namespace skimfill {
namespace {

RequestHead request(http::verb method, std::string_view target,
                    std::initializer_list<std::pair<std::string_view, std::string_view>> fields = {}) {
  RequestHead head;
  head.method(method);
  head.target(target);
  for (const auto& [name, value] : fields) head.insert(name, value);
  return head;
}

RequestHead from_page(std::string_view origin) {
  return request(http::verb::post, "/v1/chat/completions", {{"Origin", origin}});
}

std::string allowed_origin(const AccessOptions& options, const RequestHead& head) {
  ReplyHead reply;
  Access(options).add_headers(head, reply);
  return std::string(reply["Access-Control-Allow-Origin"]);
}

TEST(Access, EveryoneMayAskWhereNoKeysAreSet) {
  EXPECT_TRUE(Access({}).admits(request(http::verb::post, "/v1/chat/completions")));
}

TEST(Access, AKeyOpensInEveryFormThatLlamaServerKnows) {
  const Access access({.api_keys = {"first", "second"}});
  for (const std::string_view key : {"first", "second"}) {
    for (const std::string_view name : {"Authorization", "X-Api-Key", "x-api-key"}) {
      EXPECT_TRUE(access.admits(request(http::verb::post, "/x", {{name, key}}))) << name;
      EXPECT_TRUE(access.admits(request(http::verb::post, "/x", {{name, "Bearer " + std::string(key)}})))
          << name;
    }
  }
}

TEST(Access, AllElseStaysOut) {
  const Access access({.api_keys = {"first"}});
  EXPECT_FALSE(access.admits(request(http::verb::post, "/x")));
  for (const std::string_view key :
       {"", "firs", "first2", "First", "Bearer", "Bearer ", "bearer first", "Basic first"}) {
    EXPECT_FALSE(access.admits(request(http::verb::post, "/x", {{"Authorization", key}}))) << key;
  }
  // Where both are sent, Authorization is meant.
  EXPECT_FALSE(
      access.admits(request(http::verb::post, "/x", {{"Authorization", "wrong"}, {"X-Api-Key", "first"}})));
}

TEST(Access, HealthPreflightsAndTheWebPageNeedNoKey) {
  const Access access({.api_keys = {"k"}});
  for (const std::string_view path : {"/health", "/v1/health", "/health?x=1", "/", "/?model=m", "/index.html",
                                      "/sw.js", "/manifest.webmanifest", "/_app/version.json",
                                      "/_app/immutable/chunks/a-B_1.js", "/favicon.ico", "/pwa-64x64.png"}) {
    EXPECT_TRUE(access.admits(request(http::verb::get, path))) << path;
  }
  EXPECT_TRUE(access.admits(request(http::verb::options, "/v1/chat/completions")));
}

TEST(Access, NoRouteOfAnApiPassesForAFile) {
  const Access access({.api_keys = {"k"}});
  for (const std::string_view path :
       {"/v1/models", "/props", "/metrics", "/slots", "/v1/models/a.js", "/v1/files/a.png", "/models/x.css",
        "/openapi.json", "/_app/../v1/models.js", "/_app/%2e%2e/x.js", "/cors-proxy?url=http://h/a.js",
        "/slots?x=.js", "//v1/models.js", "*", "http://h/a.js", "/healthz", "/health/", "/v1/x#.js"}) {
    EXPECT_FALSE(access.admits(request(http::verb::get, path))) << path;
  }
  EXPECT_FALSE(access.admits(request(http::verb::post, "/sw.js")));
  EXPECT_FALSE(access.admits(request(http::verb::delete_, "/index.html")));
}

TEST(Access, TheKeyEndsHere) {
  RequestHead head =
      request(http::verb::post, "/x", {{"Authorization", "Bearer k"}, {"X-Api-Key", "k"}, {"X-A", "b"}});
  Access({.api_keys = {"k"}}).hide_key(head);
  EXPECT_EQ(std::distance(head.begin(), head.end()), 1);
  RequestHead foreign = request(http::verb::post, "/x", {{"Authorization", "Bearer k"}});
  Access({}).hide_key(foreign);  // without keys of ours it is for the target
  EXPECT_EQ(foreign["Authorization"], "Bearer k");
}

TEST(Access, ThePrefixIsCutOffAndNothingIsOutsideOfIt) {
  const Access access({.api_prefix = "/llm"});
  RequestHead inside = request(http::verb::get, "/llm/v1/models?x=1");
  EXPECT_TRUE(access.strip_prefix(inside));
  EXPECT_EQ(inside.target(), "/v1/models?x=1");
  for (const std::string_view path : {"/llm", "/llmx/v1", "/v1/models", "/", "*"}) {
    RequestHead outside = request(http::verb::get, path);
    EXPECT_FALSE(access.strip_prefix(outside)) << path;
    EXPECT_EQ(outside.target(), path);
  }
}

TEST(Cors, AnyOriginIsEchoedWhereCredentialsAreAllowed) {
  EXPECT_EQ(allowed_origin({}, from_page("http://a.example")), "http://a.example");
  EXPECT_EQ(allowed_origin({}, request(http::verb::get, "/")), "");
  EXPECT_EQ(allowed_origin({.cors_credentials = false}, from_page("http://a.example")), "*");
}

TEST(Cors, LocalMeansThisMachineOnly) {
  const AccessOptions options{.cors_origins = "localhost"};
  for (const std::string_view origin : {"http://localhost", "http://localhost:8080", "https://127.0.0.1:3000",
                                        "http://[::1]", "http://[::1]:3000"}) {
    EXPECT_EQ(allowed_origin(options, from_page(origin)), origin);
  }
  for (const std::string_view origin :
       {"http://evil.com", "http://notlocalhost", "http://localhost.evil.com", "http://localhost@evil.com",
        "null", "", "ftp://localhost", "http://[::1].evil.com", "http://127.0.0.1.evil.com", "localhost"}) {
    EXPECT_EQ(allowed_origin(options, from_page(origin)), "") << origin;
  }
}

TEST(Cors, GivenOriginsAreNamed) {
  EXPECT_EQ(allowed_origin({.cors_origins = "http://a"}, from_page("http://b")), "http://a");
  const AccessOptions several{.cors_origins = "http://a, http://b"};
  EXPECT_EQ(allowed_origin(several, from_page("http://b")), "http://b");
  EXPECT_EQ(allowed_origin(several, from_page("http://c")), "");
}

TEST(Cors, APreflightTellsWhatIsAllowed) {
  const ReplyHead reply = Access({}).preflight(from_page("http://a"));
  EXPECT_EQ(reply.result_int(), 200u);
  EXPECT_EQ(reply["Access-Control-Allow-Origin"], "http://a");
  EXPECT_EQ(reply["Access-Control-Allow-Credentials"], "true");
  EXPECT_EQ(reply["Access-Control-Allow-Methods"], "GET, POST, DELETE, OPTIONS");
  EXPECT_EQ(reply["Access-Control-Allow-Headers"], "*");
}

TEST(Cors, WhatATargetSaysOfItsOwnPagesIsDropped) {
  ReplyHead reply;
  reply.insert("access-control-allow-origin", "*");
  reply.insert("Access-Control-Expose-Headers", "X-A");
  reply.insert("X-A", "1");
  reply.insert("access-control-allow-origin", "http://b");
  remove_cors_headers(reply);
  EXPECT_EQ(std::distance(reply.begin(), reply.end()), 1);
  EXPECT_EQ(reply["X-A"], "1");
}

}  // namespace
}  // namespace skimfill
