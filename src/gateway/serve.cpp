#include "gateway/serve.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/thread_pool.hpp>
#include <csignal>
#include <optional>

#include "core/clock.h"
#include "core/log.h"
#include "gateway/gateway.h"
#include "gateway/http/async.h"
#include "gateway/http/connections.h"
#include "gateway/http/http_server.h"
#include "gateway/http/listener.h"
#include "gateway/request/route.h"
#include "gateway/target/child.h"

namespace skimfill {
namespace {

using asio::experimental::awaitable_operators::operator||;

// One thread runs all connections. These run what takes long: skims, which wait for each other inside the
// Skimmer, and the checks of large bodies; there are enough for short prompts not to wait behind long ones.
constexpr std::size_t kWorkers = 16;
// For a target whose slots we do not know, because it is a cluster or loads models by name.
constexpr std::size_t kManyPlaces = 1024;

class Server {
 public:
  Server(const ServeOptions& options, SkimService skim)
      : options_(options),
        io_(1),
        stopped_(io_, asio::steady_timer::time_point::max()),
        signals_(io_),
        workers_(kWorkers),
        context_{options,
                 std::move(skim),
                 workers_,
                 Target(io_.get_executor(), {.parallel = places(std::nullopt),
                                             .waiting = static_cast<std::size_t>(options.max_queue)}),
                 {}},
        door_{options.limits, Access(options.access),
              [this](Exchange& exchange) { return handle(exchange, context_); }},
        connections_(io_.get_executor(), door_) {}

  Result<void> run(const std::stop_token& stop);

 private:
  std::size_t places(std::optional<std::size_t> slots) const;
  Result<void> find_target();
  Result<void> listen();
  awaitable<Result<void>> serve();
  awaitable<void> watch_signals();
  awaitable<void> drain();

  const ServeOptions& options_;
  asio::io_context io_;
  asio::steady_timer stopped_;  // cancelled to stop the server
  asio::signal_set signals_;
  asio::thread_pool workers_;
  std::unique_ptr<Child> child_;
  std::unique_ptr<Listener> listener_;
  Context context_;
  const Door door_;
  Connections connections_;
  bool impatient_ = false;  // a second signal came
};

std::size_t Server::places(std::optional<std::size_t> slots) const {
  if (options_.max_parallel > 0) return static_cast<std::size_t>(options_.max_parallel);
  return slots.value_or(kManyPlaces);
}

Result<void> Server::find_target() {
  Target& target = context_.target;
  if (!options_.upstream.empty()) {
    Result<Endpoint> endpoint = Endpoint::parse(options_.upstream);
    if (!endpoint) return endpoint.error();
    target.endpoint = std::move(*endpoint);
    return {};
  }
  target.is_child = true;
  target.ready = false;
  ChildOptions child_options{.program = options_.llama_server, .args = options_.child_args};
  child_options.on_ready = [this, &target](std::optional<std::size_t> slots) {
    target.ready = true;
    target.is_router = !slots;
    target.places.set_parallel(places(slots));
    if (target.is_router && context_.skim.run && options_.prefill_models.empty()) {
      log::warn(
          "llama-server routes by model name: prompts go through whole unless --prefill-models names theirs");
    }
  };
  child_options.on_end = [this, &target] {
    target.ready = false;
    context_.metrics.count_restart();
  };
  Result<std::unique_ptr<Child>> child = Child::create(std::move(child_options));
  if (!child) return child.error();
  child_ = std::move(*child);
  target.endpoint = child_->endpoint();
  return {};
}

Result<void> Server::listen() {
  Result<std::unique_ptr<Listener>> listener = Listener::open(io_.get_executor(), options_.listen);
  if (!listener) return listener.error();
  listener_ = std::move(*listener);
  for (const std::string& url : listener_->urls()) log::info("listening on {}", url);
  if (options_.on_listening) options_.on_listening(listener_->port());
  return {};
}

awaitable<void> Server::watch_signals() {
  auto [failure, signal] = co_await signals_.async_wait(kNothrow);
  if (failure) co_return;
  log::info("stopping (signal {}); requests in flight have {} s to end, another signal ends them now", signal,
            options_.drain_limit.count() / 1000);
  stopped_.cancel();
  // A second signal: no patience with the target either.
  const auto [cancelled, again] = co_await signals_.async_wait(kNothrow);
  if (cancelled) co_return;
  impatient_ = true;
  if (child_) child_->kill();
}

// Lets requests for text and the like end; new ones are refused.
awaitable<void> Server::drain() {
  context_.draining = true;
  listener_->close();
  const Stopwatch waited;
  const double limit_ms = std::chrono::duration<double, std::milli>(options_.drain_limit).count();
  while (context_.target.places.inside() > 0 && !impatient_ && waited.elapsed_ms() < limit_ms)
    co_await sleep_for(std::chrono::milliseconds(10));
}

awaitable<Result<void>> Server::serve() {
  Result<void> result;
  const auto until_stopped = [this]() -> awaitable<void> {
    co_await stopped_.async_wait(kNothrow);
    co_await drain();
  };
  if (child_) {
    const auto first = co_await (child_->supervise() || until_stopped());
    if (first.index() == 0) result = std::get<0>(first);
  } else {
    co_await until_stopped();
  }
  listener_->close();
  co_await connections_.end();
  co_await listener_->flush();
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
  asio::co_spawn(io_, listener_->accept([this](StreamSocket socket) { connections_.add(std::move(socket)); }),
                 [](std::exception_ptr) {});
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

Result<void> run_gateway(const ServeOptions& options, SkimService skim, std::stop_token stop) {
  return Server(options, std::move(skim)).run(stop);
}

Result<void> serve(const ServeOptions& options, std::shared_ptr<const Skimmer> skimmer,
                   std::stop_token stop) {
  SkimService skim;
  if (skimmer) {
    skim.description = skimmer->description();
    skim.run = [skimmer](const SkimRequest& request, std::stop_token cancelled) {
      return skimmer->skim(request, std::move(cancelled));
    };
  }
  return run_gateway(options, std::move(skim), std::move(stop));
}

}  // namespace skimfill
