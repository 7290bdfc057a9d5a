#include "gateway/serve.h"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/thread_pool.hpp>
#include <csignal>
#include <list>
#include <optional>

#include "core/log.h"
#include "gateway/http/async.h"
#include "gateway/target/child.h"
#include "gateway/gateway.h"
#include "gateway/http/http_server.h"
#include "gateway/request/skim_route.h"

namespace skimfill {
namespace {

using asio::experimental::awaitable_operators::operator||;
using asio::ip::tcp;

// One thread runs all connections. These run what takes long: skims, which wait for each other inside the
// Skimmer, and the checks of large bodies; there are enough for short prompts not to wait behind long ones.
constexpr std::size_t kWorkers = 16;

class Server {
 public:
  Server(const ServeOptions& options, SkimFunction skim)
      : options_(options),
        io_(1),
        acceptor_(io_),
        stopped_(io_, asio::steady_timer::time_point::max()),
        signals_(io_),
        workers_(kWorkers),
        route_{options, std::move(skim), workers_, {}} {
    limits_.max_body_bytes = options.max_body_bytes;
  }

  Result<void> run(const std::stop_token& stop);

 private:
  Result<void> find_target();
  Result<void> listen();
  awaitable<Result<void>> serve();
  awaitable<void> accept();
  awaitable<void> watch_signals();
  awaitable<void> end_connections();

  const ServeOptions& options_;
  asio::io_context io_;
  tcp::acceptor acceptor_;
  asio::steady_timer stopped_;  // cancelled to stop the server
  asio::signal_set signals_;
  asio::thread_pool workers_;
  std::unique_ptr<Child> child_;
  SkimRoute route_;
  ServerLimits limits_;
  const Handler handler_ = [this](Exchange& exchange) { return handle(exchange, route_); };
  std::list<asio::cancellation_signal> connections_;
};

Result<void> Server::find_target() {
  if (!options_.upstream.empty()) {
    Result<Endpoint> target = Endpoint::parse(options_.upstream);
    if (!target) return target.error();
    route_.target = std::move(*target);
    return {};
  }
  Result<std::unique_ptr<Child>> child =
      Child::create({.program = options_.llama_server, .args = options_.child_args});
  if (!child) return child.error();
  child_ = std::move(*child);
  route_.target = child_->endpoint();
  return {};
}

Result<void> Server::listen() {
  const std::string place = options_.host + ":" + std::to_string(options_.port);
  error_code failure;
  const auto addresses = tcp::resolver(io_).resolve(options_.host, std::to_string(options_.port),
                                                    tcp::resolver::passive, failure);
  if (failure)
    return Error{Status::invalid, "host '" + options_.host + "' has no address: " + failure.message()};
  const tcp::endpoint address = addresses.begin()->endpoint();
  acceptor_.open(address.protocol(), failure);
  if (!failure) acceptor_.set_option(tcp::acceptor::reuse_address(true), failure);
  if (!failure) acceptor_.bind(address, failure);
  if (!failure) acceptor_.listen(asio::socket_base::max_listen_connections, failure);
  if (failure) {
    return Error{Status::unavailable,
                 "cannot listen on " + place + ": " + failure.message() + "; choose another with --port"};
  }
  const std::uint16_t port = acceptor_.local_endpoint().port();
  log::info("listening on http://{}:{}", options_.host, port);
  if (options_.on_listening) options_.on_listening(port);
  return {};
}

awaitable<void> Server::accept() {
  for (;;) {
    auto [failure, socket] = co_await acceptor_.async_accept(kNothrow);
    if (!acceptor_.is_open()) co_return;
    if (failure) {
      // Out of file descriptors, or the client was gone already: those that we have go on.
      log::warn("a connection could not be accepted: {}", failure.message());
      co_await sleep_for(std::chrono::milliseconds(100));
      continue;
    }
    const auto connection = connections_.emplace(connections_.end());
    asio::co_spawn(io_, serve_connection(std::move(socket), limits_, handler_),
                   asio::bind_cancellation_slot(connection->slot(), [this, connection](std::exception_ptr) {
                     connections_.erase(connection);
                   }));
  }
}

awaitable<void> Server::watch_signals() {
  auto [failure, signal] = co_await signals_.async_wait(kNothrow);
  if (failure) co_return;
  log::info("stopping (signal {})", signal);
  stopped_.cancel();
  // A second signal: no patience with the target either.
  const auto [cancelled, again] = co_await signals_.async_wait(kNothrow);
  if (!cancelled && child_) child_->kill();
}

awaitable<void> Server::end_connections() {
  error_code ignored;
  acceptor_.close(ignored);
  for (asio::cancellation_signal& connection : connections_)
    connection.emit(asio::cancellation_type::terminal);
  while (!connections_.empty()) co_await sleep_for(std::chrono::milliseconds(5));
}

awaitable<Result<void>> Server::serve() {
  Result<void> result;
  if (child_) {
    const auto first = co_await (child_->supervise() || stopped_.async_wait(kNothrow));
    if (first.index() == 0) result = std::get<0>(first);
  } else {
    co_await stopped_.async_wait(kNothrow);
  }
  co_await end_connections();
  if (child_) co_await child_->stop();
  signals_.cancel();
  co_return result;
}

Result<void> Server::run(const std::stop_token& stop) {
  if (Result<void> found = find_target(); !found) return found;
  if (Result<void> listening = listen(); !listening) return listening;
  error_code failure;
  signals_.add(SIGINT, failure);
  if (!failure) signals_.add(SIGTERM, failure);
  if (failure) return Error{Status::internal, "cannot watch for signals: " + failure.message()};
  const std::stop_callback on_stop(stop, [this] { asio::post(io_, [this] { stopped_.cancel(); }); });

  Result<void> result;
  asio::co_spawn(io_, accept(), [](std::exception_ptr) {});
  asio::co_spawn(io_, watch_signals(), [](std::exception_ptr) {});
  asio::co_spawn(io_, serve(), [&](std::exception_ptr failed, Result<void> ended) {
    if (failed) std::rethrow_exception(failed);
    result = std::move(ended);
    io_.stop();  // the child's output may be held open by processes that it started
  });
  io_.run();
  workers_.join();
  return result;
}

}  // namespace

Result<void> run_gateway(const ServeOptions& options, SkimFunction skim, std::stop_token stop) {
  return Server(options, std::move(skim)).run(stop);
}

Result<void> serve(const ServeOptions& options, std::shared_ptr<const Skimmer> skimmer,
                   std::stop_token stop) {
  SkimFunction skim;
  if (skimmer) {
    skim = [skimmer](const SkimRequest& request, std::stop_token cancelled) {
      return skimmer->skim(request, std::move(cancelled));
    };
  }
  return run_gateway(options, std::move(skim), std::move(stop));
}

}  // namespace skimfill
