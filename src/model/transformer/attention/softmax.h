// softmax(scale Q K^T + scores by distance) V over what a pattern shows (Vaswani et al. 2017, eq.
// 1), with positions that turn queries and keys, or add to scores.
#pragma once

#include <cstdint>

#include "model/transformer/attention/attention.h"  // IWYU pragma: export
#include "model/transformer/beam_caches.h"
#include "model/transformer/positions/positions.h"
#include "model/transformer/sentences.h"

namespace heed::model {

class SoftmaxAttention : public SelfAttention {
 public:
  SoftmaxAttention(const MultiHeadOptions& options, const LayerIndex& index);

 protected:
  Tensor padded(const Tensor& projected, const SentenceLayout& sentences, Tensor* weights) override;
  Tensor unpadded(const Tensor& projected, const SentenceLayout& sentences) override;
  Tensor step_of_beams(const Tensor& projected, const HeadsOfLayer& cache, const BeamStep& now,
                       Tensor* weights) override;

  /// The queries and keys that a kind makes of x before positions turn them: x [..., heads + kv
  /// heads, head], the queries first. It is called for kinds of WeightsOf::kPrepared.
  virtual Tensor prepared(const Tensor& x) const { return x; }

 private:
  struct Heads {
    Tensor query;         // [..., heads, head]
    Tensor keys, values;  // [..., kv heads, head]
  };
  Tensor turns(int64_t first, int64_t length, const Tensor& at = {}) const;
  bool changes(const Tensor& turns) const { return prepares_ || turns.defined(); }
  Tensor changed(const Tensor& x, const Tensor& turns) const;
  Heads heads_of(const Tensor& projected, const Tensor& turns) const;
  ScoresByDistance distances(int64_t length) const {
    return positions_->by_distance(layer_, length, options_.kept);
  }
  Tensor write_beams(const Tensor& projected, const HeadsOfLayer& cache, const BeamStep& now) const;

  bool prepares_;
};

}  // namespace heed::model
