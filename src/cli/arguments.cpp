#include "cli/arguments.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <optional>
#include <system_error>
#include <vector>

namespace skimfill {
namespace {

template <class Number>
std::optional<Number> parse_whole(std::string_view text) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

// Levenshtein, with one row kept.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

}  // namespace

Error bad_value(std::string_view flag, std::string_view text, std::string_view wanted) {
  return {Status::invalid, std::string(flag) + " '" + std::string(text) + "': " + std::string(wanted)};
}

Result<std::int64_t> parse_count(std::string_view flag, std::string_view text, std::int64_t least,
                                 std::int64_t most) {
  const auto number = parse_whole<std::int64_t>(text);
  if (!number || *number < least || *number > most) {
    return bad_value(flag, text,
                     "give a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  }
  return *number;
}

Result<double> parse_share(std::string_view flag, std::string_view text) {
  const auto number = parse_whole<double>(text);
  // Written so that NaN, which compares false with everything, is refused too.
  if (!number || !(*number > 0 && *number <= 1)) {
    return bad_value(flag, text, "give a share of the tokens above 0 and up to 1, such as 0.1");
  }
  return *number;
}

Result<bool> parse_switch(std::string_view flag, std::string_view text) {
  if (text == "on" || text == "enabled" || text == "true" || text == "1") return true;
  if (text == "off" || text == "disabled" || text == "false" || text == "0") return false;
  return bad_value(flag, text, "give on or off");
}

std::vector<std::string> split_list(std::string_view list) {
  std::vector<std::string> items;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    std::string_view item = list.substr(0, comma);
    while (item.starts_with(' ')) item.remove_prefix(1);
    while (item.ends_with(' ')) item.remove_suffix(1);
    if (!item.empty()) items.emplace_back(item);
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return items;
}

Result<void> check_readable_file(std::string_view flag, const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) return bad_value(flag, path, "no such file");
  if (std::filesystem::is_directory(status)) return bad_value(flag, path, "is a directory, give a file");
  if (access(path.c_str(), R_OK) != 0) return bad_value(flag, path, std::strerror(errno));
  return {};
}

std::string_view nearest_name(std::string_view name, std::span<const std::string_view> known) {
  std::string_view nearest;
  std::size_t least = std::max<std::size_t>(2, name.size() / 3) + 1;
  for (std::string_view candidate : known) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < least) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string did_you_mean(std::string_view name, std::span<const std::string_view> known) {
  const std::string_view nearest = nearest_name(name, known);
  return nearest.empty() ? "" : "; did you mean " + std::string(nearest) + "?";
}

}  // namespace skimfill
