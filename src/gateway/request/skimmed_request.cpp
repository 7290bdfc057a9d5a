#include "gateway/request/skimmed_request.h"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <utility>

#include "core/log.h"
#include "gateway/http/async.h"
#include "gateway/request/event_stream.h"
#include "gateway/request/proxy.h"

namespace skimfill {
namespace {

using namespace asio::experimental::awaitable_operators;

constexpr std::size_t kMostReplyBytes = 256 << 20;
constexpr std::string_view kEventStream = "text/event-stream";

// For what runs beside something else: the failure waits until the other has been told to end.
awaitable<void> guarded(awaitable<void> work, std::exception_ptr& failure) {
  try {
    co_await std::move(work);
  } catch (...) {
    failure = std::current_exception();
  }
}

bool is_json_object(std::string_view text) {
  return check_json(text).ok() && JsonView::of(text).is(JsonKind::object);
}

}  // namespace

SkimmedRequest::SkimmedRequest(Exchange& exchange, const SkimRoute& route, Dialect dialect, std::string body,
                               Prompt prompt, SkimFields fields, Mode mode, asio::any_io_executor executor)
    : exchange_(exchange),
      route_(route),
      dialect_(dialect),
      body_(std::move(body)),
      prompt_(std::move(prompt)),
      fields_(std::move(fields)),
      mode_(mode),
      head_(exchange.request.base()),
      count_(std::move(executor)) {
  // The reply is edited, so it must come uncompressed.
  head_.erase(http::field::accept_encoding);
}

awaitable<void> SkimmedRequest::run() {
  std::exception_ptr failure;
  const auto counted_work = [&]() -> awaitable<void> {
    if (prompt_.texts.empty()) co_return co_await work();
    co_await (work() && count_.ask(route_.target, head_, dialect_, body_, prompt_));
  };
  if (prompt_.stream) {
    co_await (guarded(counted_work(), failure) || keep_present());
  } else {
    co_await guarded(counted_work(), failure);
  }
  if (failure) std::rethrow_exception(failure);
}

// A stream's client must not take silence for death: headers first, then comments, between events only.
awaitable<void> SkimmedRequest::keep_present() {
  for (;;) {
    const auto limit =
        exchange_.begun() ? route_.options.silence_before_comment : route_.options.silence_before_headers;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(limit - exchange_.silence());
    if (left.count() > 0) {
      co_await sleep_for(left);
    } else if (streaming_) {
      co_await exchange_.write(":\n\n");
    } else if (exchange_.begun()) {
      co_await sleep_for(limit);  // an error is on its way: nothing to add
    } else {
      streaming_ = true;
      ReplyHead head;
      head.result(http::status::ok);
      head.set(http::field::content_type, kEventStream);
      head.set(http::field::cache_control, "no-cache");
      co_await exchange_.begin(std::move(head), std::nullopt);
    }
  }
}

awaitable<void> SkimmedRequest::work() {
  do {
    retry_ = false;
    const Result<void> decided = co_await skim();
    if (!decided) {
      const Error& error = decided.error();
      if (exchange_.begun()) {
        co_await report_failure(exchange_, 500, error.message, "server_error");
      } else {
        co_await exchange_.reply_error(error);
      }
      break;
    }
    co_await send_and_reply();
  } while (retry_);
  count_.close();
}

awaitable<Result<void>> SkimmedRequest::skim() {
  const SkimRequest request{.passages = prompt_.passages,
                            .question = fields_.question,
                            .mode = mode_,
                            .keep_ratio = fields_.keep_ratio,
                            .budget_tokens = fields_.budget_tokens};
  const Stopwatch watch;
  double started_ms = 0;
  auto job = [&](std::stop_token stop) {
    started_ms = watch.elapsed_ms();
    return route_.skim(request, std::move(stop));
  };
  Result<SkimResult> result = co_await on_pool(route_.workers, job);
  if (!result && mode_ == Mode::automatic && result.error().status != Status::invalid) {
    log::warn("the prompt goes through whole: {}", result.error().message);
    SkimResult whole;
    whole.reason = "the skim failed: " + result.error().message;
    result = std::move(whole);
  }
  if (!result) co_return result.error();
  skimmed_ = std::move(*result);
  const double queue_ms = started_ms + skimmed_.timings.queue_ms;
  account_.skim_queue_ms += queue_ms;
  account_.skim_ms += watch.elapsed_ms() - queue_ms;
  account_.skimmed = skimmed_.decision == Decision::skimmed;
  account_.drafter_prompt_tokens = skimmed_.prompt_tokens;
  account_.drafter_sent_tokens =
      skimmed_.prompt_tokens - (account_.skimmed ? skimmed_.tokens - skimmed_.kept_tokens : 0);
  account_.skim_json = skim_json(skimmed_, prompt_, fields_.spans);
  if (!account_.skimmed && mode_ == Mode::always) count_.close();
  co_return Result<void>();
}

awaitable<void> SkimmedRequest::send_and_reply() {
  const std::string sent_body = account_.skimmed ? with_texts(body_, prompt_, skimmed_.texts) : body_;
  Upstream upstream(co_await asio::this_coro::executor);
  account_.sent_ms = exchange_.since_arrival.elapsed_ms();
  const Result<void> sent = co_await upstream.send(route_.target, head_, sent_body);
  if (!sent) co_return co_await report_failure(exchange_, 503, sent.error().message, "unavailable_error");
  const Result<void> answered = co_await upstream.read_head();
  if (!answered) co_return co_await report_failure(exchange_, 502, answered.error().message, "server_error");
  account_.head_ms = exchange_.since_arrival.elapsed_ms();
  if (upstream.status() != 200) co_return co_await reply_refusal(upstream);
  account_.streamed = upstream.head()[http::field::content_type].starts_with(kEventStream);
  if (account_.streamed) co_return co_await reply_events(upstream);
  co_await reply_json(upstream);
}

// The account is taken when the target is done, so that it holds all of the time.
awaitable<std::string> SkimmedRequest::amended(std::string json) {
  if (account_.skimmed) account_.prompt_tokens = co_await count_.get();
  account_.end_ms = exchange_.since_arrival.elapsed_ms();
  log_outcome();
  co_return with_account(json, account_);
}

awaitable<void> SkimmedRequest::reply_events(Upstream& upstream) {
  if (!exchange_.begun()) {
    streaming_ = true;
    ReplyHead head;
    head.result(upstream.status());
    copy_end_to_end(upstream.head(), head);
    co_await exchange_.begin(std::move(head), std::nullopt);
  }
  EventForwarder events(
      exchange_, [this](std::string json) { return amended(std::move(json)); },
      [this] { account_.first_text_ms = exchange_.since_arrival.elapsed_ms(); });
  for (;;) {
    const Result<std::string_view> piece = co_await upstream.read_piece();
    if (!piece) co_return co_await report_failure(exchange_, 502, piece.error().message, "server_error");
    if (piece->empty()) break;
    co_await events.feed(*piece);
  }
  const bool complete = co_await events.finish();
  if (!complete) {
    co_return co_await report_failure(
        exchange_, 502, "the target ended its stream before the answer was complete", "server_error");
  }
  co_await exchange_.end();
}

awaitable<void> SkimmedRequest::reply_json(Upstream& upstream) {
  Result<std::string> json = co_await upstream.read_rest(kMostReplyBytes);
  if (!json) co_return co_await report_failure(exchange_, 502, json.error().message, "server_error");
  if (exchange_.begun()) {
    co_return co_await report_failure(exchange_, 502, "the target did not answer with a stream",
                                      "server_error");
  }
  ReplyHead head;
  head.result(upstream.status());
  copy_end_to_end(upstream.head(), head);
  if (is_json_object(*json)) *json = co_await amended(std::move(*json));
  co_await exchange_.reply(std::move(head), *json);
}

awaitable<void> SkimmedRequest::reply_refusal(Upstream& upstream) {
  Result<std::string> body = co_await upstream.read_rest(kMostReplyBytes);
  if (!body) co_return co_await report_failure(exchange_, 502, body.error().message, "server_error");
  const bool is_json = is_json_object(*body);
  if (is_json && is_context_error(*body)) {
    if (mode_ == Mode::automatic && !account_.skimmed) {
      mode_ = Mode::always;
      retry_ = true;
      co_return;
    }
    if (account_.skimmed) {
      account_.prompt_tokens = co_await count_.get();
      *body = context_error(*body, account_);
    }
  }
  if (!exchange_.begun()) {
    ReplyHead head;
    head.result(upstream.status());
    copy_end_to_end(upstream.head(), head);
    co_return co_await exchange_.reply(std::move(head), *body);
  }
  exchange_.close_afterwards();
  if (!is_json || !JsonView::of(*body).find("error")) {
    co_return co_await report_failure(
        exchange_, 502, "the target refused the request with status " + std::to_string(upstream.status()),
        "server_error");
  }
  const std::string event = "data: " + *body + "\n\n";
  co_await exchange_.write(event);
  co_await exchange_.end();
}

void SkimmedRequest::log_outcome() const {
  log::info("{} {}: {} of {} body tokens kept, queue {:.0f} ms, skim {:.0f} ms, total {:.0f} ms ({})",
            std::string(exchange_.request.target()), account_.skimmed ? "skimmed" : "whole",
            account_.skimmed ? skimmed_.kept_tokens : skimmed_.tokens, skimmed_.tokens,
            account_.skim_queue_ms, account_.skim_ms, account_.end_ms, skimmed_.reason);
}

}  // namespace skimfill
