#include "gateway/http/listener.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <filesystem>
#include <fstream>

namespace skimfill {
namespace {

namespace fs = std::filesystem;

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ListenerTest : public ::testing::Test {
 protected:
  ListenerTest() {
    std::string folder = (fs::temp_directory_path() / "listener-XXXXXX").string();
    folder_ = ::mkdtemp(folder.data());
  }
  ~ListenerTest() override { fs::remove_all(folder_); }

  Result<std::unique_ptr<Listener>> open(ListenOptions options) {
    return Listener::open(io_.get_executor(), options);
  }
  Error refusal(ListenOptions options) {
    auto listener = open(std::move(options));
    return listener ? Error{Status::internal, "accepted"} : listener.error();
  }
  std::string path(const char* name) const { return (folder_ / name).string(); }

  asio::io_context io_;
  fs::path folder_;
};

TEST_F(ListenerTest, SeveralHostsShareAFreePort) {
  const auto listener = open({.hosts = {"127.0.0.1", "127.0.0.2", path("a.sock")}, .port = 0});
  ASSERT_TRUE(listener) << listener.error().message;
  const std::string port = std::to_string((*listener)->port());
  EXPECT_NE(port, "0");
  EXPECT_THAT((*listener)->urls(),
              ElementsAre("http://127.0.0.1:" + port, "http://127.0.0.2:" + port, "unix:" + path("a.sock")));
}

TEST_F(ListenerTest, ATakenPortIsNamed) {
  const auto first = open({.port = 0});
  ASSERT_TRUE(first);
  const Error error = refusal({.port = (*first)->port()});
  EXPECT_EQ(error.status, Status::unavailable);
  EXPECT_THAT(error.message, HasSubstr(std::to_string((*first)->port())));
}

TEST_F(ListenerTest, APortCanBeSharedOnDemand) {
  const auto first = open({.port = 0, .reuse_port = true});
  ASSERT_TRUE(first);
  EXPECT_TRUE(open({.port = (*first)->port(), .reuse_port = true}));
}

TEST_F(ListenerTest, AHostWithoutAnAddressIsNamed) {
  const Error error = refusal({.hosts = {"no address"}, .port = 0});
  EXPECT_EQ(error.status, Status::invalid);
  EXPECT_THAT(error.message, HasSubstr("no address"));
}

TEST_F(ListenerTest, ASocketIsRemovedWhenTheListenerCloses) {
  const auto listener = open({.hosts = {path("a.sock")}});
  ASSERT_TRUE(listener);
  EXPECT_EQ((*listener)->port(), 0);
  EXPECT_TRUE(fs::is_socket(path("a.sock")));
  (*listener)->close();
  EXPECT_FALSE(fs::exists(path("a.sock")));
}

TEST_F(ListenerTest, ASocketOfAnotherServerIsNotRemoved) {
  const auto listener = open({.hosts = {path("a.sock")}});
  ASSERT_TRUE(listener);
  fs::rename(path("a.sock"), path("moved.sock"));
  const auto other = open({.hosts = {path("a.sock")}});
  ASSERT_TRUE(other);
  (*listener)->close();
  EXPECT_TRUE(fs::is_socket(path("a.sock")));
}

TEST_F(ListenerTest, AStaleSocketIsReplacedAndALiveOneRefused) {
  {
    asio::local::stream_protocol::acceptor dead(io_, asio::local::stream_protocol::endpoint(path("a.sock")));
  }
  ASSERT_TRUE(fs::is_socket(path("a.sock")));
  const auto listener = open({.hosts = {path("a.sock")}});
  ASSERT_TRUE(listener) << listener.error().message;
  const Error error = refusal({.hosts = {path("a.sock")}});
  EXPECT_EQ(error.status, Status::unavailable);
  EXPECT_THAT(error.message, HasSubstr("another server listens there"));
}

TEST_F(ListenerTest, AFileThatIsNoSocketStays) {
  std::ofstream(path("a.sock")) << "mine";
  EXPECT_EQ(refusal({.hosts = {path("a.sock")}}).status, Status::unavailable);
  EXPECT_TRUE(fs::is_regular_file(path("a.sock")));
}

TEST_F(ListenerTest, APathThatIsTooLongIsRefused) {
  EXPECT_EQ(refusal({.hosts = {path("a") + std::string(200, 'x') + ".sock"}}).status, Status::invalid);
}

TEST_F(ListenerTest, CertificateAndKeyMustBeReadable) {
  EXPECT_THAT(refusal({.port = 0, .tls_key_file = "k.pem"}).message, HasSubstr("--ssl-cert-file"));
  std::ofstream(path("empty.pem"));
  for (const std::string& file : {path("missing.pem"), path("empty.pem")}) {
    const Error error = refusal({.port = 0, .tls_key_file = path("empty.pem"), .tls_cert_file = file});
    EXPECT_EQ(error.status, Status::invalid);
    EXPECT_THAT(error.message, HasSubstr(file));
  }
}

}  // namespace
}  // namespace skimfill
