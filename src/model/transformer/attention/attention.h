// The computation of self-attention between its projections: one file and one line of registry.def
// for each kind.
#pragma once

#include <torch/nn/module.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/attention.h"
#include "kernels/normalisers/normaliser.h"
#include "kernels/rows/pattern.h"
#include "kernels/tensor.h"
#include "model/adapters.h"
#include "model/description/config.h"
#include "model/description/kinds.h"
#include "model/transformer/attention/scaled_dot_product.h"
#include "model/transformer/beam_caches.h"
#include "model/transformer/positions/positions.h"
#include "model/transformer/sentences.h"

namespace heed::model {

/// The options of self-attention and of cross-attention.
struct MultiHeadOptions {
  int64_t width = 0, heads = 1;
  int64_t kv_heads = 0;  // 0: as many as heads
  AttentionScale scale = AttentionScale::sqrt;
  double dropout = 0;             // of the weights, while training
  kernels::Pattern pattern = {};  // self-attention: which keys a query sees
  std::string kind = "softmax";   // self-attention: one of the registry
  bool bias = true;               // of the projections
  kernels::Normalise normalise = &kernels::softmax;

  std::vector<int64_t> kept = {};  // the numbers of the heads that are left; empty: all

  int64_t head() const { return width / heads; }
  int64_t count() const { return kept.empty() ? heads : std::ssize(kept); }
  int64_t kv() const { return kv_heads == 0 || !kept.empty() ? count() : kv_heads; }
  int64_t inner() const { return count() * head(); }  // width of the queries
  int64_t shared() const { return kv() * head(); }    // width of the keys, and of the values
  double factor() const;                              // of the scores
  /// The mask without the pattern, which only whole sentences need.
  AttentionMask masking(const Tensor& valid, bool training) const;
  kernels::UnpaddedHeads unpadded_heads(const SentenceLayout& queries,
                                        const SentenceLayout& keys) const;
};

/// The location of self-attention in a model: the positions of its stack, and the number of its
/// layer.
struct LayerIndex {
  std::shared_ptr<const Positions> positions = {};  // null: none
  int64_t layer = 0;
};

/// Throws Bug where the heads do not divide the width, or the kv heads the heads.
void require_sound(const MultiHeadOptions& options);

/// Splits the last dimension into heads: [..., heads * head] -> [..., heads, head].
Tensor split_heads(const Tensor& x, int64_t head);

/// Puts heads side by side: [batch, heads, query, head] -> [batch, query, heads * head].
Tensor join_heads(const Tensor& x);

/// Attention of unpadded sentences on a GPU: query [query positions, heads, head], keys and values
/// [key positions, kv heads, head] -> [query positions, heads * head].
Tensor attend_varlen(const Tensor& query, const Tensor& keys, const Tensor& values,
                     const SentenceLayout& queries, const SentenceLayout& memory,
                     const AttentionMask& masking);

/// Self-attention between two linear layers. A kind overrides the functions between them, which
/// take the projection of queries, keys and values side by side, [..., (heads + 2 kv heads) *
/// head], and return [..., heads * head]. `weights`, if not null, receives them.
class SelfAttention : public torch::nn::Module {
 public:
  SelfAttention(const MultiHeadOptions& options, const LayerIndex& index);

  /// x [batch, length, width], or [positions, width] unpadded -> the same shape. Weights are
  /// [batch, heads, query, keys], and there are some for padded sentences only.
  Tensor forward(const Tensor& x, const SentenceLayout& sentences, Tensor* weights);

  /// One step of a decoder at `position`, of a kind without scores: x [sentences, beam, width] ->
  /// the same shape. `state` has carried() tensors, undefined before the first step.
  Tensor step(const Tensor& x, std::span<Tensor> state, int64_t position, Tensor* weights);

  /// One step of a kind that has scores, with caches of sentences: keys and values are written into
  /// `cache`. Weights are [sentences, heads, beam, steps]; they need BeamStep::steps.
  Tensor step(const Tensor& x, const HeadsOfLayer& cache, const BeamStep& now, Tensor* weights);

  /// Returns the number of tensors that a decoder carries from step to step: [sentences, beam, ...]
  /// each, which are reordered with the hypotheses.
  virtual std::size_t carried() const { return 0; }
  int64_t heads() const { return options_.count(); }
  int64_t kv_heads() const { return options_.kv(); }

 protected:
  virtual Tensor padded(const Tensor& projected, const SentenceLayout& sentences,
                        Tensor* weights) = 0;
  virtual Tensor unpadded(const Tensor& projected,
                          const SentenceLayout& sentences);  // if it has scores
  virtual Tensor step_of_state(const Tensor& projected, std::span<Tensor> state, int64_t position,
                               Tensor* weights);  // if it has none
  virtual Tensor step_of_beams(const Tensor& projected, const HeadsOfLayer& cache,
                               const BeamStep& now, Tensor* weights);  // if it has scores

  const MultiHeadOptions options_;
  const std::shared_ptr<const Positions> positions_;  // never null
  const int64_t layer_;

 private:
  LinearLayerPtr projection_, output_;
};

using SelfAttentionPtr = std::shared_ptr<SelfAttention>;

/// Makes self-attention of the kind that the options name. Throws Bug for a kind that is not in
/// registry.def.
SelfAttentionPtr make_self_attention(const MultiHeadOptions& options, const LayerIndex& index = {});

}  // namespace heed::model
