// The best continuations of each hypothesis, and how one of them is drawn at random.
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

/// The score of a piece that is forbidden.
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

/// Collects the `count` best pieces of a row from all that it is offered.
class BestPieces {
 public:
  explicit BestPieces(int64_t count) : count_(static_cast<std::size_t>(count)) {}

  void offer(const ScoredPiece& one);
  /// Offers the scores of consecutive pieces, of which the first has the id `first`. kNever is
  /// ignored.
  void offer(std::span<const float> values, int64_t first);
  /// Returns the score below which a piece is not kept.
  float least() const { return heap_.size() < count_ ? kNever : heap_.front().value; }
  /// Returns the pieces that are kept, in no order.
  const std::vector<ScoredPiece>& all() const { return heap_; }

 private:
  std::size_t count_;
  std::vector<ScoredPiece> heap_;  // its top is the worst
};

/// The scores that candidates are chosen from: plain numbers, without NaN.
struct ScoreRows {
  const float* values = nullptr;  // [rows, vocabulary], kNever where forbidden
  int64_t rows = 0, vocabulary = 0;
  // The rule by which log-probabilities follow from `values`. If neither is given, `values` are
  // log-probabilities.
  std::span<const kernels::Partition> partitions = {};  // one for each row; `values` are logits
  int64_t summed = 0;  // `values` are sums of the probabilities of so many models
};

/// Throws Failure, which says that some of a model's scores are no numbers, unless `sound`.
void require_numbers(bool sound);

/// Returns the `count` best pieces of each row, best first.
Candidates best_candidates(const ScoreRows& scores, int64_t count, const engine::Threads& threads);

/// Returns the best pieces of each row with log-probabilities. How scores become these follows from
/// the `partitions` and `summed` of `scores`; its values are not read.
Candidates candidates_of(const std::vector<BestPieces>& rows, const ScoreRows& scores,
                         int64_t count);

/// Returns all pieces of each row, in the order of the vocabulary.
Candidates all_candidates(const ScoreRows& scores);

// Drawing the next piece: top-k, nucleus (top-p, Holtzman et al. 2020) and temperature.

/// Returns the random generator of one draw of one sentence. Each has its own, so that a draw does
/// not depend on the other sentences or on the batches.
Random sampling_stream(const SamplingConfig& config, uint64_t sentence, uint64_t draw);

/// Draws an index into `log_probabilities`, which may be in any order; -inf is never drawn. Returns
/// -1 if all are -inf. It draws among the top_k likeliest (0: all; of equal ones the first), and of
/// these among the fewest that hold top_p of their probability (0: all).
int64_t draw(std::span<const float> log_probabilities, const SamplingConfig& config,
             Random& random);

}  // namespace heed::decode
