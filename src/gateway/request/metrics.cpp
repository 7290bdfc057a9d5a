#include "gateway/request/metrics.h"

#include <prometheus/text_serializer.h>

#include <algorithm>

namespace skimfill {
namespace {

using prometheus::BuildCounter;
using prometheus::BuildGauge;
using prometheus::BuildHistogram;

const char* name_of(Metrics::Outcome outcome) {
  switch (outcome) {
    case Metrics::Outcome::answered:
      return "answered";
    case Metrics::Outcome::refused:
      return "refused";
    case Metrics::Outcome::sent_away:
      return "sent_away";
    case Metrics::Outcome::failed:
      return "failed";
    case Metrics::Outcome::left:
      break;
  }
  return "left";
}

prometheus::Gauge& gauge(prometheus::Registry& registry, const char* name, const char* help) {
  return BuildGauge().Name(name).Help(help).Register(registry).Add({});
}

}  // namespace

Metrics::Metrics()
    : requests_(BuildCounter()
                    .Name("skimfill_requests_total")
                    .Help("Requests for text, by dialect and by how they ended.")
                    .Register(registry_)),
      prompts_(BuildCounter()
                   .Name("skimfill_prompts_total")
                   .Help("Answered prompts that were meant to be skimmed, by what was decided.")
                   .Register(registry_)),
      tokens_(BuildCounter()
                  .Name("skimfill_body_tokens_total")
                  .Help("Tokens of text that may be skimmed, in the drafter's tokens: read, and sent on.")
                  .Register(registry_)),
      seconds_(BuildCounter()
                   .Name("skimfill_seconds_total")
                   .Help("Time of answered requests, by part; the parts add up to what clients waited.")
                   .Register(registry_)),
      restarts_(BuildCounter()
                    .Name("skimfill_target_restarts_total")
                    .Help("Times that the child llama-server ended and was started again.")
                    .Register(registry_)
                    .Add({})),
      first_text_(
          BuildHistogram()
              .Name("skimfill_first_text_seconds")
              .Help("From a request's arrival to its first text (the whole reply where it is not streamed).")
              .Register(registry_)
              .Add({}, prometheus::Histogram::BucketBoundaries{0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100,
                                                               250, 500})),
      inside_(gauge(registry_, "skimfill_requests_inside", "Requests in the house now.")),
      placed_(gauge(registry_, "skimfill_requests_at_target", "Of those, requests at the target.")),
      places_(gauge(registry_, "skimfill_places_at_target", "Requests that may be at the target at a time.")),
      ready_(gauge(registry_, "skimfill_target_ready", "1 while the target answers.")) {
  // Series that are there from the start: a rate over them is 0, not missing.
  for (const char* part : {"queue", "skim", "prefill", "other", "predicted"}) seconds_.Add({{"part", part}});
  for (const char* decision : {"skimmed", "whole"}) prompts_.Add({{"decision", decision}});
  for (const char* side : {"read", "sent"}) tokens_.Add({{"side", side}});
}

void Metrics::count_request(Dialect dialect, Outcome outcome) {
  requests_.Add({{"dialect", std::string(skimfill::name_of(dialect))}, {"outcome", name_of(outcome)}})
      .Increment();
}

void Metrics::count_answer(const Account& account, const Times& times, std::int64_t body_tokens,
                           std::int64_t kept_tokens) {
  const auto add_time = [&](const char* part, double ms) {
    seconds_.Add({{"part", part}}).Increment(std::max(ms, 0.0) / 1000);
  };
  add_time("queue", times.queue_ms);
  add_time("skim", times.skim_ms);
  add_time("prefill", times.prefill_ms.value_or(0));
  add_time("other", times.other_ms);
  add_time("predicted", times.predicted_ms);
  prompts_.Add({{"decision", account.skimmed ? "skimmed" : "whole"}}).Increment();
  tokens_.Add({{"side", "read"}}).Increment(static_cast<double>(body_tokens));
  tokens_.Add({{"side", "sent"}}).Increment(static_cast<double>(account.skimmed ? kept_tokens : body_tokens));
  first_text_.Observe(times.ttft_ms / 1000);
}

std::string Metrics::text(const Now& now) {
  inside_.Set(static_cast<double>(now.inside));
  placed_.Set(static_cast<double>(now.placed));
  places_.Set(static_cast<double>(now.places));
  ready_.Set(now.ready ? 1 : 0);
  return prometheus::TextSerializer().Serialize(registry_.Collect());
}

}  // namespace skimfill
