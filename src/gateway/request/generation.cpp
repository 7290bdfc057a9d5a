#include "gateway/request/generation.h"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <exception>
#include <utility>

#include "core/log.h"
#include "gateway/http/async.h"

namespace skimfill {
namespace {

using namespace asio::experimental::awaitable_operators;

// For what runs beside something else: the failure waits until the other has been told to end.
awaitable<void> guarded(awaitable<void> work, std::exception_ptr& failure) {
  try {
    co_await std::move(work);
  } catch (...) {
    failure = std::current_exception();
  }
}

}  // namespace

Generation::Generation(Exchange& exchange, Context& context, TextRequest reading, Admission::Visit visit,
                       asio::any_io_executor executor)
    : exchange_(exchange),
      context_(context),
      reading_(std::move(reading)),
      mode_(reading_.mode),
      visit_(std::move(visit)),
      head_(exchange.request.base()),
      count_(std::move(executor)),
      writer_(exchange,
              {.dialect = reading_.dialect,
               .model = reading_.model,
               .streams = reading_.streams,
               .accounts = reading_.mode != Mode::off,
               .progress = reading_.fields.progress || reading_.wants_progress},
              account_, count_) {
  // The reply is read, so it must come uncompressed.
  head_.erase(http::field::accept_encoding);
}

awaitable<void> Generation::run() {
  std::exception_ptr failure;
  const auto counted_work = [&]() -> awaitable<void> {
    if (reading_.prompt.texts.empty()) co_return co_await work();
    co_await (work() && count_.ask(context_.target, head_, reading_.dialect, reading_.body, reading_.prompt));
  };
  if (reading_.streams) {
    co_await (guarded(counted_work(), failure) || keep_present());
  } else {
    co_await guarded(counted_work(), failure);
  }
  count_outcome();
  if (failure) std::rethrow_exception(failure);
}

// A stream's client must not take silence for death: headers first, then comments, between events only.
awaitable<void> Generation::keep_present() {
  const ServeOptions& options = context_.options;
  const auto before_headers =
      context_.target.is_router ? options.silence_of_router : options.silence_before_headers;
  for (;;) {
    const auto limit = exchange_.begun() ? options.silence_before_comment : before_headers;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(limit - exchange_.silence());
    if (left.count() > 0) {
      co_await sleep_for(left);
    } else if (writer_.streaming()) {
      co_await writer_.comment();
    } else if (exchange_.begun()) {
      co_await sleep_for(limit);  // an error is on its way: nothing to add
    } else {
      co_await writer_.begin_stream();
    }
  }
}

awaitable<void> Generation::work() {
  bool alone = false;
  for (;;) {
    if (mode_ != Mode::off && !alone) {
      if (const auto failure = co_await skim()) {
        co_await writer_.fail(*failure);
        break;
      }
    }
    const ReplyWriter::End end = co_await ask_target(alone);
    if (end == ReplyWriter::End::done) break;
    account_.queue_ms += exchange_.since_arrival.elapsed_ms() - account_.sent_ms;  // for nothing
    if (end == ReplyWriter::End::crowded) {
      if (alone) {
        co_await writer_.fail(unavailable("the target has no room for this request, even alone"));
        break;
      }
      log::warn("the target has no room for all of its requests together: one goes on when it is alone");
      alone = true;
    } else if (mode_ == Mode::automatic && !account_.skimmed) {
      mode_ = Mode::always;  // the whole prompt does not fit: skim it after all
    } else {
      co_await writer_.write_refusal();
      break;
    }
  }
  count_.close();
}

awaitable<std::optional<Failure>> Generation::skim() {
  const SkimRequest request{.passages = reading_.prompt.passages,
                            .question = reading_.fields.question,
                            .mode = mode_,
                            .keep_ratio = reading_.fields.keep_ratio,
                            .budget_tokens = reading_.fields.budget_tokens};
  const Stopwatch watch;
  double started_ms = 0;
  auto job = [&](std::stop_token stop) {
    started_ms = watch.elapsed_ms();
    return context_.skim.run(request, std::move(stop));
  };
  Result<SkimResult> result = co_await on_pool(context_.workers, job);
  if (!result && mode_ == Mode::automatic && result.error().status != Status::invalid) {
    log::warn("the prompt goes through whole: {}", result.error().message);
    SkimResult whole;
    whole.reason = "the skim failed: " + result.error().message;
    result = std::move(whole);
  }
  if (!result) co_return failure_of(result.error());
  skimmed_ = std::move(*result);
  const double queue_ms = started_ms + skimmed_.timings.queue_ms;
  account_.queue_ms += queue_ms;
  account_.skim_ms += watch.elapsed_ms() - queue_ms;
  account_.skimmed = skimmed_.decision == Decision::skimmed;
  account_.drafter_prompt_tokens = skimmed_.prompt_tokens;
  account_.drafter_sent_tokens =
      skimmed_.prompt_tokens - (account_.skimmed ? skimmed_.tokens - skimmed_.kept_tokens : 0);
  account_.skim_json = skim_json(skimmed_, reading_.prompt, reading_.fields.spans);
  if (!account_.skimmed && mode_ == Mode::always) count_.close();
  co_await writer_.tell_progress("skimmed", exchange_.since_arrival.elapsed_ms());
  co_return std::nullopt;
}

std::string Generation::body_to_send() const {
  std::string body =
      account_.skimmed ? with_texts(reading_.body, reading_.prompt, skimmed_.texts) : reading_.body;
  if (!context_.target.is_child) return body;
  if (reading_.streams) return with_progress_request(body);
  return reading_.may_stream ? as_stream_request(reading_.dialect, body) : body;
}

awaitable<ReplyWriter::End> Generation::ask_target(bool alone) {
  const Stopwatch waited;
  co_await writer_.tell_progress("queued", exchange_.since_arrival.elapsed_ms());
  co_await visit_.take_place(alone);
  account_.queue_ms += waited.elapsed_ms();
  const std::string body = body_to_send();
  ReplyWriter::End end = ReplyWriter::End::done;
  {
    Upstream upstream(co_await asio::this_coro::executor);
    account_.sent_ms = exchange_.since_arrival.elapsed_ms();
    const Result<void> sent = co_await upstream.send(context_.target.endpoint, head_, body);
    if (!sent) {
      co_await writer_.fail(unavailable(sent.error().message));
      co_return end;
    }
    const Result<void> answered = co_await upstream.read_head();
    if (!answered) {
      co_await writer_.fail(bad_answer(answered.error().message));
      co_return end;
    }
    end = co_await writer_.write(upstream);
  }
  visit_.leave_place();
  co_return end;
}

void Generation::count_outcome() const {
  using Outcome = Metrics::Outcome;
  const unsigned status = writer_.status();
  const Outcome outcome = status == 0     ? Outcome::left
                          : status < 400  ? Outcome::answered
                          : status < 500  ? Outcome::refused
                          : status == 503 ? Outcome::sent_away
                                          : Outcome::failed;
  context_.metrics.count_request(reading_.dialect, outcome);
  if (outcome != Outcome::answered) return;
  const Times times = times_of(account_, std::nullopt);
  context_.metrics.count_answer(account_, times, skimmed_.tokens, skimmed_.kept_tokens);
  if (reading_.mode == Mode::off) return;
  log::info("{} {}: {} of {} body tokens kept, queue {:.0f} ms, skim {:.0f} ms, total {:.0f} ms ({})",
            name_of(reading_.dialect), account_.skimmed ? "skimmed" : "whole",
            account_.skimmed ? skimmed_.kept_tokens : skimmed_.tokens, skimmed_.tokens, account_.queue_ms,
            account_.skim_ms, account_.end_ms, skimmed_.reason);
}

}  // namespace skimfill
