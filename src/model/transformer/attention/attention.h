// What self-attention computes between its projections: one file and one line of registry.def for
// each kind (kinds.h).
#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/attention.h"
#include "kernels/tensor.h"
#include "model/config.h"
#include "model/transformer/attention/scaled_dot_product.h"
#include "model/transformer/beam_caches.h"
#include "model/transformer/positions/positions.h"
#include "model/transformer/sentences.h"

namespace heed::model {

/// Of self-attention and of cross-attention.
struct MultiHeadOptions {
  int64_t width = 0, heads = 1;
  int64_t kv_heads = 0;  // 0: as many as heads
  AttentionScale scale = AttentionScale::sqrt;
  double dropout = 0;             // of the weights, while training
  kernels::Pattern pattern = {};  // self-attention: who sees whom
  std::string kind = "softmax";   // self-attention: one of the registry
  bool bias = true;               // of the projections
  kernels::Normalise normalise = &kernels::softmax;

  std::vector<int64_t> kept = {};  // of the heads, those that are there; empty: all

  int64_t head() const { return width / heads; }
  int64_t count() const { return kept.empty() ? heads : std::ssize(kept); }
  int64_t kv() const { return kv_heads == 0 || !kept.empty() ? count() : kv_heads; }
  int64_t inner() const { return count() * head(); }  // width of the queries
  int64_t shared() const { return kv() * head(); }    // width of the keys, and of the values
  double factor() const;                              // of the scores
  /// Without the pattern, which only whole sentences need.
  Look look(const Tensor& valid, bool training) const;
  kernels::PackedHeads packed_heads(const Sentences& queries, const Sentences& keys) const;
};

/// Where self-attention is: the positions of its stack, and which of the layers it is in.
struct Place {
  std::shared_ptr<const Positions> positions = {};  // null: none
  int64_t layer = 0;
};

/// [..., heads * head] -> [..., heads, head]
Tensor split_heads(const Tensor& x, int64_t head);

/// [batch, heads, query, head] -> [batch, query, heads * head]
Tensor join_heads(const Tensor& x);

/// Of packed sentences on a GPU: query [query positions, heads, head], keys and values [key
/// positions, kv heads, head] -> [query positions, heads * head].
Tensor attend_varlen(const Tensor& query, const Tensor& keys, const Tensor& values,
                     const Sentences& queries, const Sentences& memory, const Look& look);

/// All functions take the projection of queries, keys and values side by side, [..., (heads + 2 kv
/// heads) * head], and return [..., heads * head]. `weights`, if not null, receives them.
class SelfAttentionKind : public torch::nn::Module {
 public:
  SelfAttentionKind(const MultiHeadOptions& options, const Place& place);

  /// [batch, length, ...]; weights [batch, heads, query, keys].
  virtual Tensor padded(const Tensor& projected, const Sentences& sentences, Tensor* weights) = 0;

  /// [positions, ...], packed. Asked of a kind that has scores.
  virtual Tensor unpadded(const Tensor& projected, const Sentences& sentences);

  /// How many tensors a decoder carries for it from step to step: [sentences, beam, ...] each,
  /// which are reordered with the hypotheses.
  virtual std::size_t carried() const = 0;

  /// One step of a decoder, [sentences, beam, ...], at `position`. `state` has the tensors that are
  /// carried, undefined before the first step. Weights [sentences, heads, beam, keys seen].
  virtual Tensor step(const Tensor& projected, std::span<Tensor> state, int64_t position,
                      Tensor* weights) = 0;

  /// The same with caches of sentences: keys and values are written into `cache`. Weights
  /// [sentences, heads, beam, steps]; BeamStep::steps is asked for. Asked of a kind that has
  /// scores.
  virtual Tensor step(const Tensor& projected, const HeadsOfLayer& cache, const BeamStep& now,
                      Tensor* weights);

 protected:
  const MultiHeadOptions options_;
  const std::shared_ptr<const Positions> positions_;  // never null
  const int64_t layer_;
};

using SelfAttentionPtr = std::shared_ptr<SelfAttentionKind>;

}  // namespace heed::model
