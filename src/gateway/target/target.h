// The target engine as requests see it: where it is, whether it answers, and its pages, which must come at
// once even while it is busy.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "gateway/http/page.h"
#include "gateway/target/admission.h"
#include "gateway/target/target_metrics.h"

namespace skimfill {

// A page of the target that is asked for again and again. llama-server answers some only between two batches,
// so the last known one stands in when it takes too long, and no more than one question is under way.
class TargetPage {
 public:
  TargetPage(const asio::any_io_executor& executor, const Endpoint& endpoint, std::string path);

  // Nothing when the target has never answered and does not within `patience`.
  awaitable<std::optional<Page>> get(std::chrono::milliseconds patience);

 private:
  struct State {
    State(const asio::any_io_executor& executor)
        : answered(executor, asio::steady_timer::time_point::max()) {}
    bool asking = false;
    std::optional<Page> last;
    asio::steady_timer answered;  // cancelled when `last` is new, or will not be
  };
  static awaitable<void> ask(std::shared_ptr<State> state, Endpoint endpoint, std::string path);

  const asio::any_io_executor executor_;
  const Endpoint& endpoint_;
  const std::string path_;
  std::shared_ptr<State> state_;  // outlives us while a question is under way
};

// One for the life of the gateway; for one thread.
struct Target {
  Target(const asio::any_io_executor& executor, Admission::Limits limits);

  Endpoint endpoint;
  bool is_child = false;   // a llama-server of ours: it knows the extensions that we use
  bool is_router = false;  // one that loads models by name and has no slots of its own
  bool ready = true;       // a child: its model is loaded

  Admission places;
  Admission counting;  // questions for a count, which take the target's HTTP threads
  TargetMetrics metrics;
  TargetPage metrics_page;
  TargetPage props_page;
  TargetPage models_page;
};

}  // namespace skimfill
