// Cuts a body into segments at natural borders.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace skimfill {

// How good a place before a token is for a cut; higher is better.
enum class Border : std::uint8_t { none, word, sentence, line, paragraph, passage };

// Returns cu_seqlens: [n_segment + 1], first 0, last borders.size(). Segments hold at most `max_tokens`, are
// about equally long (they are read side by side), and begin at the best border near their even place.
// borders: [n_token], borders[i] tells what ends before token i.
std::vector<std::int64_t> cut_segments(std::span<const Border> borders, std::int64_t max_tokens);

}  // namespace skimfill
