#include "model/align.h"

#include <algorithm>
#include <optional>

namespace skimfill {
namespace {

// How far a piece is looked for past the end of the one before: an unknown word, or characters that a
// normaliser dropped, lie between. Bounds the cost per piece.
constexpr std::size_t kSearchBytes = 256;

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }
bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }
char to_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::size_t next_character(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && is_continuation(text[at]); ++at) {
  }
  return at;
}

// U+0300..U+036F, which normalisers drop from decomposed text.
bool is_combining_mark(std::string_view text, std::size_t at) {
  if (at + 1 >= text.size()) return false;
  const auto first = static_cast<unsigned char>(text[at]);
  const auto second = static_cast<unsigned char>(text[at + 1]);
  return first == 0xcc || (first == 0xcd && second < 0xb0);
}

enum class Letters {
  same,    // up to the case of ASCII
  folded,  // a character outside ASCII stands for any one letter: normalisers turn "É" into "é" or "e"
};

bool equal_characters(std::string_view in_text, std::string_view in_piece, Letters letters) {
  if (is_ascii(in_text[0])) return to_lower(in_text[0]) == to_lower(in_piece[0]);
  if (letters == Letters::same) return in_text == in_piece;
  return !is_ascii(in_piece[0]) || is_letter(in_piece[0]);
}

// Where the piece ends in the text if it begins at `at`, whatever the amount of white space.
std::optional<std::size_t> match(std::string_view text, std::size_t at, std::string_view piece,
                                 Letters letters) {
  std::size_t in_piece = 0;
  while (in_piece < piece.size()) {
    if (is_space(piece[in_piece])) {
      while (in_piece < piece.size() && is_space(piece[in_piece])) ++in_piece;
      while (at < text.size() && is_space(text[at])) ++at;
      continue;
    }
    while (is_combining_mark(text, at) && !is_combining_mark(piece, in_piece)) at = next_character(text, at);
    if (at >= text.size()) return std::nullopt;
    const std::size_t text_end = next_character(text, at);
    const std::size_t piece_end = next_character(piece, in_piece);
    if (!equal_characters(text.substr(at, text_end - at), piece.substr(in_piece, piece_end - in_piece),
                          letters)) {
      return std::nullopt;
    }
    at = text_end;
    in_piece = piece_end;
  }
  return at;
}

struct Place {
  std::size_t begin, end;
};

class LenientAligner {
 public:
  LenientAligner(std::string_view text, const std::vector<std::string>& pieces)
      : text_(text), pieces_(pieces) {}

  std::vector<std::int64_t> align() const {
    std::vector<std::int64_t> begins;
    begins.reserve(pieces_.size());
    std::size_t at = 0;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      const Place place = find(i, at).value_or(Place{at, at});
      begins.push_back(static_cast<std::int64_t>(place.begin));
      at = place.end;
    }
    if (!begins.empty()) begins.front() = 0;
    return begins;
  }

 private:
  std::optional<Place> find(std::size_t i, std::size_t at) const {
    const std::string_view piece = pieces_[i];
    if (piece.empty()) return std::nullopt;
    if (text_.substr(at).starts_with(piece)) return Place{at, at + piece.size()};
    // A space that stands before a word in the vocabulary only, beside a text that goes on exactly.
    const std::string_view word = piece.substr(std::min(piece.find_first_not_of(' '), piece.size()));
    if (word.size() < piece.size() && text_.substr(at).starts_with(word.empty() ? next_piece(i) : word)) {
      return Place{at, at + word.size()};
    }
    const bool after_unknown = i > 0 && pieces_[i - 1].empty();
    if (!after_unknown) {
      if (const auto end = match(text_, at, piece, Letters::folded)) return Place{at, *end};
    }
    if (word.empty()) return std::nullopt;

    // Further on only where the next piece follows too: one letter is found anywhere.
    const std::size_t limit = std::min(text_.size(), at + kSearchBytes);
    for (std::size_t begin = next_character(text_, at); begin < limit; begin = next_character(text_, begin)) {
      const std::optional<std::size_t> end = match(text_, begin, piece, Letters::same);
      if (end && match(text_, *end, next_piece(i), Letters::folded)) return Place{begin, *end};
    }
    return std::nullopt;
  }

  std::string_view next_piece(std::size_t i) const {
    return i + 1 < pieces_.size() ? std::string_view(pieces_[i + 1]) : std::string_view();
  }

  std::string_view text_;
  const std::vector<std::string>& pieces_;
};

// The begins where the pieces spell exactly `prefix` + text.
std::optional<std::vector<std::int64_t>> align_exactly(std::string_view text,
                                                       const std::vector<std::string>& pieces,
                                                       std::string_view prefix) {
  std::vector<std::int64_t> begins;
  begins.reserve(pieces.size());
  std::size_t at = 0;  // in prefix + text
  for (const std::string_view piece : pieces) {
    begins.push_back(static_cast<std::int64_t>(at - std::min(at, prefix.size())));
    for (const char c : piece) {
      const bool in_text = at >= prefix.size();
      if (in_text && at - prefix.size() >= text.size()) return std::nullopt;
      if (c != (in_text ? text[at - prefix.size()] : prefix[at])) return std::nullopt;
      ++at;
    }
  }
  if (at != prefix.size() + text.size()) return std::nullopt;
  return begins;
}

}  // namespace

std::vector<std::int64_t> align_pieces(std::string_view text, const std::vector<std::string>& pieces) {
  if (auto begins = align_exactly(text, pieces, "")) return *std::move(begins);
  if (auto begins = align_exactly(text, pieces, " ")) return *std::move(begins);
  return LenientAligner(text, pieces).align();
}

}  // namespace skimfill
