#include "skim/units.h"

#include <algorithm>

namespace skimfill {
namespace {

constexpr std::int64_t kLongLineTokens = 48;      // longer lines are cut into sentences
constexpr std::int64_t kLongSentenceTokens = 64;  // longer sentences are cut between words

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool continues_code_point(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

std::size_t to_size(std::int64_t n) { return static_cast<std::size_t>(n); }

// The end of the line that begins at `begin`, with its line break and the blank lines after it.
std::size_t line_end(std::string_view text, std::size_t begin) {
  std::size_t end = text.find('\n', begin);
  if (end == std::string_view::npos) return text.size();
  for (std::size_t i = ++end; i < text.size() && is_space(text[i]); ++i) {
    if (text[i] == '\n') end = i + 1;
  }
  return end;
}

// The end of the sentence that begins at `begin`, with the spaces after it.
std::size_t sentence_end(std::string_view text, std::size_t begin) {
  for (std::size_t i = begin; i < text.size(); ++i) {
    const std::string_view rest = text.substr(i);
    for (const std::string_view mark : {"。", "！", "？"}) {
      if (rest.starts_with(mark)) return i + mark.size();
    }
    if (text[i] != '.' && text[i] != '!' && text[i] != '?' && text[i] != ';') continue;
    std::size_t end = i + 1;
    while (end < text.size() && (text[end] == '"' || text[end] == '\'' || text[end] == ')')) ++end;
    if (end == text.size() || !is_space(text[end])) continue;
    while (end < text.size() && is_space(text[end])) ++end;
    return end;
  }
  return text.size();
}

class Splitter {
 public:
  Splitter(std::string_view text, const TokenizedText& tokens) : text_(text), tokens_(tokens) {}

  std::vector<TextUnit> split() {
    for (std::size_t begin = 0; begin < text_.size();) {
      const std::size_t end = line_end(text_, begin);
      if (count(begin, end) <= kLongLineTokens) {
        add(begin, end);
      } else {
        split_line(begin, end);
      }
      begin = end;
    }
    return std::move(units_);
  }

 private:
  void split_line(std::size_t begin, std::size_t end) {
    while (begin < end) {
      const std::size_t stop = std::min(end, sentence_end(text_.substr(0, end), begin));
      split_sentence(begin, stop);
      begin = stop;
    }
  }

  void split_sentence(std::size_t begin, std::size_t end) {
    while (count(begin, end) > kLongSentenceTokens) {
      const std::int64_t token = token_at(begin) + kLongSentenceTokens;
      const auto limit = std::min(end, to_size(tokens_.offsets[to_size(token)]));
      std::size_t cut = text_.substr(0, limit).rfind(' ');
      cut = cut == std::string_view::npos || cut <= begin + (limit - begin) / 2 ? limit : cut + 1;
      while (cut > begin && cut < end && continues_code_point(text_[cut])) --cut;
      if (cut <= begin || cut >= end) break;  // no border inside: bytes that are not text
      add(begin, cut);
      begin = cut;
    }
    add(begin, end);
  }

  // Index of the first token that begins at or after a byte.
  std::int64_t token_at(std::size_t byte) const {
    const auto at =
        std::lower_bound(tokens_.offsets.begin(), tokens_.offsets.end(), static_cast<std::int64_t>(byte));
    return std::min(tokens_.size(), static_cast<std::int64_t>(at - tokens_.offsets.begin()));
  }
  std::int64_t count(std::size_t begin, std::size_t end) const { return last_token(end) - token_at(begin); }
  std::int64_t last_token(std::size_t end) const {
    return end == text_.size() ? tokens_.size() : token_at(end);
  }

  void add(std::size_t begin, std::size_t end) {
    if (begin == end) return;
    units_.push_back({.begin = static_cast<std::int64_t>(begin),
                      .end = static_cast<std::int64_t>(end),
                      .first_token = token_at(begin),
                      .last_token = last_token(end)});
  }

  std::string_view text_;
  const TokenizedText& tokens_;
  std::vector<TextUnit> units_;
};

}  // namespace

std::vector<TextUnit> split_units(std::string_view text, const TokenizedText& tokens) {
  return Splitter(text, tokens).split();
}

std::vector<Border> token_borders(std::string_view text, const TokenizedText& tokens) {
  std::vector<Border> borders(to_size(tokens.size()), Border::none);
  for (std::size_t i = 0; i < borders.size(); ++i) {
    const auto at = to_size(tokens.offsets[i]);
    if (at == 0) {
      borders[i] = Border::passage;
      continue;
    }
    // A token may bring its space along (" word"), so look at what lies around its first byte.
    const char before = text[at - 1];
    if (before == '\n') {
      borders[i] = at >= 2 && text[at - 2] == '\n' ? Border::paragraph : Border::line;
    } else if (is_space(before) || (at < text.size() && text[at] == ' ')) {
      const std::size_t word_end = is_space(before) ? text.find_last_not_of(" \t", at - 1) : at - 1;
      const bool sentence = word_end != std::string_view::npos &&
                            std::string_view(".!?:;").find(text[word_end]) != std::string_view::npos;
      borders[i] = sentence ? Border::sentence : Border::word;
    }
  }
  return borders;
}

}  // namespace skimfill
