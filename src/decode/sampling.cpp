#include "decode/sampling.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace heed::decode {

Random sampling_stream(const SamplingConfig& config, uint64_t sentence, uint64_t draw) {
  return Random(static_cast<uint64_t>(config.seed), splitmix64(sentence) + draw);
}

bool samples(const SamplingConfig& config) {
  return config.top_k > 0 || config.top_p > 0;
}

int64_t draw(std::span<const float> log_probabilities, const SamplingConfig& config,
             Random& random) {
  auto candidates = static_cast<int64_t>(log_probabilities.size());
  if (config.top_k > 0) candidates = std::min(candidates, config.top_k);
  while (candidates > 0 && !std::isfinite(log_probabilities[candidates - 1])) --candidates;
  // Always one number per call: how many are forbidden does not shift what comes after.
  const double uniform = random.uniform();
  if (candidates == 0) return -1;

  std::vector<double> weights(candidates);
  double total = 0;
  for (int64_t i = 0; i < candidates; ++i)
    total += weights[i] =
        std::exp((log_probabilities[i] - log_probabilities[0]) / config.temperature);
  if (config.top_p > 0) {
    double held = 0;
    int64_t kept = 0;
    while (kept < candidates && held < config.top_p * total) held += weights[kept++];
    candidates = kept;
    total = held;
  }
  double threshold = uniform * total;
  for (int64_t i = 0; i < candidates; ++i)
    if ((threshold -= weights[i]) < 0) return i;
  return candidates - 1;
}

}  // namespace heed::decode
