// Corpora of made-up ids for tests.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "base/random.h"
#include "data/batch.h"
#include "data/corpus.h"
#include "data/example.h"

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

/// A corpus of ready ids, each part with its weight.
class CorpusOfIds {
 public:
  static Corpus of(const std::vector<std::vector<Example>>& parts,
                   const std::vector<double>& weights = {}) {
    expect(weights.empty() || weights.size() == parts.size(), "a weight for each part");
    int64_t vocabulary = 0;
    for (const auto& part : parts)
      for (const Example& example : part)
        for (const auto* ids : {&example.source, &example.target})
          for (const int32_t id : *ids) vocabulary = std::max<int64_t>(vocabulary, id + 1);
    Corpus corpus;
    for (const auto& part : parts)
      for (const Example& example : part)
        corpus.has_links_ = corpus.has_links_ || !example.links.empty();
    corpus.source_ = Ids(vocabulary);
    corpus.target_ = Ids(vocabulary);
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const int64_t begin = corpus.size();
      for (const Example& example : parts[p]) corpus.append(example);
      corpus.parts_.push_back({begin, corpus.size(), weights.empty() ? 1.0 : weights[p]});
    }
    corpus.finish();
    return corpus;
  }
};

inline std::shared_ptr<const Corpus> corpus_of(const std::vector<std::vector<Example>>& parts,
                                               const std::vector<double>& weights = {}) {
  return std::make_shared<const Corpus>(CorpusOfIds::of(parts, weights));
}

}  // namespace heed::data
