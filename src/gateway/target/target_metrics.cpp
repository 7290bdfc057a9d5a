#include "gateway/target/target_metrics.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>

namespace skimfill {
namespace {

std::string_view first_word(std::string_view text) { return text.substr(0, text.find(' ')); }

std::optional<double> number_in(std::string_view text) {
  double value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

std::string format(double value) {
  std::array<char, 32> text;
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

// Where the series (name and labels) of a sample line ends. Label values may hold spaces.
std::size_t series_end(std::string_view line) {
  const std::size_t brace = line.find('{');
  const std::size_t space = line.find(' ');
  if (brace == std::string_view::npos || brace > space) return space;
  const std::size_t close = line.rfind('}');
  return close == std::string_view::npos ? close : close + 1;
}

}  // namespace

void TargetMetrics::update(std::string_view text) {
  static constexpr std::string_view kType = "# TYPE ";
  std::set<std::string, std::less<>> counters;
  page_.clear();
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.starts_with('#')) {
      if (line.starts_with(kType) && line.ends_with(" counter"))
        counters.emplace(first_word(line.substr(kType.size())));
      page_.append(line) += '\n';
      continue;
    }
    const std::size_t name_end = series_end(line);
    if (name_end == std::string_view::npos || name_end + 1 >= line.size()) continue;
    const std::string_view series = line.substr(0, name_end);
    std::string_view rest = line.substr(name_end + 1);
    const std::optional<double> value = number_in(first_word(rest));
    if (!value) continue;
    const std::string_view name = series.substr(0, series.find('{'));
    if (!counters.contains(name)) {
      page_.append(line) += '\n';
      continue;
    }
    Counter& counter = counters_[std::string(series)];
    // A total goes on from where it was; a maximum stays until it is passed.
    const bool is_total = name.ends_with("_total");
    if (is_total && *value < counter.last) counter.base += counter.last;
    counter.last = is_total ? *value : std::max(*value, counter.last);
    page_.append(series).append(" ").append(format(counter.base + counter.last)) += '\n';
  }
}

std::string TargetMetrics::text() const { return page_; }

}  // namespace skimfill
