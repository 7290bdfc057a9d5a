// What the gateway counts of itself, for Prometheus. Counters only rise; the target's own numbers stand
// apart.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <string>

#include "gateway/dialect/account.h"
#include "gateway/dialect/dialect.h"

namespace skimfill {

class Metrics {
 public:
  Metrics();

  // How a request for text ended.
  enum class Outcome {
    answered,
    refused,    // the client's fault: 4xx
    sent_away,  // no room: 503
    failed,     // the target's fault or ours: 5xx, or an error event
    left,       // the client did not wait
  };
  void count_request(Dialect dialect, Outcome outcome);
  void count_answer(const Account& account, const Times& times, std::int64_t body_tokens,
                    std::int64_t kept_tokens);
  void count_restart() { restarts_.Increment(); }

  // The page's text. Gauges are set at the time of asking.
  struct Now {
    std::size_t inside = 0;  // requests in the house
    std::size_t placed = 0;  // of those, at the target
    std::size_t places = 0;  // that there are at the target
    bool ready = false;      // the target answers
  };
  std::string text(const Now& now);

 private:
  prometheus::Registry registry_;
  prometheus::Family<prometheus::Counter>& requests_;
  prometheus::Family<prometheus::Counter>& prompts_;
  prometheus::Family<prometheus::Counter>& tokens_;
  prometheus::Family<prometheus::Counter>& seconds_;
  prometheus::Counter& restarts_;
  prometheus::Histogram& first_text_;
  prometheus::Gauge& inside_;
  prometheus::Gauge& placed_;
  prometheus::Gauge& places_;
  prometheus::Gauge& ready_;
};

}  // namespace skimfill
