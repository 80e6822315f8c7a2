#include "decode/search/candidates.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "base/error.h"

namespace heed::decode {
namespace {

constexpr int64_t kBlock = 32;  // scores compared with the threshold at once

/// Whether any score of a block of kBlock reaches `least`.
bool any_reaches(const float* values, float least) {
  int any = 0;  // no early exit: the compiler turns this into a few vector comparisons
  for (int64_t j = 0; j < kBlock; ++j) any |= values[j] >= least;
  return any != 0;
}

/// Turns scores into log-probabilities. Forbidden pieces stay kNever.
void normalise(const ScoreRows& scores, Candidates& candidates) {
  float* value = candidates.values.data();
  const float models = std::log(static_cast<float>(scores.summed));
  for (int64_t row = 0; row < scores.rows; ++row)
    for (int64_t i = 0; i < candidates.count; ++i, ++value) {
      if (*value == kNever) continue;
      if (!scores.partitions.empty())
        *value = (*value - scores.partitions[row].most) - scores.partitions[row].log_sum;
      else if (scores.summed > 0)
        *value = std::log(*value) - models;
    }
}

constexpr int64_t kFirstSorted = 64;  // usually more pieces than hold top_p of the probability

/// Returns the indices of the pieces that may be drawn. They are sorted only where some are left
/// out, and only as many as necessary: a vocabulary has thousands of pieces, and the first few hold
/// nearly all of the probability.
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

void require_numbers(bool sound) {
  if (!sound)
    throw Failure("the model's scores are not numbers: its weights are damaged or diverged");
}

void BestPieces::offer(const ScoredPiece& one) {
  if (heap_.size() < count_) {
    heap_.push_back(one);
  } else {
    if (!is_better(one, heap_.front())) return;
    std::pop_heap(heap_.begin(), heap_.end(), is_better);
    heap_.back() = one;
  }
  std::push_heap(heap_.begin(), heap_.end(), is_better);
}

/// Scores are looked at in blocks, because after the first few hundred hardly a block holds a
/// better one.
void BestPieces::offer(std::span<const float> values, int64_t first) {
  const int64_t size = std::ssize(values);
  for (int64_t begin = 0; begin < size; begin += kBlock) {
    const int64_t end = std::min(begin + kBlock, size);
    if (end - begin == kBlock && !any_reaches(values.data() + begin, least())) continue;
    for (int64_t i = begin; i < end; ++i)
      if (values[i] != kNever) offer({values[i], first + i});
  }
}

Candidates candidates_of(const std::vector<BestPieces>& rows, const ScoreRows& scores,
                         int64_t count) {
  const auto cells = static_cast<std::size_t>(std::ssize(rows) * count);
  Candidates out{.count = count,
                 .values = std::vector<float>(cells, kNever),
                 .ids = std::vector<int64_t>(cells, 0)};
  for (int64_t row = 0; row < std::ssize(rows); ++row) {
    std::vector<ScoredPiece> best = rows[row].all();
    std::ranges::sort(best, is_better);
    for (std::size_t i = 0; i < best.size(); ++i) {
      out.values[row * count + i] = best[i].value;
      out.ids[row * count + i] = best[i].id;
    }
  }
  normalise(scores, out);
  return out;
}

Candidates best_candidates(const ScoreRows& scores, int64_t count, const engine::Threads& threads) {
  const int64_t vocab = scores.vocabulary;
  count = std::min(count, vocab);
  std::vector<BestPieces> rows(scores.rows, BestPieces(count));
  threads(scores.rows, 8, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r)
      rows[r].offer({scores.values + r * vocab, static_cast<std::size_t>(vocab)}, 0);
  });
  return candidates_of(rows, scores, count);
}

Candidates all_candidates(const ScoreRows& scores) {
  Candidates all{.count = scores.vocabulary,
                 .values = {scores.values, scores.values + scores.rows * scores.vocabulary},
                 .ids = {}};
  normalise(scores, all);
  return all;
}

Random sampling_stream(const SamplingConfig& config, uint64_t sentence, uint64_t draw) {
  return Random(static_cast<uint64_t>(config.seed), splitmix64(sentence) + draw);
}

int64_t draw(std::span<const float> log_probabilities, const SamplingConfig& config,
             Random& random) {
  // Each call takes one random number, whatever is forbidden, so that later draws do not shift.
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
  // Rounding left a remainder, which belongs to the last piece that is not forbidden.
  return *std::find_if(chosen.rbegin(), chosen.rend(), [&](int64_t i) { return weights[i] > 0; });
}

}  // namespace heed::decode
