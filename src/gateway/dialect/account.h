// What a request cost and what was kept of it, put into the target's reply where clients look for it.
//
// The parts add up to the time that the client waited: queue + skim + prefill + other + predicted. The
// target's own times are taken where it gives them; what it does not claim is queue while it had not begun,
// else other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/dialect/dialect.h"
#include "gateway/dialect/prompt.h"
#include "skimfill/skimfill.h"

namespace skimfill {

struct Account {
  bool streamed = false;  // the target answered with a stream
  bool skimmed = false;
  std::string skim_json;  // the reply's `skim` object

  double queue_ms = 0;  // waiting for another skim, and for a place at the target
  double skim_ms = 0;
  // Since the request's arrival:
  double sent_ms = 0;  // it went on to the target
  double head_ms = 0;  // the target's first byte: of a stream, when it began with the request
  std::optional<double> first_text_ms;  // the first text was passed on; only for streams
  double end_ms = 0;                    // the target's last byte

  std::optional<std::int64_t> prompt_tokens;     // what the client sent, as the target counts it
  std::int64_t drafter_prompt_tokens = 0;        // the same in the drafter's tokens, without template
  std::int64_t drafter_sent_tokens = 0;          // what was sent in its place
  std::optional<std::int64_t> prefilled_tokens;  // read by the target, of a stream whose start tells
};

// {"decision", "reason", "tokens", "kept_tokens", "path", "device", "timings_ms"} and, where wanted,
// "question" and "spans" with offsets into the texts of the messages.
std::string skim_json(const SkimResult& result, const Prompt& prompt, bool spans);

struct Times {
  double queue_ms = 0;
  double skim_ms = 0;
  std::optional<double> prefill_ms;  // nothing when the target gives no times and did not stream
  double other_ms = 0;
  double predicted_ms = 0;
  double ttft_ms = 0;

  double prompt_ms() const { return queue_ms + skim_ms + prefill_ms.value_or(0) + other_ms; }
};

// The target's prompt_ms and predicted_ms, where it gives them.
struct TargetTimes {
  double prompt_ms = 0;
  double predicted_ms = 0;
};

Times times_of(const Account& account, const std::optional<TargetTimes>& target);

// `json` is the target's whole reply: an object. Adds `skim`, fills `timings`, corrects `usage` where there
// is one: the prompt's count is what the client sent, and what was kept and cached of it stands beside it.
std::string with_account(Dialect dialect, std::string_view json, const Account& account);

// The same for the data of the stream's events that carry the counts and the times. The first one's are noted
// in the account, for the last one.
std::string with_counts_in_start(Dialect dialect, std::string_view json, Account& account);
std::string with_account_in_last(Dialect dialect, std::string_view json, const Account& account);

// The target's error for a prompt that does not fit, with the numbers that concern the client. `json` is an
// object.
bool is_context_error(std::string_view json);
std::string context_error(std::string_view json, const Account& account);

}  // namespace skimfill
