#include "decode/search/sampling.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace heed::decode {
namespace {

constexpr int64_t kFirstSorted = 64;  // mostly more than hold top_p

/// Indices of those that take part. Their order matters only where some are left out, and only as
/// many are sorted as have to be: a vocabulary has thousands, and the first few hold nearly all.
std::vector<int64_t> likeliest(const std::vector<double>& weights, const SamplingConfig& config) {
  std::vector<int64_t> order(weights.size());
  std::iota(order.begin(), order.end(), 0);
  int64_t sorted = 0;
  const auto sort_to = [&](int64_t end) {
    std::partial_sort(order.begin() + sorted, order.begin() + end, order.end(),
                      [&](int64_t a, int64_t b) {
                        return weights[a] != weights[b] ? weights[a] > weights[b] : a < b;
                      });
    sorted = end;
  };
  if (config.top_k > 0 && config.top_k < std::ssize(order)) {
    sort_to(config.top_k);
    order.resize(config.top_k);
  }
  if (config.top_p <= 0 || config.top_p >= 1) return order;
  double total = 0, held = 0;
  for (const int64_t i : order) total += weights[i];
  int64_t kept = 0;
  for (; kept < std::ssize(order) && held < config.top_p * total; ++kept) {
    if (kept == sorted)
      sort_to(std::min<int64_t>(std::ssize(order), std::max(kFirstSorted, 4 * sorted)));
    held += weights[order[kept]];
  }
  order.resize(kept);
  return order;
}

}  // namespace

Random sampling_stream(const SamplingConfig& config, uint64_t sentence, uint64_t draw) {
  return Random(static_cast<uint64_t>(config.seed), splitmix64(sentence) + draw);
}

int64_t draw(std::span<const float> log_probabilities, const SamplingConfig& config,
             Random& random) {
  // Always one number per call: how many are forbidden does not shift what comes after.
  const double uniform = random.uniform();
  if (log_probabilities.empty()) return -1;
  const float most = *std::ranges::max_element(log_probabilities);
  if (!std::isfinite(most)) return -1;

  std::vector<double> weights;
  weights.reserve(log_probabilities.size());
  for (const float one : log_probabilities)
    weights.push_back(std::exp((one - most) / config.temperature));
  const std::vector<int64_t> chosen = likeliest(weights, config);
  double total = 0;
  for (const int64_t i : chosen) total += weights[i];
  double threshold = uniform * total;
  for (const int64_t i : chosen)
    if ((threshold -= weights[i]) < 0) return i;
  // Rounding left a rest: it belongs to the last that is not forbidden.
  return *std::find_if(chosen.rbegin(), chosen.rend(), [&](int64_t i) { return weights[i] > 0; });
}

}  // namespace heed::decode
