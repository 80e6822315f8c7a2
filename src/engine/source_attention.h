// The attention of recurrent decoders: every score, window, coverage and number of heads of
// model/recurrent/attention/, where the equations are.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/network.h"
#include "engine/threads.h"
#include "engine/weights.h"
#include "model/description/config.h"
#include "model/description/kinds.h"

namespace heed::engine {

/// The weights of one head.
struct HeadWeights {
  Linear key, query;  // general: W of keys; additive: U and W; location: W of queries
  Floats score;       // additive: v [hidden]
  // local_p
  Linear center;
  Floats center_score;
  // coverage
  Floats added;                    // V, by columns: [coverage, keys]
  Floats fertility;                // linguistic: u [memory]
  Linear from_memory, from_query;  // neural: rows update, reset, fresh
  Floats from_weight;              // [3 * coverage]
  Array recurrent;                 // [3 * coverage, coverage]
};

struct RecurrentAttention {
  model::ScoresOf score = model::ScoresOf::kDot;
  model::Window window = model::Window::global;
  float half_width = 0;  // D of a window
  model::Coverage coverage = model::Coverage::none;
  int64_t coverage_width = 1;
  void (*weigh)(float* scores, int64_t count) = nullptr;  // scores become weights
  int64_t width = 0;                                      // of states, on both sides
  Linear query, memory;                                   // P and Q of several heads
  std::vector<HeadWeights> heads;

  int64_t head() const { return width / static_cast<int64_t>(heads.size()); }
};

/// The rows of a step, which are queries, and the sources that they look at.
struct QueryRows {
  std::span<const Span> sources;  // of the sentences that are left
  int64_t beam = 1;               // rows of a sentence
  int64_t position = 0;           // of the step

  int64_t rows() const { return std::ssize(sources) * beam; }
  const Span& source(int64_t row) const { return sources[row / beam]; }
};

/// One head that looks at the sources of one batch.
class HeadAttention {
 public:
  /// `values` [pieces, head] of the sentences at `sources` must stay.
  HeadAttention(const RecurrentAttention& kind, const HeadWeights& weights, const float* values,
                std::span<const Span> sources, const Threads& threads);

  /// Takes the queries of a step, [rows, head], which must stay until its end.
  void take_queries(const float* queries, const QueryRows& query_rows);
  /// Attention of one row; several threads may call it for different rows. It writes context [head]
  /// and weights [pieces of the row's source], and updates the row's coverage [pieces, coverage].
  /// `numbers`, if not null, are filled in for head `head`, but for the context.
  void attend(int64_t row, const QueryRows& query_rows, float* context, float* weights,
              float* coverage, HeadNumbers* numbers, int64_t head) const;

 private:
  /// The pieces that a row may see, from 0.
  Span seen_by(int64_t row, const QueryRows& query_rows) const;
  /// The keys without coverage, from piece `first` of the batch on.
  const float* keys_from(int64_t first) const {
    return (keys_.empty() ? values_ : keys_.data()) + first * kind_.head();
  }
  /// Scores the pieces that the row sees, the first of which is piece `first` of the batch.
  /// `covered` has their keys with coverage; null: their keys are keys_from(first).
  void score(int64_t row, const Span& seen, int64_t first, const float* covered,
             float* scores) const;
  /// Writes query, keys, values and scores of the only row to `numbers`. `covered` has the keys of
  /// the whole source with coverage; null: there is no coverage.
  void tell(const Span& source, const Span& seen, const float* covered, const float* scores,
            HeadNumbers& numbers, int64_t head) const;
  void cover(int64_t row, const Span& source, const float* weights, float* coverage) const;

  const RecurrentAttention& kind_;
  const HeadWeights& weights_;
  const float* values_;             // [pieces, head]
  Floats keys_, exponentials_;      // [pieces, head], where they are not the values; e^2x of them
  std::vector<char> is_small_key_;  // of each piece, whether its sentence has usable exponentials
  Floats facts_;                    // the numbers of each piece that coverage reads
  Products products_;
  // The numbers of the present step, row by row.
  const float* queries_ = nullptr;
  Floats projected_, projected_exponentials_, centers_, gates_;
  std::vector<char> is_small_query_;
};

/// The attention of all heads.
class SourceAttention {
 public:
  /// `states` [pieces, width], of the sentences at `sources`, must stay.
  SourceAttention(const RecurrentAttention& kind, const Floats& states,
                  std::span<const Span> sources, const Threads& threads);

  /// query [rows, width] -> context [rows, width]. `map`, if not null, receives the weights, and
  /// with `with_numbers` the HeadNumbers of its only row.
  void step(const float* query, const QueryRows& query_rows, float* context, LayerMap* map,
            bool with_numbers = false);
  void reorder(std::span<const int64_t> hypotheses);

 private:
  const RecurrentAttention& kind_;
  const Threads& threads_;
  Products products_;
  Floats values_;  // [heads, pieces, head], where there are several
  std::vector<HeadAttention> heads_;
  std::vector<Floats> coverage_;  // of each hypothesis: [heads, pieces of its source, coverage]
  Floats projected_, queries_;    // [rows, width]; [heads, rows, head]
};

}  // namespace heed::engine
