#include "skim/body_text.h"

#include <algorithm>
#include <cassert>
#include <limits>

namespace skimfill {
namespace {

std::size_t to_size(std::int64_t n) { return static_cast<std::size_t>(n); }

// A chunk that only touches a unit must not lend it its score.
constexpr std::int64_t kMinSharedTokens = 8;

}  // namespace

BodyText::BodyText(std::span<const Passage> passages, std::span<const BodyRange> ranges,
                   const Tokenizer& tokenizer) {
  for (const BodyRange& range : ranges) {
    const std::string_view text = passages[to_size(range.passage)].text;
    add(text.substr(to_size(range.begin), to_size(range.end - range.begin)), range, tokenizer);
  }
}

void BodyText::add(std::string_view text, const BodyRange& range, const Tokenizer& tokenizer) {
  const TokenizedText tokenized = tokenizer.tokenize(text);
  const std::int64_t first = n_token();
  tokens_.insert(tokens_.end(), tokenized.tokens.begin(), tokenized.tokens.end());
  const std::vector<Border> borders = token_borders(text, tokenized);
  borders_.insert(borders_.end(), borders.begin(), borders.end());
  for (std::int64_t begin = 0; begin < tokenized.size(); begin += kChunkTokens) {
    const std::int64_t end = std::min(begin + kChunkTokens, tokenized.size());
    const std::int64_t first_byte = tokenized.offsets[to_size(begin)];
    const std::int64_t last_byte = tokenized.offsets[to_size(end)];
    chunks_.push_back({.first_token = first + begin,
                       .last_token = first + end,
                       .text = text.substr(to_size(first_byte), to_size(last_byte - first_byte))});
  }
  Piece piece{.range = range, .text = text, .units = split_units(text, tokenized)};
  for (TextUnit& unit : piece.units) {
    unit.first_token += first;
    unit.last_token += first;
  }
  pieces_.push_back(std::move(piece));
}

std::vector<float> BodyText::chunk_means(std::span<const float> values) const {
  assert(static_cast<std::int64_t>(values.size()) == n_token());
  std::vector<float> means;
  means.reserve(chunks_.size());
  for (const Chunk& chunk : chunks_) {
    double sum = 0;
    for (std::int64_t t = chunk.first_token; t < chunk.last_token; ++t) sum += values[to_size(t)];
    means.push_back(static_cast<float>(sum / static_cast<double>(chunk.last_token - chunk.first_token)));
  }
  return means;
}

std::vector<float> BodyText::unit_scores(std::span<const float> chunk_scores) const {
  std::vector<float> scores;
  std::size_t c = 0;  // the first chunk that may reach into the unit; units and chunks are both in order
  for (const Piece& piece : pieces_) {
    for (const TextUnit& unit : piece.units) {
      while (c + 1 < chunks_.size() && chunks_[c].last_token <= unit.first_token) ++c;
      const std::int64_t wanted = std::min(kMinSharedTokens, (unit.n_token() + 1) / 2);
      float best = std::numeric_limits<float>::lowest();
      for (std::size_t i = c;
           i < chunks_.size() && chunks_[i].first_token < std::max(unit.last_token, unit.first_token + 1);
           ++i) {
        const std::int64_t shared = std::min(unit.last_token, chunks_[i].last_token) -
                                    std::max(unit.first_token, chunks_[i].first_token);
        if (shared >= wanted) best = std::max(best, chunk_scores[i]);
      }
      // Only a unit without tokens of its own shares nothing with any chunk.
      scores.push_back(best == std::numeric_limits<float>::lowest() ? chunk_scores[c] : best);
    }
  }
  return scores;
}

}  // namespace skimfill
