#include "gateway/dialect/account.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

namespace skimfill {
namespace {

using Members = std::vector<std::pair<std::string, std::string>>;

std::string number(double value) {
  std::array<char, 32> text;
  const double micro = std::round(value * 1000) / 1000;
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), micro + 0.0).ptr};
}

std::string object(const Members& members) {
  std::string json = "{";
  for (const auto& [name, value] : members) {
    if (json.size() > 1) json += ',';
    json += quote_json(name) + ':' + value;
  }
  return json + '}';
}

std::optional<double> number_of(const std::vector<JsonMember>& members, std::string_view name) {
  const std::optional<JsonView> value = find_member(members, name);
  if (!value || !value->is(JsonKind::number)) return std::nullopt;
  return value->as_number();
}

std::optional<std::int64_t> integer_of(const std::vector<JsonMember>& members, std::string_view name) {
  const std::optional<JsonView> value = find_member(members, name);
  return value ? value->as_integer() : std::nullopt;
}

std::vector<JsonMember> members_of(const std::optional<JsonView>& value) {
  return value ? value->members() : std::vector<JsonMember>();
}

struct Counts {
  std::int64_t sent = 0;      // of the prompt as it went on to the target
  std::int64_t original = 0;  // of the prompt as the client sent it
  std::optional<std::int64_t> cached;
  bool estimated = false;
};

std::optional<Counts> counts_of(const std::vector<JsonMember>& usage, const Account& account) {
  const std::optional<std::int64_t> sent = integer_of(usage, "prompt_tokens");
  if (!sent) return std::nullopt;
  Counts counts{.sent = *sent, .original = *sent};
  counts.cached = integer_of(members_of(find_member(usage, "prompt_tokens_details")), "cached_tokens");
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

void edit_usage(JsonEdits& edits, const JsonView& usage, const Counts& counts) {
  const std::vector<JsonMember> members = usage.members();
  Members details{{"kept_tokens", std::to_string(counts.sent)}};
  if (!counts.cached) details.insert(details.begin(), {"cached_tokens", "0"});
  if (counts.estimated) details.emplace_back("estimated", "true");
  Members changed{{"prompt_tokens", std::to_string(counts.original)}};
  if (const auto completion = integer_of(members, "completion_tokens")) {
    changed.emplace_back("total_tokens", std::to_string(counts.original + *completion));
  }
  const std::optional<JsonView> old_details = find_member(members, "prompt_tokens_details");
  if (old_details && old_details->is(JsonKind::object)) {
    edits.set_members(*old_details, details);
  } else {
    changed.emplace_back("prompt_tokens_details", object(details));
  }
  edits.set_members(usage, changed);
}

Members timing_members(const std::vector<JsonMember>& target, const Times& times,
                       const std::optional<Counts>& counts) {
  Members members{{"queue_ms", number(times.queue_ms)},
                  {"skim_ms", number(times.skim_ms)},
                  {"other_ms", number(times.other_ms)}};
  if (!times.prefill_ms) return members;
  std::optional<double> prompt_n = number_of(target, "prompt_n");
  if (!prompt_n && counts) {
    prompt_n = static_cast<double>(counts->sent - counts->cached.value_or(0));
    members.emplace_back("prompt_n", number(*prompt_n));
  }
  members.emplace_back("prefill_ms", number(*times.prefill_ms));
  members.emplace_back("prompt_ms", number(times.prompt_ms()));
  members.emplace_back("ttft_ms", number(times.ttft_ms));
  if (prompt_n && *times.prefill_ms > 0) {
    members.emplace_back("prompt_per_second", number(*prompt_n / *times.prefill_ms * 1000));
  }
  if (!number_of(target, "predicted_ms")) members.emplace_back("predicted_ms", number(times.predicted_ms));
  return members;
}

}  // namespace

std::string skim_json(const SkimResult& result, const Prompt& prompt, bool spans) {
  Members members{{"decision", result.decision == Decision::skimmed ? "\"skimmed\"" : "\"whole\""},
                  {"reason", quote_json(result.reason)},
                  {"tokens", std::to_string(result.tokens)},
                  {"kept_tokens", std::to_string(result.kept_tokens)},
                  {"path", quote_json(result.path)},
                  {"device", quote_json(result.device)},
                  {"timings_ms", object({{"queue", number(result.timings.queue_ms)},
                                         {"tokenize", number(result.timings.tokenize_ms)},
                                         {"score", number(result.timings.score_ms)},
                                         {"select", number(result.timings.select_ms)},
                                         {"total", number(result.timings.total_ms)}})}};
  if (!spans) return object(members);
  std::string list = "[";
  for (const Span& span : result.spans) {
    if (list.size() > 1) list += ',';
    Members place{{"message", std::to_string(span.message)}};
    if (const auto part = prompt.parts[static_cast<std::size_t>(span.passage)]) {
      place.emplace_back("part", std::to_string(*part));
    }
    place.emplace_back("begin", std::to_string(span.begin));
    place.emplace_back("end", std::to_string(span.end));
    if (std::isfinite(span.score)) place.emplace_back("score", number(static_cast<double>(span.score)));
    list += object(place);
  }
  members.emplace_back("question", quote_json(result.question));
  members.emplace_back("spans", list + ']');
  return object(members);
}

Times times_of(const Account& account, const std::optional<TargetTimes>& target) {
  Times times{.queue_ms = account.skim_queue_ms, .skim_ms = account.skim_ms};
  const double at_target_ms = std::max(account.end_ms - account.sent_ms, 0.0);
  if (target) {
    times.prefill_ms = target->prompt_ms;
    times.predicted_ms = target->predicted_ms;
    const double idle_ms = std::max(at_target_ms - target->prompt_ms - target->predicted_ms, 0.0);
    times.queue_ms += account.streamed ? std::min(idle_ms, account.head_ms - account.sent_ms) : idle_ms;
  } else if (account.streamed) {
    times.predicted_ms = account.end_ms - account.first_text_ms.value_or(account.end_ms);
    times.prefill_ms = std::max(at_target_ms - times.predicted_ms, 0.0);
  } else {
    times.predicted_ms = at_target_ms;
  }
  const double known_ms = times.queue_ms + times.skim_ms + times.prefill_ms.value_or(0) + times.predicted_ms;
  times.other_ms = std::max(account.end_ms - known_ms, 0.0);
  times.ttft_ms = account.streamed ? account.first_text_ms.value_or(account.end_ms) : times.prompt_ms();
  return times;
}

std::string with_account(std::string_view json, const Account& account) {
  const JsonView reply = JsonView::of(json);
  const std::vector<JsonMember> members = reply.members();
  const std::optional<JsonView> timings = find_member(members, "timings");
  const std::optional<JsonView> usage = find_member(members, "usage");
  const std::vector<JsonMember> target = members_of(timings);

  const std::optional<double> prompt_ms = number_of(target, "prompt_ms");
  const std::optional<double> predicted_ms = number_of(target, "predicted_ms");
  std::optional<TargetTimes> target_times;
  if (prompt_ms && predicted_ms) target_times = {*prompt_ms, *predicted_ms};
  const std::optional<Counts> counts = counts_of(members_of(usage), account);
  const Members times = timing_members(target, times_of(account, target_times), counts);

  JsonEdits edits(json);
  Members added{{"skim", account.skim_json}};
  if (timings && timings->is(JsonKind::object)) {
    edits.set_members(*timings, times);
  } else {
    added.emplace_back("timings", object(times));
  }
  if (counts) edit_usage(edits, *usage, *counts);
  edits.set_members(reply, added);
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
