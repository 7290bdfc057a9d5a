#include "gateway/dialect/account.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "gateway/json/json_members.h"

namespace skimfill {
namespace {

// Where a dialect keeps what. A dialect without `details` has its counts side by side: then `prompt` leaves
// out what was cached.
struct Places {
  std::string_view start;  // the member of a stream's first event that holds the usage
  std::string_view last;   // the member of a stream's last event that is the reply
  std::string_view prompt;
  std::string_view details;
  std::string_view generated;
  std::string_view cached;
  std::string_view kept;
};

constexpr Places kOpenAi{.start = "",
                         .last = "",
                         .prompt = "prompt_tokens",
                         .details = "prompt_tokens_details",
                         .generated = "completion_tokens",
                         .cached = "cached_tokens",
                         .kept = "kept_tokens"};
constexpr Places kMessages{.start = "message",
                           .last = "",
                           .prompt = "input_tokens",
                           .details = "",
                           .generated = "output_tokens",
                           .cached = "cache_read_input_tokens",
                           .kept = "kept_input_tokens"};
constexpr Places kResponses{.start = "response",
                            .last = "response",
                            .prompt = "input_tokens",
                            .details = "input_tokens_details",
                            .generated = "output_tokens",
                            .cached = "cached_tokens",
                            .kept = "kept_tokens"};

const Places& places_of(Dialect dialect) {
  if (dialect == Dialect::messages) return kMessages;
  return dialect == Dialect::responses ? kResponses : kOpenAi;
}

struct Counts {
  std::int64_t sent = 0;      // of the prompt as it went on to the target
  std::int64_t original = 0;  // of the prompt as the client sent it
  std::optional<std::int64_t> cached;
  bool estimated = false;

  std::int64_t prefilled() const { return sent - cached.value_or(0); }
};

// Of a prompt whose counts the target did not give.
Counts counted_by_us(const Account& account) {
  Counts counts{.sent = *account.prompt_tokens, .original = *account.prompt_tokens};
  if (!account.skimmed) return counts;
  const double kept = static_cast<double>(account.drafter_sent_tokens) /
                      static_cast<double>(std::max<std::int64_t>(account.drafter_prompt_tokens, 1));
  counts.sent = std::llround(kept * static_cast<double>(counts.original));
  counts.estimated = true;
  return counts;
}

std::optional<Counts> counts_of(const Places& places, const std::vector<JsonMember>& usage,
                                const Account& account) {
  std::optional<std::int64_t> sent = integer_of(usage, places.prompt);
  if (!sent) return std::nullopt;
  Counts counts;
  if (places.details.empty()) {
    counts.cached = integer_of(usage, places.cached);
    *sent += counts.cached.value_or(0);
  } else {
    counts.cached = integer_of(members_of(find_member(usage, places.details)), places.cached);
  }
  counts.sent = counts.original = *sent;
  if (*sent == 0 && account.prompt_tokens) return counted_by_us(account);
  if (!account.skimmed) return counts;
  if (account.prompt_tokens) {
    counts.original = *account.prompt_tokens;
    return counts;
  }
  const double scale = static_cast<double>(*sent) /
                       static_cast<double>(std::max<std::int64_t>(account.drafter_sent_tokens, 1));
  counts.original = std::llround(scale * static_cast<double>(account.drafter_prompt_tokens));
  counts.estimated = true;
  return counts;
}

void edit_usage(JsonEdits& edits, const Places& places, const JsonView& usage, const Counts& counts) {
  const std::vector<JsonMember> members = usage.members();
  JsonMembers details;
  if (!counts.cached && !places.details.empty()) put_member(details, places.cached, "0");
  put_member(details, places.kept, std::to_string(counts.sent));
  if (counts.estimated) put_member(details, "estimated", "true");
  JsonMembers changed;
  if (places.details.empty()) {
    const std::int64_t uncached = std::max<std::int64_t>(counts.original - counts.cached.value_or(0), 0);
    put_member(changed, places.prompt, std::to_string(uncached));
    changed.insert(changed.end(), details.begin(), details.end());
    return edits.set_members(usage, changed);
  }
  put_member(changed, places.prompt, std::to_string(counts.original));
  if (const auto generated = integer_of(members, places.generated)) {
    put_member(changed, "total_tokens", std::to_string(counts.original + *generated));
  }
  const std::optional<JsonView> old_details = find_member(members, places.details);
  if (old_details && old_details->is(JsonKind::object)) {
    edits.set_members(*old_details, details);
  } else {
    put_member(changed, places.details, json_object(details));
  }
  edits.set_members(usage, changed);
}

// `prefilled`: the tokens that the target read, where it does not say so itself.
JsonMembers timing_members(const std::vector<JsonMember>& target, const Times& times,
                           std::optional<std::int64_t> prefilled) {
  JsonMembers members{{"queue_ms", json_number(times.queue_ms)},
                      {"skim_ms", json_number(times.skim_ms)},
                      {"other_ms", json_number(times.other_ms)}};
  if (!times.prefill_ms) return members;
  std::optional<double> prompt_n = number_of(target, "prompt_n");
  if (!prompt_n && prefilled) {
    prompt_n = static_cast<double>(*prefilled);
    members.emplace_back("prompt_n", std::to_string(*prefilled));
  }
  members.emplace_back("prefill_ms", json_number(*times.prefill_ms));
  members.emplace_back("prompt_ms", json_number(times.prompt_ms()));
  members.emplace_back("ttft_ms", json_number(times.ttft_ms));
  if (prompt_n && *times.prefill_ms > 0) {
    members.emplace_back("prompt_per_second", json_number(*prompt_n / *times.prefill_ms * 1000));
  }
  if (!number_of(target, "predicted_ms")) {
    members.emplace_back("predicted_ms", json_number(times.predicted_ms));
  }
  return members;
}

// `reply` stands in `json`, or is all of it. `target`: the target's own times, an object.
std::string put_account(const Places& places, std::string_view json, const JsonView& reply,
                        std::string_view target, const Account& account) {
  const std::optional<JsonView> usage = reply.find("usage");
  const std::vector<JsonMember> timings = JsonView::of(target).members();
  const std::optional<double> prompt_ms = number_of(timings, "prompt_ms");
  const std::optional<double> predicted_ms = number_of(timings, "predicted_ms");
  std::optional<TargetTimes> target_times;
  if (prompt_ms && predicted_ms) target_times = {*prompt_ms, *predicted_ms};
  const std::optional<Counts> counts = counts_of(places, members_of(usage), account);

  JsonEdits own_times(target);
  own_times.set_members(JsonView::of(target),
                        timing_members(timings, times_of(account, target_times),
                                       counts ? counts->prefilled() : account.prefilled_tokens));
  JsonEdits edits(json);
  if (counts) edit_usage(edits, places, *usage, *counts);
  edits.set_members(reply, {{"skim", account.skim_json}, {"timings", own_times.apply()}});
  return edits.apply();
}

std::string object_or_empty(const std::optional<JsonView>& value) {
  return value && value->is(JsonKind::object) ? std::string(value->bytes()) : "{}";
}

}  // namespace

std::string skim_json(const SkimResult& result, const Prompt& prompt, bool spans) {
  JsonMembers members{{"decision", result.decision == Decision::skimmed ? "\"skimmed\"" : "\"whole\""},
                      {"reason", quote_json(result.reason)},
                      {"tokens", std::to_string(result.tokens)},
                      {"kept_tokens", std::to_string(result.kept_tokens)},
                      {"path", quote_json(result.path)},
                      {"device", quote_json(result.device)},
                      {"timings_ms", json_object({{"queue", json_number(result.timings.queue_ms)},
                                                  {"tokenize", json_number(result.timings.tokenize_ms)},
                                                  {"score", json_number(result.timings.score_ms)},
                                                  {"select", json_number(result.timings.select_ms)},
                                                  {"total", json_number(result.timings.total_ms)}})}};
  if (!spans) return json_object(members);
  std::string list = "[";
  for (const Span& span : result.spans) {
    if (list.size() > 1) list += ',';
    JsonMembers place{{"message", std::to_string(span.message)}};
    if (const auto part = prompt.parts[static_cast<std::size_t>(span.passage)]) {
      place.emplace_back("part", std::to_string(*part));
    }
    if (const auto subpart = prompt.subparts[static_cast<std::size_t>(span.passage)]) {
      place.emplace_back("subpart", std::to_string(*subpart));
    }
    place.emplace_back("begin", std::to_string(span.begin));
    place.emplace_back("end", std::to_string(span.end));
    if (std::isfinite(span.score)) place.emplace_back("score", json_number(static_cast<double>(span.score)));
    list += json_object(place);
  }
  members.emplace_back("question", quote_json(result.question));
  members.emplace_back("spans", list + ']');
  return json_object(members);
}

Times times_of(const Account& account, const std::optional<TargetTimes>& target) {
  Times times{.queue_ms = account.queue_ms, .skim_ms = account.skim_ms};
  const double at_target_ms = std::max(account.end_ms - account.sent_ms, 0.0);
  if (target) {
    times.prefill_ms = target->prompt_ms;
    times.predicted_ms = target->predicted_ms;
    const double idle_ms = std::max(at_target_ms - target->prompt_ms - target->predicted_ms, 0.0);
    times.queue_ms += account.streamed ? std::min(idle_ms, account.head_ms - account.sent_ms) : idle_ms;
  } else if (account.streamed) {
    times.predicted_ms = account.end_ms - account.first_text_ms.value_or(account.end_ms);
    const double until_text_ms = std::max(at_target_ms - times.predicted_ms, 0.0);
    const double until_begun_ms = std::clamp(account.head_ms - account.sent_ms, 0.0, until_text_ms);
    times.queue_ms += until_begun_ms;
    times.prefill_ms = until_text_ms - until_begun_ms;
  } else {
    times.predicted_ms = at_target_ms;
  }
  const double known_ms = times.queue_ms + times.skim_ms + times.prefill_ms.value_or(0) + times.predicted_ms;
  times.other_ms = std::max(account.end_ms - known_ms, 0.0);
  times.ttft_ms = account.streamed ? account.first_text_ms.value_or(account.end_ms) : times.prompt_ms();
  return times;
}

std::string with_account(Dialect dialect, std::string_view json, const Account& account) {
  const JsonView reply = JsonView::of(json);
  return put_account(places_of(dialect), json, reply, object_or_empty(reply.find("timings")), account);
}

std::string with_account_in_last(Dialect dialect, std::string_view json, const Account& account) {
  const Places& places = places_of(dialect);
  if (places.last.empty()) return with_account(dialect, json, account);
  // Inside the reply, so that it is the same as the unstreamed one; llama-server puts its times beside it,
  // and there they stay too.
  const JsonView event = JsonView::of(json);
  const std::optional<JsonView> reply = event.find(places.last);
  if (!reply || !reply->is(JsonKind::object)) return std::string(json);
  const std::optional<JsonView> beside = event.find("timings");
  std::string amended = put_account(places, json, *reply, object_or_empty(beside), account);
  if (!beside) return amended;
  const JsonView whole = JsonView::of(amended);
  JsonEdits edits(amended);
  edits.set_members(whole, {{"timings", std::string(whole.find(places.last)->find("timings")->bytes())}});
  return edits.apply();
}

std::string with_counts_in_start(Dialect dialect, std::string_view json, Account& account) {
  const Places& places = places_of(dialect);
  const std::optional<JsonView> usage =
      find_member(members_of(JsonView::of(json).find(places.start)), "usage");
  const std::optional<Counts> counts = counts_of(places, members_of(usage), account);
  if (!counts) return std::string(json);
  account.prefilled_tokens = counts->prefilled();
  JsonEdits edits(json);
  edit_usage(edits, places, *usage, *counts);
  return edits.apply();
}

bool is_context_error(std::string_view json) {
  const std::vector<JsonMember> error = members_of(JsonView::of(json).find("error"));
  const auto says = [&](std::string_view name, std::string_view text) {
    const std::optional<JsonView> value = find_member(error, name);
    return value && value->is(JsonKind::string) && value->as_string().find(text) != std::string::npos;
  };
  return says("type", "exceed_context_size") || says("code", "context_length_exceeded") ||
         says("message", "maximum context length");
}

std::string context_error(std::string_view json, const Account& account) {
  const std::optional<JsonView> error = JsonView::of(json).find("error");
  const std::vector<JsonMember> members = members_of(error);
  const std::optional<std::int64_t> sent = integer_of(members, "n_prompt_tokens");
  const std::optional<std::int64_t> limit = integer_of(members, "n_ctx");
  const std::int64_t original = account.prompt_tokens.value_or(account.drafter_prompt_tokens);
  const std::int64_t kept = sent.value_or(account.drafter_sent_tokens);
  std::string message = "the prompt has " + std::to_string(original) + " tokens; the " +
                        std::to_string(kept) + " that were kept of it do not fit the target's context";
  if (limit) message += " of " + std::to_string(*limit) + " tokens";
  message += "; lower skim.keep_ratio or skim.budget, or start the target with a larger context";
  JsonEdits edits(json);
  edits.set_members(*error, {{"message", quote_json(message)},
                             {"n_prompt_tokens", std::to_string(original)},
                             {"n_kept_tokens", std::to_string(kept)}});
  edits.set_members(JsonView::of(json), {{"skim", account.skim_json}});
  return edits.apply();
}

}  // namespace skimfill
