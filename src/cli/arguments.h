// Reading values off a command line, the same way and with the same words for every command.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "skimfill/result.h"

namespace skimfill {

// All of `text` must be the number: "3x", " 3" and "" are refused. `flag` is named in the error.
Result<std::int64_t> parse_count(std::string_view flag, std::string_view text, std::int64_t least,
                                 std::int64_t most);

// A share of the tokens, in (0, 1].
Result<double> parse_share(std::string_view flag, std::string_view text);

// llama-server's words for yes and no: on, enabled, true, 1; off, disabled, false, 0.
Result<bool> parse_switch(std::string_view flag, std::string_view text);

// The items of a comma list, without the spaces around them and without empty ones.
std::vector<std::string> split_list(std::string_view list);

// What all of these say of a value that is none.
Error bad_value(std::string_view flag, std::string_view text, std::string_view wanted);

// A file to read, told early and plainly: missing, a directory, not readable.
Result<void> check_readable_file(std::string_view flag, const std::string& path);

// The known name most like `name`, or "" where none is near enough to be a slip of the hand.
std::string_view nearest_name(std::string_view name, std::span<const std::string_view> known);

// "; did you mean --keep?", or "" where no known name is near.
std::string did_you_mean(std::string_view name, std::span<const std::string_view> known);

}  // namespace skimfill
