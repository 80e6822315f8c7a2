#include "decode/search/mbr.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <numeric>
#include <utility>

#include "score/chrf.h"

namespace heed::decode {

std::vector<double> weights_of(const std::vector<Hypothesis>& candidates, bool drawn) {
  std::vector<double> weights(candidates.size(), 1);
  if (!drawn) {
    double most = -INFINITY;
    for (const auto& one : candidates) most = std::max(most, one.log_probability);
    for (std::size_t i = 0; i < candidates.size(); ++i)
      weights[i] = std::exp(candidates[i].log_probability - most);
  }
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& weight : weights) weight /= total;
  return weights;
}

void choose_by_utility(std::vector<Hypothesis>& candidates, std::vector<std::string>& texts,
                       const DecodeConfig& config) {
  const std::vector<double> weights = weights_of(candidates, samples(config.sampling));
  // The texts, each once, with the sum of the weights of all candidates that have it.
  std::map<std::string, std::size_t> seen;
  std::vector<std::string> distinct;
  std::vector<double> mass;
  std::vector<std::size_t> first;  // the first candidate that has the text
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const auto [at, is_new] = seen.emplace(texts[i], distinct.size());
    if (is_new) {
      distinct.push_back(texts[i]);
      mass.push_back(0);
      first.push_back(i);
    }
    mass[at->second] += weights[i];
  }
  const std::vector<double> utility = score::chrf_of_all(distinct);
  std::vector<double> expected(distinct.size());
  for (std::size_t i = 0; i < distinct.size(); ++i)
    expected[i] = std::inner_product(
        mass.begin(), mass.end(),
        utility.begin() + static_cast<std::ptrdiff_t>(i) * std::ssize(distinct), 0.0);
  std::vector<std::size_t> order(distinct.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t i) { return expected[i]; });
  order.resize(std::min<std::size_t>(order.size(), config.n_best));

  std::vector<Hypothesis> chosen;
  std::vector<std::string> chosen_texts;
  for (const std::size_t i : order) {
    chosen.push_back(std::move(candidates[first[i]]));
    chosen.back().score = expected[i];
    chosen_texts.push_back(std::move(distinct[i]));
  }
  candidates = std::move(chosen);
  texts = std::move(chosen_texts);
}

}  // namespace heed::decode
