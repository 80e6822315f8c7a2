// The continuations of each hypothesis that count.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/random.h"
#include "decode/search/config.h"
#include "engine/threads.h"
#include "kernels/rows/loops.h"

namespace heed::decode {

/// The score of what is forbidden.
inline constexpr float kNever = -std::numeric_limits<float>::infinity();

/// Log-probabilities of `count` pieces per row. Forbidden and missing ones are kNever.
struct Candidates {
  int64_t count = 0;
  std::vector<float> values;  // [rows, count]
  std::vector<int64_t> ids;   // [rows, count]; empty: candidate i is piece i

  std::span<const float> values_of(int64_t row) const {
    return {values.data() + row * count, static_cast<std::size_t>(count)};
  }
  int64_t id(int64_t row, int64_t i) const { return ids.empty() ? i : ids[row * count + i]; }
};

struct ScoredPiece {
  float value;
  int64_t id;
};

/// The order of candidates: equal ones by lower id.
inline bool is_better(const ScoredPiece& a, const ScoredPiece& b) {
  return a.value > b.value || (a.value == b.value && a.id < b.id);
}

/// The best pieces of a row, of those that it is offered.
class BestPieces {
 public:
  explicit BestPieces(int64_t count) : count_(static_cast<std::size_t>(count)) {}

  void offer(const ScoredPiece& one);
  /// Of the pieces from `first` on; kNever does not count.
  void offer(std::span<const float> values, int64_t first);
  /// A piece with a lower score is not kept.
  float least() const { return heap_.size() < count_ ? kNever : heap_.front().value; }
  /// In no order.
  const std::vector<ScoredPiece>& all() const { return heap_; }

 private:
  std::size_t count_;
  std::vector<ScoredPiece> heap_;  // its top is the worst
};

/// What candidates are chosen from: plain numbers, without NaN.
struct ScoreRows {
  const float* values = nullptr;  // [rows, vocabulary], kNever where forbidden
  int64_t rows = 0, vocabulary = 0;
  // How log-probabilities follow from `values`; neither: they are that.
  std::span<const kernels::Partition> partitions = {};  // one a row, of logits
  int64_t summed = 0;  // they are sums of so many models' probabilities
};

/// Throws Failure where a model's scores are not `sound`: some are no numbers.
void require_numbers(bool sound);

/// The `count` best of each row, best first.
Candidates best_candidates(const ScoreRows& scores, int64_t count, const engine::Threads& threads);

/// The best of each row become log-probabilities, as `scores` says, whose values are not read.
Candidates candidates_of(const std::vector<BestPieces>& rows, const ScoreRows& scores,
                         int64_t count);

/// All of each row, in the order of the vocabulary.
Candidates all_candidates(const ScoreRows& scores);

// Drawing the next piece: top-k, nucleus (top-p, Holtzman et al. 2020) and temperature.

/// A generator of its own for each draw of each sentence, so that neither neighbours nor batches
/// matter.
Random sampling_stream(const SamplingConfig& config, uint64_t sentence, uint64_t draw);

/// Index into `log_probabilities`, which need no order; -inf is never drawn. Returns -1 when all
/// are -inf. The top_k likeliest (0: all), of equal ones the first, and of these the fewest that
/// hold top_p of their probability (0: all) take part.
int64_t draw(std::span<const float> log_probabilities, const SamplingConfig& config,
             Random& random);

}  // namespace heed::decode
