// Many clients at once, some of which leave: every one that stays gets its own answer, and nothing is left
// behind. Runs under ThreadSanitizer, so the skim is a stand-in without a model.
#include <gmock/gmock.h>

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <future>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "gateway/gateway.h"

namespace skimfill {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using testing::HasSubstr;
using testing::Not;

constexpr int kClients = 8;
constexpr int kRequests = 20;

// Reads one HTTP message whose body has a Content-Length; empty when the peer left.
std::string read_message(tcp::socket& socket) {
  std::string text;
  boost::system::error_code failure;
  const std::size_t head = asio::read_until(socket, asio::dynamic_buffer(text), "\r\n\r\n", failure);
  if (failure) return "";
  const std::size_t field = text.find("Content-Length: ");
  const std::size_t length = field < head ? std::stoul(text.substr(field + 16)) : 0;
  if (text.size() < head + length) {
    asio::read(socket, asio::dynamic_buffer(text), asio::transfer_exactly(head + length - text.size()),
               failure);
  }
  return failure ? "" : text;
}

std::string reply(const std::string& type, const std::string& body) {
  return "HTTP/1.1 200 OK\r\nContent-Type: " + type + "\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + body;
}

// The text between `before` and the next quote.
std::string quoted_after(const std::string& text, const std::string& before) {
  const std::size_t at = text.find(before);
  if (at == std::string::npos) return "";
  const std::size_t begin = at + before.size();
  return text.substr(begin, text.find('"', begin) - begin);
}

// Answers with the prompt that it was sent, streamed or not.
class EchoTarget {
 public:
  EchoTarget() : acceptor_(io_, tcp::endpoint(asio::ip::address_v4::loopback(), 0)) {
    accepting_ = std::thread([this] {
      for (;;) {
        tcp::socket socket(io_);
        boost::system::error_code failure;
        acceptor_.accept(socket, failure);
        if (failure || stopping_) return;
        connections_.emplace_back([peer = std::move(socket)]() mutable { answer(peer); });
      }
    });
  }

  ~EchoTarget() {
    stopping_ = true;
    tcp::socket wake(io_);
    boost::system::error_code ignored;
    wake.connect(acceptor_.local_endpoint(), ignored);
    accepting_.join();
    for (std::thread& connection : connections_) connection.join();
  }

  std::string url() const { return "http://127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port()); }

 private:
  static void answer(tcp::socket& socket) {
    const std::string request = read_message(socket);
    boost::system::error_code ignored;
    if (request.starts_with("POST /tokenize")) {
      asio::write(socket, asio::buffer(reply("application/json", R"({"tokens":[1,2,3,4,5]})")), ignored);
      return;
    }
    const std::string prompt = quoted_after(request, "\"prompt\":\"");
    const std::string usage = R"("usage":{"prompt_tokens":2,"completion_tokens":1,"total_tokens":3})";
    if (request.find("\"stream\":true") == std::string::npos) {
      const std::string body = R"({"choices":[{"text":")" + prompt + R"("}],)" + usage + "}";
      asio::write(socket, asio::buffer(reply("application/json", body)), ignored);
      return;
    }
    asio::write(socket,
                asio::buffer(std::string("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")),
                ignored);
    for (const char letter : prompt) {
      const std::string event = std::string(R"(data: {"choices":[{"text":")") + letter + "\"}]}\n\n";
      asio::write(socket, asio::buffer(event), ignored);
      std::this_thread::sleep_for(std::chrono::microseconds(500));
    }
    asio::write(socket, asio::buffer(R"(data: {"choices":[],)" + usage + "}\n\ndata: [DONE]\n\n"), ignored);
  }

  asio::io_context io_;
  tcp::acceptor acceptor_;
  std::atomic<bool> stopping_ = false;
  std::vector<std::thread> connections_;
  std::thread accepting_;
};

// Keeps the first eight bytes of a prompt; one job at a time, as the Skimmer's.
class FirstBytesSkim {
 public:
  Result<SkimResult> operator()(const SkimRequest& request, const std::stop_token& stop) {
    ++running_;
    const std::lock_guard lock(one_at_a_time_);
    for (int batch = 0; batch < 4 || endless_; ++batch) {
      std::this_thread::sleep_for(std::chrono::microseconds(500));
      if (stop.stop_requested()) {
        --running_;
        ++cancelled_;
        return Error{Status::cancelled, "stopped"};
      }
    }
    SkimResult result;
    result.decision = Decision::skimmed;
    result.prompt_tokens = 5;
    result.tokens = 5;
    result.kept_tokens = 2;
    for (const Passage& passage : request.passages) result.texts.emplace_back(passage.text.substr(0, 8));
    --running_;
    return result;
  }

  // From now on a skim ends only when it is stopped.
  void hold() { endless_ = true; }

  int running() const { return running_; }
  int cancelled() const { return cancelled_; }

 private:
  std::mutex one_at_a_time_;
  std::atomic<bool> endless_ = false;
  std::atomic<int> running_ = 0;
  std::atomic<int> cancelled_ = 0;
};

// One request on a connection of its own. Leaves early when `patience` is given. Returns all that came.
std::string ask(std::uint16_t port, const std::string& body,
                std::optional<std::chrono::microseconds> patience) {
  asio::io_context io;
  tcp::socket socket(io);
  socket.connect({asio::ip::address_v4::loopback(), port});
  const std::string request =
      "POST /v1/completions HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: " +
      std::to_string(body.size()) + "\r\n\r\n" + body;
  asio::write(socket, asio::buffer(request));
  std::string text;
  if (patience) {
    std::this_thread::sleep_for(*patience);
    return text;
  }
  boost::system::error_code end;
  asio::read(socket, asio::dynamic_buffer(text), end);
  EXPECT_EQ(end, asio::error::eof) << end.message();
  return text;
}

std::string streamed_text(const std::string& reply_text) {
  std::string text;
  for (std::size_t at = 0; (at = reply_text.find("\"text\":\"", at)) != std::string::npos; ++at) {
    text += quoted_after(reply_text.substr(at), "\"text\":\"");
  }
  return text;
}

TEST(GatewayConcurrency, EveryClientThatStaysGetsItsOwnAnswer) {
  const EchoTarget target;
  FirstBytesSkim skim;
  std::promise<std::uint16_t> listening;
  ServeOptions options;
  options.listen.port = 0;
  options.upstream = target.url();
  options.mode = Mode::always;
  options.drain_limit = {};  // the last requests are cut off where they are
  options.on_listening = [&](std::uint16_t port) { listening.set_value(port); };
  std::stop_source stop;
  auto served = std::async(std::launch::async, [&] {
    return run_gateway(
        options,
        {.run = [&](const SkimRequest& request, std::stop_token token) { return skim(request, token); },
         .description = "the first bytes"},
        stop.get_token());
  });
  const std::uint16_t port = listening.get_future().get();

  std::vector<std::thread> clients;
  for (int client = 0; client < kClients; ++client) {
    clients.emplace_back([client, port] {
      for (int number = 0; number < kRequests; ++number) {
        const std::string tag = std::to_string(10'000'000 + client * 1000 + number);
        const bool stream = number % 2 == 0;
        const std::string body =
            R"({"prompt":")" + tag + R"( and much more text","stream":)" + (stream ? "true" : "false") + "}";
        if (number % 3 == 2) {
          ask(port, body, std::chrono::microseconds(700 * number));
          continue;
        }
        const std::string answer = ask(port, body, std::nullopt);
        EXPECT_EQ(streamed_text(answer), tag);
        EXPECT_THAT(answer, HasSubstr(R"("skim":{"decision":"skimmed")"));
        EXPECT_THAT(answer, HasSubstr(R"("prompt_tokens":5)"));
        EXPECT_THAT(answer, Not(HasSubstr("error")));
      }
    });
  }
  for (std::thread& client : clients) client.join();

  // With requests in every phase.
  skim.hold();
  std::vector<std::thread> cut_off;
  for (int client = 0; client < kClients; ++client) {
    cut_off.emplace_back([port] {
      try {
        ask(port, R"({"prompt":"12345678 and more","stream":true})", std::chrono::milliseconds(200));
      } catch (const boost::system::system_error&) {
        // The gateway may have closed its door already.
      }
    });
  }
  while (skim.running() == 0) std::this_thread::sleep_for(std::chrono::microseconds(100));
  stop.request_stop();
  const Result<void> result = served.get();
  EXPECT_TRUE(result) << result.error().message;
  EXPECT_EQ(skim.running(), 0);
  EXPECT_GT(skim.cancelled(), 0);
  for (std::thread& client : cut_off) client.join();
}

}  // namespace
}  // namespace skimfill
