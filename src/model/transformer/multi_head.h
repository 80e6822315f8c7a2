// Multi-head attention (Vaswani et al. 2017, 3.2.2) with as many heads of keys and values as of
// queries, one (MQA, Shazeer 2019) or some (GQA, Ainslie et al. 2023), over itself and over a
// memory.
#pragma once

#include <cstdint>
#include <functional>

#include "kernels/tensor.h"
#include "model/adapters.h"
#include "model/trace.h"
#include "model/transformer/attention/attention.h"
#include "model/transformer/beam_caches.h"
#include "model/transformer/sentences.h"

namespace heed::model {

/// A memory's keys and values.
struct KeysValues {
  Tensor keys, values;  // padded: [batch, kv heads, source, head]
  Tensor unpadded;      // unpadded: both, [positions, 2 * kv heads * head]
};

/// The layouts of the sentences that look and of those that are looked at.
struct CrossSentenceLayout {
  const SentenceLayout& queries;  // their mask is not read
  const SentenceLayout& memory;
};

class CrossAttention : public torch::nn::Module {
 public:
  explicit CrossAttention(const MultiHeadOptions& options);

  /// memory [batch, source, width], or [positions, width] unpadded, once per sentence.
  KeysValues project(const Tensor& memory);

  /// x [batch, query, width]: positions of teacher forcing or hypotheses of a beam; or [positions,
  /// width] where both sides are unpadded. `weights`, if not null, receives [batch,
  /// heads, query, source] of padded sentences, and `guided` one head's logarithms; `exchange` is
  /// of padded sentences.
  Tensor forward(const Tensor& x, const KeysValues& memory, const CrossSentenceLayout& sentences,
                 Tensor* weights, Guided* guided = nullptr,
                 const std::function<Tensor(const Tensor&)>& exchange = {});

  /// Hypotheses of beams, x [sentences, beam, width], over keys and values of the source; `padding`
  /// as hidden_padding(). `weights` receives [sentences, heads, beam, source].
  Tensor step(const Tensor& x, const HeadsOfLayer& source, const Tensor& padding, Tensor* weights);
  int64_t kv_heads() const { return options_.kv(); }

 private:
  Tensor attend_unpadded(const Tensor& query, const KeysValues& memory,
                         const CrossSentenceLayout& sentences) const;
  Tensor logs_of_head(const Tensor& query, const KeysValues& memory,
                      const CrossSentenceLayout& sentences, int64_t head) const;

  MultiHeadOptions options_;
  LinearLayerPtr query_;
  LinearLayerPtr projection_;  // keys, values stacked
  LinearLayerPtr output_;
};

}  // namespace heed::model
