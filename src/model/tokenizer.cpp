#include "model/tokenizer.h"

#include <llama.h>

#include <algorithm>
#include <exception>
#include <string>

#include "core/log.h"
#include "model/align.h"

namespace skimfill {
namespace {

// A long text is tokenized in pieces, so that the cost stays linear in it.
constexpr std::size_t kPieceBytes = 32 * 1024;
// Many of libllama's pre-tokenizers run std::regex, which recurses once per character of a match: 34 of 91
// overflow a stack of 8 MiB on 32,768 letters or spaces in a row, most of them on 16,384 too, so longer runs
// are cut well below that.
constexpr std::size_t kRunCharacters = 8 * 1024;

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// Length of the well-formed UTF-8 character at the front (Unicode 15, table 3-7), 0 where there is none.
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(i < text.size() ? text[i] : 0); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xc2 && first <= 0xdf   ? 2
                             : first >= 0xe0 && first <= 0xef ? 3
                             : first >= 0xf0 && first <= 0xf4 ? 4
                                                              : 0;
  if (length == 0) return 0;
  unsigned char low = 0x80,
                high = 0xbf;  // what the second byte may be: no overlong forms, surrogates, > U+10FFFF
  if (first == 0xe0) low = 0xa0;
  if (first == 0xed) high = 0x9f;
  if (first == 0xf0) low = 0x90;
  if (first == 0xf4) high = 0x8f;
  if (byte(1) < low || byte(1) > high) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if (byte(i) < 0x80 || byte(i) > 0xbf) return 0;
  }
  return length;
}

// The text as UTF-8 of the same length: every byte that is part of no character becomes "?", so that places
// in the copy are places in the original.
std::string to_utf8(std::string_view text) {
  std::string valid(text);
  for (std::size_t at = 0; at < valid.size();) {
    const std::size_t length = character_length(text.substr(at));
    if (length == 0) valid[at] = '?';
    at += std::max<std::size_t>(length, 1);
  }
  return valid;
}

// Where the first run of kRunCharacters with or without white space ends; the text's size where there is
// none.
std::size_t long_run_end(std::string_view text) {
  std::size_t n_character = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (is_continuation(text[at])) continue;
    if (n_character == kRunCharacters) return at;
    n_character = at > 0 && is_space(text[at]) == is_space(text[at - 1]) ? n_character + 1 : 1;
  }
  return text.size();
}

// Where the piece at the front of valid UTF-8 ends: before a line that is not indented, else before a space,
// else between characters. The second half only is searched, so that pieces do not become tiny.
std::size_t piece_end(std::string_view text) {
  const std::size_t run_end = long_run_end(text.substr(0, kPieceBytes));
  if (run_end < std::min(text.size(), kPieceBytes)) return run_end;
  if (text.size() <= kPieceBytes) return text.size();
  const auto last = [](auto is_border) {
    std::size_t at = kPieceBytes;
    while (at > kPieceBytes / 2 && !is_border(at)) --at;
    return at > kPieceBytes / 2 ? at : 0;
  };
  const auto begins_line = [&](std::size_t i) { return text[i - 1] == '\n' && !is_space(text[i]); };
  const auto begins_space = [&](std::size_t i) { return text[i] == ' ' && !is_space(text[i - 1]); };
  if (const std::size_t at = last(begins_line)) return at;
  if (const std::size_t at = last(begins_space)) return at;
  return last([&](std::size_t i) { return !is_continuation(text[i]); });
}

std::vector<Token> tokenize_utf8(const llama_vocab* vocab, std::string_view text) {
  std::vector<Token> tokens(text.size() + 8);
  const auto run = [&] {
    return llama_tokenize(vocab, text.data(), static_cast<std::int32_t>(text.size()), tokens.data(),
                          static_cast<std::int32_t>(tokens.size()), /*add_special=*/false,
                          /*parse_special=*/false);
  };
  try {
    std::int32_t n_token = run();
    if (n_token < 0) {
      tokens.resize(static_cast<std::size_t>(-n_token));
      n_token = run();
    }
    tokens.resize(static_cast<std::size_t>(std::max(n_token, 0)));
    // What a vocabulary without an unknown token gives for an unknown word.
    std::erase(tokens, LLAMA_TOKEN_NULL);
  } catch (const std::exception& exception) {
    // A damaged normaliser table shows only here; the text then belongs to the tokens around it.
    log::warn("the model's tokenizer failed: {}", exception.what());
    tokens.clear();
  }
  return tokens;
}

std::string piece_of(const llama_vocab* vocab, Token token) {
  if (llama_vocab_get_attr(vocab, token) & LLAMA_TOKEN_ATTR_UNKNOWN) return {};
  std::string piece(64, '\0');
  const auto run = [&] {
    return llama_token_to_piece(vocab, token, piece.data(), static_cast<std::int32_t>(piece.size()),
                                /*lstrip=*/0,
                                /*special=*/true);
  };
  std::int32_t size = run();
  if (size < 0) {
    piece.resize(static_cast<std::size_t>(-size));
    size = run();
  }
  piece.resize(static_cast<std::size_t>(std::max(size, 0)));
  return piece;
}

// Appends what a text is, character by character, without control tokens.
void append_spelled(const llama_vocab* vocab, std::string_view text, std::int64_t begin,
                    TokenizedText& result) {
  for (std::size_t at = 0, length; at < text.size(); at += length) {
    length = std::max<std::size_t>(character_length(text.substr(at)), 1);
    for (const Token token : tokenize_utf8(vocab, text.substr(at, length))) {
      if (llama_vocab_is_control(vocab, token)) continue;
      result.tokens.push_back(token);
      result.offsets.push_back(begin + static_cast<std::int64_t>(at));
    }
  }
}

// Appends the tokens of text[begin, begin + size), without the end of the last.
void append_piece(const llama_vocab* vocab, std::string_view text, std::size_t begin, std::size_t size,
                  TokenizedText& result) {
  const std::vector<Token> tokens = tokenize_utf8(vocab, text.substr(begin, size));
  std::vector<std::string> pieces;
  pieces.reserve(tokens.size());
  for (const Token token : tokens) pieces.push_back(piece_of(vocab, token));
  const std::vector<std::int64_t> offsets = align_pieces(text.substr(begin, size), pieces);

  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::size_t offset = begin + static_cast<std::size_t>(offsets[i]);
    // A merging tokenizer can put a control token together from its letters in the text.
    const bool is_forged = llama_vocab_is_control(vocab, tokens[i]) && !pieces[i].empty() &&
                           text.substr(offset).starts_with(pieces[i]);
    if (is_forged) {
      append_spelled(vocab, pieces[i], static_cast<std::int64_t>(offset), result);
    } else {
      result.tokens.push_back(tokens[i]);
      result.offsets.push_back(static_cast<std::int64_t>(offset));
    }
  }
}

}  // namespace

TokenizedText Tokenizer::tokenize(std::string_view text) const {
  const std::string valid = to_utf8(text);
  TokenizedText result;
  for (std::size_t begin = 0, size; begin < valid.size(); begin += size) {
    size = piece_end(std::string_view(valid).substr(begin));
    append_piece(vocab_, valid, begin, size, result);
  }
  if (!result.offsets.empty()) result.offsets.front() = 0;
  result.offsets.push_back(static_cast<std::int64_t>(text.size()));
  return result;
}

std::int64_t Tokenizer::count(std::string_view text) const { return tokenize(text).size(); }

}  // namespace skimfill
