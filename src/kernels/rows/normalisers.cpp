#include "kernels/rows/normalisers.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <vector>

#include "kernels/rows/inner_loops.h"
#include "kernels/rows/loops.h"
#include "kernels/rows/versions.h"

namespace heed::kernels {
namespace {

/// x = max(0, x - most, at least -2, less a threshold) to a power, of which `threshold_at(k, sum,
/// sum of squares)` is the threshold where the k largest have a weight; the last one that `holds`
/// for the k-th largest is taken.
template <class ThresholdAt, class Holds>
void weigh_above_threshold(float* x, int64_t count, const ThresholdAt& threshold_at,
                           const Holds& holds) {
  if (!std::isfinite(largest_magnitude(x, count)))
    return (void)std::fill_n(x, count, std::numeric_limits<float>::quiet_NaN());
  const float most = largest(x, count);
  for (int64_t i = 0; i < count; ++i) x[i] = std::max(x[i] - most, -2.0F);
  std::vector<float> sorted(x, x + count);
  std::ranges::sort(sorted, std::greater<>());
  float sum = 0, squares = 0, threshold = 0;
  for (int64_t i = 0; i < count; ++i) {
    const auto k = static_cast<float>(i + 1);
    sum += sorted[i];
    squares += sorted[i] * sorted[i];
    const float own = threshold_at(k, sum, squares);
    if (!holds(own, sorted[i])) break;
    threshold = own;
  }
  for (int64_t i = 0; i < count; ++i) x[i] = std::max(x[i] - threshold, 0.0F);
}

}  // namespace

void softmax_row(float* x, int64_t count) {
  fastest<softmax>(x, count);
}

void sparsemax_row(float* x, int64_t count) {
  weigh_above_threshold(
      x, count, [](float k, float sum, float) { return (sum - 1) / k; },
      [](float threshold, float z) { return z > threshold; });
}

void entmax15_row(float* x, int64_t count) {
  for (int64_t i = 0; i < count; ++i) x[i] /= 2;
  weigh_above_threshold(
      x, count,
      [](float k, float sum, float squares) {
        const float mean = sum / k, spread = squares - k * mean * mean;
        return mean - std::sqrt(std::max((1 - spread) / k, 0.0F));
      },
      [](float threshold, float z) { return threshold <= z; });
  for (int64_t i = 0; i < count; ++i) x[i] *= x[i];
}

RowNormaliser row_normaliser(const std::string& name) {
  constexpr RowNormaliser kTensors = nullptr;
  static const std::map<std::string, RowNormaliser> all = {
#define HEED_NORMALISER(name, plain, help) {#name, plain},
#include "kernels/normalisers/registry.def"
#undef HEED_NORMALISER
  };
  const auto found = all.find(name);
  return found == all.end() ? kTensors : found->second;
}

}  // namespace heed::kernels
