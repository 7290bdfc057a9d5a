#include "gateway/http/upstream.h"

#include <gmock/gmock.h>

namespace skimfill {
namespace {

TEST(Endpoint, ReadsHostPortAndPrefix) {
  const struct {
    const char* url;
    const char* host;
    const char* port;
    const char* prefix;
    const char* name;
  } kCases[] = {
      {"http://localhost:8000", "localhost", "8000", "", "localhost:8000"},
      {"http://localhost:8000/", "localhost", "8000", "", "localhost:8000"},
      {"http://example.org/api/v2/", "example.org", "80", "/api/v2", "example.org:80"},
      {"http://[::1]:9", "::1", "9", "", "[::1]:9"},
      {"http://127.0.0.1:8080/x", "127.0.0.1", "8080", "/x", "127.0.0.1:8080"},
  };
  for (const auto& expected : kCases) {
    const Result<Endpoint> endpoint = Endpoint::parse(expected.url);
    ASSERT_TRUE(endpoint) << expected.url;
    EXPECT_EQ(endpoint->host, expected.host);
    EXPECT_EQ(endpoint->port, expected.port);
    EXPECT_EQ(endpoint->prefix, expected.prefix);
    EXPECT_EQ(endpoint->name(), expected.name);
  }
}

TEST(Endpoint, RefusesWhatItCannotReach) {
  for (const char* url : {"", "localhost:8000", "http://", "ftp://x", "http://u:p@x", "http://x/?q", "/x"}) {
    const Result<Endpoint> endpoint = Endpoint::parse(url);
    ASSERT_FALSE(endpoint) << url;
    EXPECT_EQ(endpoint.error().status, Status::invalid) << url;
  }
  EXPECT_EQ(Endpoint::parse("https://x").error().status, Status::unsupported);
}

TEST(Headers, ThoseOfOneConnectionStayBehind) {
  RequestHead from;
  from.insert("Connection", "x-mine, Keep-Alive");
  from.insert("X-Mine", "1");
  from.insert("Keep-Alive", "5");
  from.insert("Transfer-Encoding", "chunked");
  from.insert("X-Two", "a");
  from.insert("x-two", "b");
  RequestHead to;
  copy_end_to_end(from, to);
  std::string left;
  for (const auto& field : to)
    left += std::string(field.name_string()) + "=" + std::string(field.value()) + " ";
  EXPECT_EQ(left, "X-Two=a x-two=b ");
}

}  // namespace
}  // namespace skimfill
