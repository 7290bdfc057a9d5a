#include "signal/lexical.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace skimfill {
namespace {

bool is_ascii_word(unsigned char byte) {
  return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
         byte == '_';
}

// Three-byte UTF-8 from U+2E80 to U+9FFF and the Hangul and compatibility blocks: scripts written without
// spaces (Hangul has spaces, but its words carry particles).
bool starts_cjk(std::string_view text) {
  if (text.size() < 3) return false;
  const auto byte = static_cast<unsigned char>(text[0]);
  return (byte == 0xE2 && static_cast<unsigned char>(text[1]) >= 0xBA) || (byte >= 0xE3 && byte <= 0xED);
}

}  // namespace

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::size_t i = 0;
  while (i < text.size()) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (is_ascii_word(byte)) {
      std::string word;
      for (; i < text.size() && is_ascii_word(static_cast<unsigned char>(text[i])); ++i) {
        const char letter = text[i];
        word.push_back(letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter);
      }
      words.push_back(std::move(word));
    } else if (starts_cjk(text.substr(i))) {
      words.emplace_back(text.substr(i, 3));
      i += 3;
    } else if (byte >= 0x80) {
      const std::size_t begin = i;
      while (i < text.size() && static_cast<unsigned char>(text[i]) >= 0x80 && !starts_cjk(text.substr(i)))
        ++i;
      words.emplace_back(text.substr(begin, i - begin));
    } else {
      ++i;
    }
  }
  return words;
}

std::vector<float> bm25(std::string_view question, std::span<const std::string_view> chunks) {
  constexpr double kK1 = 1.2;
  constexpr double kB = 0.75;

  std::unordered_map<std::string, std::size_t> term_index;
  for (std::string& word : words_of(question)) term_index.try_emplace(std::move(word), term_index.size());

  const std::size_t n_term = term_index.size();
  std::vector<std::int64_t> length(chunks.size(), 0);              // [n_chunk] words
  std::vector<std::int32_t> frequency(chunks.size() * n_term, 0);  // [n_chunk, n_term]
  std::vector<std::int64_t> n_chunk_with(n_term, 0);               // [n_term]
  double total_length = 0;
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    for (const std::string& word : words_of(chunks[c])) {
      ++length[c];
      const auto term = term_index.find(word);
      if (term != term_index.end() && frequency[c * n_term + term->second]++ == 0)
        ++n_chunk_with[term->second];
    }
    total_length += static_cast<double>(length[c]);
  }

  std::vector<float> score(chunks.size(), 0.0F);
  if (total_length == 0) return score;
  const auto n_chunk = static_cast<double>(chunks.size());
  const double mean_length = total_length / n_chunk;
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    double sum = 0;
    for (std::size_t t = 0; t < n_term; ++t) {
      const double tf = frequency[c * n_term + t];
      if (tf == 0) continue;
      const auto n_with = static_cast<double>(n_chunk_with[t]);
      const double idf = std::log(1 + (n_chunk - n_with + 0.5) / (n_with + 0.5));
      sum += idf * tf * (kK1 + 1) / (tf + kK1 * (1 - kB + kB * static_cast<double>(length[c]) / mean_length));
    }
    score[c] = static_cast<float>(sum);
  }
  return score;
}

}  // namespace skimfill
