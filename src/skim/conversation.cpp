#include "skim/conversation.h"

#include <algorithm>
#include <array>
#include <optional>

namespace skimfill {
namespace {

constexpr std::size_t kShortTextBytes =
    1024;                                    // a whole text of this size can be a question (about 250 tokens)
constexpr std::size_t kQuestionBytes = 640;  // a question inside a long text lies this near to an end of it
constexpr std::size_t kMinBodyBytes = 256;   // shorter pieces are not worth a mark

struct Range {
  std::size_t begin = 0;
  std::size_t end = 0;
};

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

// Question marks of Latin, CJK and Arabic script; returns the place after the last one.
std::optional<std::size_t> after_last_question_mark(std::string_view text) {
  constexpr std::array<std::string_view, 3> kMarks{"?", "？", "؟"};
  std::optional<std::size_t> best;
  for (const std::string_view mark : kMarks) {
    const std::size_t at = text.rfind(mark);
    if (at != std::string_view::npos) best = std::max(best.value_or(0), at + mark.size());
  }
  return best;
}

// Where the sentence begins that contains the byte before `end`.
std::size_t sentence_begin(std::string_view text, std::size_t end) {
  for (std::size_t i = end; i-- > 0;) {
    if (i + 1 >= end) continue;  // the sentence's own closing mark
    if (text[i] == '\n') return i + 1;
    const bool closes = text[i] == '.' || text[i] == '!' || text[i] == '?';
    if (closes && is_space(text[i + 1])) return i + 1;
    for (const std::string_view mark : {"。", "？", "！"}) {
      if (text.substr(i).starts_with(mark) && i + mark.size() < end) return i + mark.size();
    }
  }
  return 0;
}

std::vector<Range> question_in_long_text(std::string_view text) {
  const std::size_t content_end = static_cast<std::size_t>(trim(text).end() - text.begin());
  const std::size_t tail_begin = content_end > kQuestionBytes ? content_end - kQuestionBytes : 0;
  const std::string_view tail = text.substr(tail_begin, content_end - tail_begin);
  if (const auto mark_end = after_last_question_mark(tail)) {
    return {{tail_begin + sentence_begin(tail, *mark_end), text.size()}};
  }
  if (const auto mark_end = after_last_question_mark(text.substr(0, kQuestionBytes))) return {{0, *mark_end}};

  // No question mark near either end: an order such as "Summarise this:" is the first line or the last one.
  std::vector<Range> ranges;
  const std::size_t first_end = text.find('\n');
  if (first_end != std::string_view::npos && first_end <= kQuestionBytes) ranges.push_back({0, first_end});
  const std::size_t last_break = text.substr(0, content_end).rfind('\n');
  const std::size_t last_begin = last_break == std::string_view::npos ? 0 : last_break + 1;
  if (content_end - last_begin <= kQuestionBytes) {
    ranges.push_back({last_begin, text.size()});
  } else {
    ranges.push_back({tail_begin + sentence_begin(tail, tail.size()), text.size()});
  }
  return ranges;
}

// The protected ranges of each passage of the last user message.
std::vector<std::vector<Range>> protect_question(std::span<const Passage> passages,
                                                 std::string_view question) {
  std::vector<std::vector<Range>> keep(passages.size());
  const auto last_user = std::find_if(passages.rbegin(), passages.rend(),
                                      [](const Passage& passage) { return passage.role == Role::user; });
  if (last_user == passages.rend()) return keep;
  std::vector<std::size_t> parts;  // the texts of that message
  for (std::size_t i = 0; i < passages.size(); ++i) {
    if (passages[i].role == Role::user && passages[i].message == last_user->message) parts.push_back(i);
  }

  if (!trim(question).empty()) {
    for (const std::size_t i : parts) {
      const std::size_t at = passages[i].text.rfind(trim(question));
      if (at != std::string_view::npos) keep[i].push_back({at, at + trim(question).size()});
    }
    return keep;
  }
  bool found = false;
  for (const std::size_t i : parts) {
    const std::string_view text = passages[i].text;
    if (text.size() > kShortTextBytes || trim(text).empty()) continue;
    keep[i].push_back({0, text.size()});
    found = true;
  }
  if (!found && !parts.empty()) keep[parts.back()] = question_in_long_text(passages[parts.back()].text);
  return keep;
}

}  // namespace

Conversation read_conversation(std::span<const Passage> passages, std::string_view question) {
  Conversation conversation;
  const std::vector<std::vector<Range>> keep = protect_question(passages, question);
  conversation.question = trim(question);
  for (std::size_t i = 0; i < passages.size(); ++i) {
    const std::string_view text = passages[i].text;
    const bool may_skim = passages[i].role == Role::user || passages[i].role == Role::tool;
    std::size_t begin = 0;
    const auto add_body = [&](std::size_t end) {
      if (may_skim && end >= begin + kMinBodyBytes) {
        conversation.body.push_back({.passage = static_cast<std::int64_t>(i),
                                     .begin = static_cast<std::int64_t>(begin),
                                     .end = static_cast<std::int64_t>(end)});
      }
    };
    for (const Range& range : keep[i]) {
      add_body(range.begin);
      begin = range.end;
      if (!trim(question).empty()) continue;
      if (!conversation.question.empty()) conversation.question += '\n';
      conversation.question += trim(text.substr(range.begin, range.end - range.begin));
    }
    add_body(text.size());
  }
  return conversation;
}

}  // namespace skimfill
