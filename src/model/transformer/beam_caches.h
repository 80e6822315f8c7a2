// Keys and values of a decoder's steps by LibTorch: each is written once and never moved.
//
// They belong to a sentence. At each step every hypothesis appends its key and value to those that
// its sentence has, at a slot, and looks at all slots of its sentence; an added score of -inf hides
// those that are not of its own past. When beams are reordered, hypotheses take over from each
// other that row of scores alone.
//
// The numbers that a step moves for one sentence with b hypotheses and p steps; n = 2 (layers) (kv
// heads) (head) are the keys and values of one step:
//
//                                  to reorder   launches   to attend
//   caches by hypothesis, copied   2 b p n      2 layers   b p n
//   slots, gathered at each step   2 b p n      2 layers   b p n
//   here                           2 b b p      1          b p n
//
// b is far below n. Attention multiplies b times as many queries and keys, which costs nothing: a
// fused kernel works on tiles of 64 queries, of which one hypothesis alone fills a row. On a CPU it
// costs, and src/engine decodes there.
//
// Greedy search has one hypothesis: nothing is hidden, and there are no scores to add.
//
// The layers' tensors are stacked along the heads, so that sentences that leave take one operation
// for all layers.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/rows/pattern.h"
#include "kernels/tensor.h"
#include "model/description/config.h"
#include "model/source.h"
#include "model/state.h"
#include "model/transformer/attention/scaled_dot_product.h"

namespace heed::model {

/// The keys of some heads, and after them the values of as many: [sentences, 2 kv heads, slots,
/// head].
struct HeadsOfLayer {
  Tensor both;

  Tensor keys() const { return both.narrow(1, 0, both.size(1) / 2); }
  Tensor values() const { return both.narrow(1, both.size(1) / 2, both.size(1) / 2); }
};

/// The data that the layers of one step share.
struct BeamStep {
  int64_t position = 0;
  int64_t slot = 0;  // the first slot that the hypotheses of this step write, one each
  /// The number of positions from `position` on at which the step may be. It is 1, except with
  /// State::at; then the hypotheses write at `slots` [beam] int64.
  int64_t positions = 1;
  Tensor at, slots;
  int64_t first = 0, count = 0;  // the slots that are looked at
  /// 0 or -inf: [sentences or 1, 1, beam or 1, count rounded up]; undefined: nothing is hidden.
  Tensor hidden;
  Tensor hidden_of_group;  // the same for `group` queries a hypothesis, [.., 1, beam * group, ..]
  Tensor steps;            // [count rounded up] int64: the step of each slot, where wants_steps
};

/// The options of a BeamStep.
struct BeamStepOptions {
  std::vector<int64_t> heads;  // of keys and values in each layer
  int64_t head = 0;            // width of one
  int64_t group = 1;           // queries that share one of the keys
  kernels::Pattern pattern = {};
  bool wants_steps = false;
};

/// The indices of State::memory: hidden_padding(), cached_source() and cached_steps() of all
/// layers. State::carried says which slots a hypothesis sees, [sentences, beam, capacity], 0 or
/// -inf; undefined while there has been one hypothesis. Self-attention without scores has the
/// tensors that it carries in its place (SelfAttention::carried()), and no cached_steps().
enum BeamMemory : std::size_t { kHiddenPadding, kSourceHeads, kStepHeads, kBeamMemorySlots };

/// The State before the first step. `memory`: keys and values of the source for each layer in turn,
/// [sentences, kv heads, source, head]. `valid` [sentences, 1, 1, source] bool: which positions are
/// no padding; undefined: all.
State start_beams(const std::vector<Tensor>& memory, const Tensor& valid);

/// Makes room for the keys and values of `beam` hypotheses for each sentence.
BeamStep begin_step(State& state, int64_t beam, const BeamStepOptions& options);

/// The caches of the steps, and the keys and values of the source, for `heads` heads of one layer,
/// which begin with `first_head` of all layers' heads.
HeadsOfLayer cached_steps(const State& state, int64_t first_head, int64_t heads);
HeadsOfLayer cached_source(const State& state, int64_t first_head, int64_t heads);
/// Scores that hide padding, [sentences, 1, 1, source]; undefined: there is none.
Tensor hidden_padding(const State& state);

/// The numbers to add to a query's scores: `hidden`, and scores by distance (ScoresByDistance) of a
/// step's queries [sentences * beam or 1, heads, 1, steps], if any. Returns [sentences or 1, kv
/// heads or 1, beam * group, count], for attend_beams(); or undefined.
Tensor added_at(const BeamStep& step, const Tensor& by_step, int64_t sentences, int64_t kv_heads);

/// Attention of the hypotheses of each sentence over the sentence's keys: query [sentences, beam,
/// heads, head], keys and values [sentences, kv heads, slots, head] -> [sentences, beam, heads *
/// head]. For this, queries that share keys lie one after the other, [sentences, kv heads, beam *
/// group, head], and `masking.added` has the same order. `weights` receives [sentences, heads,
/// beam, slots].
Tensor attend_beams(const Tensor& query, const Tensor& keys, const Tensor& values,
                    const AttentionMask& masking, Tensor* weights);

/// Weights [sentences, heads, beam, slots] -> [sentences, heads, beam, steps].
Tensor weights_by_step(const Tensor& weights, const BeamStep& step);

/// The sizes, beside the beam, on which the work of a step depends.
struct BeamsShape {
  int64_t sentences = 0, source = 0, steps = 0;  // source: pieces, steps: that there is room for

  auto operator<=>(const BeamsShape&) const = default;
};

/// Whether the steps of a Transformer of `config` can be the same work at each position: they
/// cannot where numbers of the host say which positions are seen.
bool has_fixed_steps(const ModelConfig& config);

/// Caches in memory that stays where it is, for steps that are the same work at each position, so
/// that kernels::Graph can record them.
///
/// There is memory for the largest shape. A smaller shape has its first sentences, pieces and
/// slots, so that going on in another shape moves nothing. A step looks at all slots of its shape;
/// those that are not written yet are hidden, as others are. Rows after the last sentence hold
/// numbers (no NaN) that nobody reads.
class FixedBeams {
 public:
  /// Makes the memory for searches with `beam` hypotheses that begin with a State such as `state`,
  /// of start_beams(). Each hypothesis writes `numbers` numbers in a step, as StateSize::hypothesis
  /// says. Source and steps are multiples of 16.
  FixedBeams(const State& state, int64_t numbers, int64_t beam, const BeamsShape& most);

  const BeamsShape& most() const { return most_; }
  int64_t beam() const { return sees_.size(1); }

  /// Takes over the sentences of `state`, before their first step; the search stays within `shape`.
  void start(const State& state, const BeamsShape& shape);
  /// Does the work of model::reorder(), with both sentences and hypotheses, in this memory.
  void reorder(const Tensor& sentences, const Tensor& hypotheses);
  /// The State of a shape, whose tensors are this object's memory.
  State state(const BeamsShape& shape) const;

 private:
  BeamsShape most_;
  Tensor padding_;         // [sentences, 1, 1, source]
  Tensor source_, steps_;  // [sentences, heads, source or slots, head]
  Tensor sees_;            // [sentences, beam, slots]
  Tensor at_;              // [1]
};

}  // namespace heed::model
