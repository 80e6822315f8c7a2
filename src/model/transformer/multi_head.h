// Multi-head attention (Vaswani et al. 2017, 3.2.2) with as many heads of keys and values as of
// queries, one (MQA, Shazeer 2019) or some (GQA, Ainslie et al. 2023), over itself and over a
// memory.
#pragma once

#include <torch/nn/module.h>
#include <torch/nn/modules/linear.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/tensor.h"
#include "model/config.h"
#include "model/model.h"
#include "model/transformer/beam_caches.h"
#include "model/transformer/positions/positions.h"
#include "model/transformer/scaled_dot_product.h"
#include "model/transformer/sentences.h"

namespace heed::model {

struct MultiHeadOptions {
  int64_t width = 0, heads = 1;
  int64_t kv_heads = 0;  // 0: as many as heads
  AttentionScale scale = AttentionScale::sqrt;
  double dropout = 0;             // of the weights, while training
  kernels::Pattern pattern = {};  // self-attention: what a position sees
  bool linear = false;            // self-attention: f(Q) (f(K)^T V), without softmax
  bool bias = true;               // of the projections
  kernels::Normalise normalise = &kernels::softmax;

  std::vector<int64_t> kept;  // of the heads, those that are there; empty: all

  int64_t head() const { return width / heads; }
  int64_t count() const { return kept.empty() ? heads : std::ssize(kept); }
  int64_t kv() const { return kv_heads == 0 || !kept.empty() ? count() : kv_heads; }
  int64_t inner() const { return count() * head(); }  // width of the queries
};

/// Keys and values of the steps so far: [sentences, beam, kv heads, capacity, head], of which the
/// first `position` steps are used. Undefined before the first step. Linear attention keeps its
/// sums here: those of products, [sentences, beam, kv heads, head, head], in place of the values,
/// and those of keys, [sentences, beam, kv heads, head].
struct StepCache {
  Tensor& keys;
  Tensor& values;
};

/// Linear layers of these widths stacked into one, each with Xavier's uniform weights (Glorot and
/// Bengio 2010, eq. 16); biases are zeros.
torch::nn::Linear xavier_linear(int64_t in, const std::vector<int64_t>& outs, bool bias);

class SelfAttention : public torch::nn::Module {
 public:
  /// `positions`: those of the stack, in which this is layer `layer`; null: none.
  explicit SelfAttention(const MultiHeadOptions& options,
                         std::shared_ptr<const Positions> positions = nullptr, int64_t layer = 0);

  /// x [batch, length, width], or [positions, width] packed -> the same shape. `causal` as in Look.
  /// `weights`, if not null, receives [batch, heads, query, keys] (padded sentences only).
  Tensor forward(const Tensor& x, const Sentences& sentences, bool causal, Tensor* weights);

  /// One step: x [sentences, beam, width] at `position`, whose key and value are written into
  /// `cache`. `weights` receives [sentences, heads, beam, keys seen].
  Tensor step(const Tensor& x, const StepCache& cache, int64_t position, Tensor* weights);

  /// The same with caches of sentences: keys and values are written into `cache`. `weights`
  /// receives [sentences, heads, beam, steps]; BeamStep::steps is asked for.
  Tensor step(const Tensor& x, const HeadsOfLayer& cache, const BeamStep& now, Tensor* weights);
  int64_t heads() const { return options_.count(); }
  int64_t kv_heads() const { return options_.kv(); }

 private:
  struct Heads {
    Tensor query;         // [batch, length, heads, head]
    Tensor keys, values;  // [batch, length, kv heads, head]
  };
  Heads project(const Tensor& x);
  ScoresByDistance distances(int64_t length) const;
  Tensor attend_packed(const Tensor& x, const Sentences& sentences, bool causal);
  Tensor attend_step(const Heads& heads, const StepCache& cache, int64_t position, Tensor* weights);
  Tensor write_beams(const Tensor& projected, const HeadsOfLayer& cache, const BeamStep& now) const;
  Tensor linear_step_of(const Heads& heads, const StepCache& cache, int64_t position);

  MultiHeadOptions options_;
  torch::nn::Linear projection_;  // queries, keys, values stacked
  torch::nn::Linear output_;
  std::shared_ptr<const Positions> positions_;  // never null
  int64_t layer_;
};

/// A memory's keys and values.
struct KeysValues {
  Tensor keys, values;  // padded: [batch, kv heads, source, head]
  Tensor packed;        // packed: both, [positions, 2 * kv heads * head]
};

/// Who looks and what is looked at.
struct Between {
  const Sentences& queries;  // their mask is not asked for
  const Sentences& memory;
};

class CrossAttention : public torch::nn::Module {
 public:
  explicit CrossAttention(const MultiHeadOptions& options);

  /// memory [batch, source, width], or [positions, width] packed, once per sentence.
  KeysValues project(const Tensor& memory);

  /// x [batch, query, width]: positions of teacher forcing or hypotheses of a beam; or [positions,
  /// width] where both sides are packed. `guided`, if not null, receives one head's logarithms;
  /// `exchange` is of padded sentences.
  Tensor forward(const Tensor& x, const KeysValues& memory, const Between& sentences,
                 Tensor* weights, Guided* guided = nullptr,
                 const std::function<Tensor(const Tensor&)>& exchange = {});

  /// Hypotheses of beams, x [sentences, beam, width], over keys and values of the source; `padding`
  /// as hidden_padding(). `weights` receives [sentences, heads, beam, source].
  Tensor step(const Tensor& x, const HeadsOfLayer& source, const Tensor& padding, Tensor* weights);
  int64_t kv_heads() const { return options_.kv(); }

 private:
  Tensor attend_packed(const Tensor& query, const KeysValues& memory,
                       const Between& sentences) const;
  Tensor logs_of_head(const Tensor& query, const KeysValues& memory, const Between& sentences,
                      int64_t head) const;

  MultiHeadOptions options_;
  torch::nn::Linear query_;
  torch::nn::Linear projection_;  // keys, values stacked
  torch::nn::Linear output_;
};

}  // namespace heed::model
