// Text to tokens and back to bytes, through libllama's vocabulary.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

struct llama_vocab;

namespace skimfill {

using Token = std::int32_t;

// Tokens of a text with the place of each in it.
struct TokenizedText {
  std::vector<Token> tokens;
  std::vector<std::int64_t>
      offsets;  // [n_token + 1] byte where token i begins; offsets[n_token] == text.size()

  std::int64_t size() const { return static_cast<std::int64_t>(tokens.size()); }
};

// Thread-safe. Control markers in the text are plain text here: user data never becomes a control token.
class Tokenizer {
 public:
  explicit Tokenizer(const llama_vocab* vocab) : vocab_(vocab) {}

  // For any bytes, valid UTF-8 or not: offsets never fall, begin at 0, end at text.size(), so every byte
  // belongs to exactly one token (or to none, where a normalising tokenizer drops it: then to its neighbour).
  TokenizedText tokenize(std::string_view text) const;

  std::int64_t count(std::string_view text) const;

 private:
  const llama_vocab* vocab_;
};

}  // namespace skimfill
