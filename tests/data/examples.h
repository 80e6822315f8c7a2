// Corpora of made-up ids for tests.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "base/random.h"
#include "data/corpus.h"

namespace heed::data {

/// Sentences as long as real ones: target lengths log-normal around 13, sources a fifth off. The
/// first target id is the sentence's own.
inline std::vector<Example> realistic(int64_t count, uint64_t seed) {
  Random random(seed);
  const auto normal = [&] {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += random.uniform();
    return sum;
  };
  std::vector<Example> examples;
  for (int64_t i = 0; i < count; ++i) {
    const double target = std::clamp(std::exp(2.6 + 0.35 * normal()), 3.0, 60.0);
    const double source = std::clamp(target * std::exp(0.2 * normal()), 2.0, 80.0);
    Example example{std::vector<int32_t>(static_cast<std::size_t>(source), 5),
                    std::vector<int32_t>(static_cast<std::size_t>(target), 6),
                    {0, i + 1}};
    example.target[0] = static_cast<int32_t>(100 + i);
    examples.push_back(example);
  }
  return examples;
}

inline std::shared_ptr<const Corpus> corpus_of(const std::vector<std::vector<Example>>& parts,
                                               const std::vector<double>& weights = {}) {
  return std::make_shared<const Corpus>(Corpus::of(parts, weights));
}

}  // namespace heed::data
