// Caches of beams (beam_caches.h) in memory that stays where it is, for steps that are the same
// work at each position: what kernels::Graph can record.
//
// There is memory for the largest shape. Others are the first sentences, pieces and slots of it,
// so that to go on in another shape moves nothing. A step looks at all slots of its shape; those
// that are not written yet are hidden, as others are. Rows behind the sentences that there are hold
// what nobody reads, but numbers.
#pragma once

#include <compare>
#include <cstdint>

#include "model/config.h"
#include "model/transformer/beam_caches.h"

namespace heed::model {

/// What a step is the same work for, beside the beam.
struct BeamsShape {
  int64_t sentences = 0, source = 0, steps = 0;  // source: pieces, steps: that there is room for

  auto operator<=>(const BeamsShape&) const = default;
};

/// Whether the steps of such a Transformer can be the same work: they cannot where numbers of the
/// host say what is seen.
bool has_fixed_steps(const ModelConfig& config);

class FixedBeams {
 public:
  /// For searches with as many hypotheses that begin as `state` of start_beams() does. Each writes
  /// `numbers` in a step, as StateSize::hypothesis says. Source and steps are multiples of 16.
  FixedBeams(const State& state, int64_t numbers, int64_t beam, const BeamsShape& most);

  const BeamsShape& most() const { return most_; }
  int64_t beam() const { return sees_.size(1); }

  /// The sentences of `state`, before their first step; the search stays within `shape`.
  void start(const State& state, const BeamsShape& shape);
  /// As model::go_on_with(), of both.
  void go_on_with(const Tensor& sentences, const Tensor& hypotheses);
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
