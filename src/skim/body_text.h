// The body of a prompt in all the forms that a skim needs: text, tokens, units and chunks.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "signal/attention.h"
#include "signal/segments.h"
#include "skim/conversation.h"
#include "skim/units.h"

namespace skimfill {

inline constexpr std::int64_t kChunkTokens = 32;  // signals are compared as means over chunks of this size

class BodyText {
 public:
  BodyText(std::span<const Passage> passages, std::span<const BodyRange> ranges, const Tokenizer& tokenizer);

  struct Piece {
    BodyRange range;
    std::string_view text;
    std::vector<TextUnit> units;  // offsets are within `text`, tokens within the whole body
  };
  struct Chunk {
    std::int64_t first_token = 0;
    std::int64_t last_token = 0;
    std::string_view text;
  };

  std::int64_t n_token() const { return static_cast<std::int64_t>(tokens_.size()); }
  std::span<const Piece> pieces() const { return pieces_; }
  std::span<const Chunk> chunks() const { return chunks_; }

  // The body for an attention engine, in segments of at most `max_tokens`. Views this object.
  Body segments(std::int64_t max_tokens) const { return {tokens_, cut_segments(borders_, max_tokens)}; }

  // Means over each chunk of one value per token: [n_token] -> [n_chunk].
  std::vector<float> chunk_means(std::span<const float> values) const;

  // The score of every unit, piece by piece: the best of the chunks that share a good part with it.
  std::vector<float> unit_scores(std::span<const float> chunk_scores) const;

 private:
  void add(std::string_view text, const BodyRange& range, const Tokenizer& tokenizer);

  std::vector<Piece> pieces_;
  std::vector<Token> tokens_;
  std::vector<Border> borders_;
  std::vector<Chunk> chunks_;
};

}  // namespace skimfill
