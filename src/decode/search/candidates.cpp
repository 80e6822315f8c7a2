#include "decode/search/candidates.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace heed::decode {
namespace {

constexpr int64_t kBlock = 32;  // scores compared with the threshold at once

bool any_above(const float* values, float threshold) {
  int any = 0;  // no early exit: the compiler turns this into a few vector comparisons
  for (int64_t j = 0; j < kBlock; ++j) any |= values[j] > threshold;
  return any != 0;
}

/// A heap whose top is the worst kept. After the first few hundred scores hardly a block holds a
/// better one.
void keep_best(const float* row, int64_t size, std::vector<ScoredPiece>& heap, std::size_t count) {
  const auto offer = [&](int64_t i) {
    if (heap.size() < count) {
      if (row[i] == kNever) return;
      heap.push_back({row[i], i});
      std::push_heap(heap.begin(), heap.end(), is_better);
    } else if (row[i] > heap.front().value) {
      std::pop_heap(heap.begin(), heap.end(), is_better);
      heap.back() = {row[i], i};
      std::push_heap(heap.begin(), heap.end(), is_better);
    }
  };
  int64_t i = 0;
  for (; i + kBlock <= size; i += kBlock) {
    const bool full = heap.size() == count;
    if (full && !any_above(row + i, heap.front().value)) continue;
    for (int64_t j = i; j < i + kBlock; ++j) offer(j);
  }
  for (; i < size; ++i) offer(i);
  std::sort_heap(heap.begin(), heap.end(), is_better);
}

void sort_all(const float* row, int64_t size, std::vector<ScoredPiece>& out, std::size_t count) {
  for (int64_t i = 0; i < size; ++i)
    if (row[i] != kNever) out.push_back({row[i], i});
  const auto end = out.begin() + static_cast<std::ptrdiff_t>(std::min(count, out.size()));
  std::partial_sort(out.begin(), end, out.end(), is_better);
  out.erase(end, out.end());
}

/// To log-probabilities, what is forbidden as it is.
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

void require_numbers(bool sound) {
  if (!sound)
    throw Failure("the model's scores are not numbers: its weights are damaged or diverged");
}

Candidates best_candidates(const ScoreRows& scores, int64_t count, const engine::Threads& threads) {
  const int64_t rows = scores.rows, vocab = scores.vocabulary;
  count = std::min(count, vocab);
  Candidates out{.count = count,
                 .values = std::vector<float>(rows * count, kNever),
                 .ids = std::vector<int64_t>(rows * count, 0)};
  threads(rows, 8, [&](int64_t begin, int64_t end) {
    std::vector<ScoredPiece> best;
    for (int64_t r = begin; r < end; ++r) {
      best.clear();
      const bool few = count * 8 <= vocab;
      (few ? keep_best : sort_all)(scores.values + r * vocab, vocab, best,
                                   static_cast<std::size_t>(count));
      for (std::size_t i = 0; i < best.size(); ++i) {
        out.values[r * count + i] = best[i].value;
        out.ids[r * count + i] = best[i].id;
      }
    }
  });
  normalise(scores, out);
  return out;
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
