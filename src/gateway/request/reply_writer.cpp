#include "gateway/request/reply_writer.h"

#include <utility>

#include "core/log.h"

namespace skimfill {
namespace {

constexpr std::size_t kMostReplyBytes = 256 << 20;

bool is_json_object(std::string_view text) {
  return check_json(text).ok() && JsonView::of(text).is(JsonKind::object);
}

// llama-server's slots share one cache by default, and when it is full all requests in it fail.
bool is_crowded(std::string_view text) { return text.find("Context size has been exceeded") != text.npos; }

}  // namespace

awaitable<void> ReplyWriter::fail(const Failure& failure) {
  status_ = failure.status;
  const std::string json = error_body(form_.dialect, failure.status, failure.message, failure.type);
  if (exchange_.begun()) {
    exchange_.close_afterwards();
    const std::string event = error_event(form_.dialect, json);
    co_await exchange_.write(event);
    co_return co_await exchange_.end();
  }
  // A client's own mistake costs it no connection.
  if (failure.status >= 500) exchange_.close_afterwards();
  co_await exchange_.reply(failure.head(), json);
}

awaitable<void> ReplyWriter::begin_stream() {
  streaming_ = true;
  ReplyHead head;
  head.result(http::status::ok);
  head.set(http::field::content_type, "text/event-stream");
  head.set(http::field::cache_control, "no-cache");
  head.set("X-Accel-Buffering", "no");
  co_await exchange_.begin(std::move(head), std::nullopt);
}

awaitable<void> ReplyWriter::comment() { co_await exchange_.write(":\n\n"); }

awaitable<void> ReplyWriter::tell_progress(std::string_view stage, double ms) {
  if (!form_.streams || !form_.progress) co_return;
  if (!exchange_.begun()) co_await begin_stream();
  const std::string event = progress_event(form_.dialect, stage, ms);
  co_await exchange_.write(event);
}

awaitable<ReplyWriter::End> ReplyWriter::write(Upstream& upstream) {
  account_.head_ms = exchange_.since_arrival.elapsed_ms();
  if (upstream.status() != 200) co_return co_await read_refusal(upstream);
  account_.streamed = upstream.is_event_stream();
  if (account_.streamed) co_return co_await write_events(upstream);
  co_await write_object(upstream);
  co_return End::done;
}

// The account is taken when the target is done, so that it holds all of the time.
awaitable<void> ReplyWriter::complete_account() {
  if (account_.skimmed && !account_.prompt_tokens) account_.prompt_tokens = co_await count_.get();
  account_.end_ms = exchange_.since_arrival.elapsed_ms();
}

awaitable<void> ReplyWriter::write_event(Upstream& upstream, ReplyEvent event) {
  using Part = ReplyEvent::Part;
  if (event.part == Part::progress && !(form_.streams && form_.progress)) co_return;
  if (event.has_text && !account_.first_text_ms)
    account_.first_text_ms = exchange_.since_arrival.elapsed_ms();
  if (event.part == Part::last) co_await complete_account();
  if (form_.accounts && event.part == Part::start) {
    if (account_.skimmed) account_.prompt_tokens = co_await count_.get();
    event.bytes = amend_start(form_.dialect, std::move(event.bytes), account_);
  } else if (form_.accounts && event.part == Part::last) {
    event.bytes = amend_last(form_.dialect, std::move(event.bytes), account_);
  }
  if (assembler_) {
    assembler_->add(event);
    co_return;
  }
  if (!exchange_.begun()) {
    streaming_ = true;
    co_await exchange_.begin(upstream.end_to_end_head(), std::nullopt);
  }
  answering_ |= event.part != Part::progress;
  co_await exchange_.write(event.bytes);
}

awaitable<ReplyWriter::End> ReplyWriter::write_events(Upstream& upstream) {
  assembler_.reset();
  if (!form_.streams) assembler_.emplace(form_.dialect);
  ReplyReader reader(form_.dialect, form_.model);
  bool failed = false;
  for (bool ended = false; !ended;) {
    const Result<std::string_view> piece = co_await upstream.read_piece();
    if (!piece) {
      co_await fail(bad_answer(piece.error().message));
      co_return End::done;
    }
    ended = piece->empty();
    if (ended) {
      reader.finish();
    } else {
      reader.feed(*piece);
    }
    while (auto event = reader.next()) {
      if (event->part == ReplyEvent::Part::error) {
        if (!answering_ && is_crowded(event->bytes)) co_return End::crowded;
        failed = true;
        exchange_.close_afterwards();
      }
      co_await write_event(upstream, std::move(*event));
    }
  }
  if (!reader.complete()) {
    co_await fail(bad_answer("the target ended its stream before the answer was complete"));
    co_return End::done;
  }
  status_ = failed ? 500 : 200;
  if (assembler_) {
    co_await write_assembled(upstream);
  } else {
    co_await exchange_.end();
  }
  co_return End::done;
}

awaitable<void> ReplyWriter::write_assembled(Upstream& upstream) {
  ReplyHead head = upstream.end_to_end_head();
  head.set(http::field::content_type, "application/json; charset=utf-8");
  head.erase("X-Accel-Buffering");
  const auto failure = assembler_->failure();
  if (failure) status_ = failure->status;
  head.result(status_);
  const std::string body = failure ? failure->body : assembler_->reply();
  co_await exchange_.reply(std::move(head), body);
}

awaitable<void> ReplyWriter::write_object(Upstream& upstream) {
  Result<std::string> json = co_await upstream.read_rest(kMostReplyBytes);
  if (!json) co_return co_await fail(bad_answer(json.error().message));
  if (exchange_.begun()) co_return co_await fail(bad_answer("the target did not answer with a stream"));
  if (json->empty()) co_return co_await fail(bad_answer("the target answered with nothing"));
  status_ = upstream.status();
  co_await complete_account();
  if (form_.accounts && is_json_object(*json)) *json = with_account(form_.dialect, *json, account_);
  co_await exchange_.reply(upstream.end_to_end_head(), *json);
}

awaitable<ReplyWriter::End> ReplyWriter::read_refusal(Upstream& upstream) {
  Result<std::string> body = co_await upstream.read_rest(kMostReplyBytes);
  if (!body) {
    co_await fail(bad_answer(body.error().message));
    co_return End::done;
  }
  if (upstream.status() >= 500 && is_crowded(*body)) co_return End::crowded;
  refusal_head_ = upstream.end_to_end_head();
  refusal_ = std::move(*body);
  if (is_json_object(refusal_) && is_context_error(refusal_)) co_return End::too_long;
  co_await write_refusal();
  co_return End::done;
}

awaitable<void> ReplyWriter::write_refusal() {
  const unsigned status = refusal_head_->result_int();
  const bool is_json = is_json_object(refusal_);
  if (is_json && account_.skimmed && is_context_error(refusal_)) {
    account_.prompt_tokens = co_await count_.get();
    refusal_ = context_error(refusal_, account_);
  }
  if (!exchange_.begun()) {
    status_ = status;
    co_return co_await exchange_.reply(std::move(*refusal_head_), refusal_);
  }
  if (!is_json || !JsonView::of(refusal_).find("error")) {
    co_return co_await fail(
        bad_answer("the target refused the request with status " + std::to_string(status)));
  }
  status_ = status;
  exchange_.close_afterwards();
  const std::string event = error_event(form_.dialect, refusal_);
  co_await exchange_.write(event);
  co_await exchange_.end();
}

}  // namespace skimfill
