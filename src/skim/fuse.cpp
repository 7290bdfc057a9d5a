#include "skim/fuse.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <string>

namespace skimfill {
namespace {

// Both sides of the contrast have deviation 1; where they differ by less than this everywhere, the drafter
// looked at the same places whatever the question was.
constexpr double kFlatDeviation = 1e-3;
constexpr float kLogFloor = 1e-3F;  // keeps the logarithm of a share near zero from dominating

struct Moments {
  double mean = 0;
  double deviation = 0;
};

Moments moments(std::span<const float> values) {
  double sum = 0;
  for (const float value : values) sum += value;
  const double mean = sum / static_cast<double>(values.size());
  double squares = 0;
  for (const float value : values) squares += (value - mean) * (value - mean);
  return {mean, std::sqrt(squares / static_cast<double>(values.size()))};
}

bool all_finite(std::span<const float> values) {
  return std::all_of(values.begin(), values.end(), [](float value) { return std::isfinite(value); });
}

std::vector<float> standardised_log(std::span<const float> shares) {
  std::vector<float> logs(shares.size());
  std::transform(shares.begin(), shares.end(), logs.begin(), [](float c) { return std::log(c + kLogFloor); });
  return standardise(logs);
}

void add_scaled(std::vector<float>& sum, std::span<const float> values, double weight) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += static_cast<float>(weight) * values[i];
}

std::vector<float> share_with_neighbours(std::span<const float> values, double share) {
  std::vector<float> out(values.begin(), values.end());
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    out[i] += static_cast<float>(share) * values[i + 1];
    out[i + 1] += static_cast<float>(share) * values[i];
  }
  return out;
}

}  // namespace

std::vector<float> standardise(std::span<const float> values) {
  std::vector<float> z(values.size(), 0.0F);
  if (values.empty()) return z;
  const auto [mean, deviation] = moments(values);
  if (deviation <= 1e-6 * std::max(1.0, std::abs(mean))) return z;
  for (std::size_t i = 0; i < values.size(); ++i) z[i] = static_cast<float>((values[i] - mean) / deviation);
  return z;
}

Result<std::vector<float>> fuse(const Signals& signals, const FusionPreset& preset) {
  assert(signals.question.size() == signals.neutral.size() &&
         signals.question.size() == signals.lexical.size());
  if (signals.n_not_finite > 0) {
    return Error{Status::unsupported,
                 "the drafter's scores are not finite (" + std::to_string(signals.n_not_finite) + " rows)"};
  }
  if (!all_finite(signals.question) || !all_finite(signals.neutral) || !all_finite(signals.lexical)) {
    return Error{Status::unsupported, "the drafter's scores are not finite"};
  }
  std::vector<float> contrast = standardised_log(signals.question);
  add_scaled(contrast, standardised_log(signals.neutral), -1.0);
  if (moments(contrast).deviation < kFlatDeviation) {
    return Error{Status::unsupported, "the drafter's scores are flat: nothing stands out"};
  }
  std::vector<float> sum(contrast.size(), 0.0F);
  add_scaled(sum, standardise(contrast), preset.attention);
  add_scaled(sum, standardise(signals.lexical), preset.lexical);
  return standardise(share_with_neighbours(sum, preset.neighbour_share));
}

}  // namespace skimfill
