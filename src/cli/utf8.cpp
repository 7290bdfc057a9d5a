#include "cli/utf8.h"

#include <cstdint>

namespace skimfill {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

struct Character {
  std::size_t length = 1;
  bool valid = false;
};

// Table 3-7 of the Unicode standard: which second bytes may follow which first one.
Character read_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t first = byte(0);
  if (first < 0x80) return {1, true};
  std::size_t length = 0;
  std::uint8_t low = 0x80;
  std::uint8_t high = 0xBF;
  if (first >= 0xC2 && first <= 0xDF) {
    length = 2;
  } else if (first >= 0xE0 && first <= 0xEF) {
    length = 3;
    if (first == 0xE0) low = 0xA0;
    if (first == 0xED) high = 0x9F;
  } else if (first >= 0xF0 && first <= 0xF4) {
    length = 4;
    if (first == 0xF0) low = 0x90;
    if (first == 0xF4) high = 0x8F;
  } else {
    return {1, false};
  }
  for (std::size_t i = 1; i < length; ++i) {
    if (i >= text.size() || byte(i) < low || byte(i) > high) return {i, false};
    low = 0x80;
    high = 0xBF;
  }
  return {length, true};
}

// Control characters without a place in shown text: C0 but for tab and line ends, DEL, C1.
bool is_control(std::string_view character) {
  const auto first = static_cast<std::uint8_t>(character[0]);
  if (character.size() == 1) {
    return (first < 0x20 && first != '\t' && first != '\n' && first != '\r') || first == 0x7F;
  }
  return first == 0xC2 && static_cast<std::uint8_t>(character[1]) < 0xA0;
}

template <class Append>
std::string rewrite(std::string_view text, const Append& append) {
  std::string out;
  out.reserve(text.size() + text.size() / 16);
  while (!text.empty()) {
    const Character character = read_character(text);
    append(out, character.valid ? text.substr(0, character.length) : kReplacement);
    text.remove_prefix(character.length);
  }
  return out;
}

}  // namespace

std::string valid_utf8(std::string_view text) {
  return rewrite(text, [](std::string& out, std::string_view character) { out += character; });
}

std::string terminal_text(std::string_view text) {
  return rewrite(text, [](std::string& out, std::string_view character) {
    out += is_control(character) ? kReplacement : character;
  });
}

std::string html_text(std::string_view text) {
  return rewrite(text, [](std::string& out, std::string_view character) {
    switch (character[0]) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += is_control(character) ? kReplacement : character;
    }
  });
}

}  // namespace skimfill
