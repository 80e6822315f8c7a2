// The recurrences that a Transformer's decoder has in place of self-attention where `model.decoder`
// says so. A position knows the earlier ones by a state of one size: a step costs the same however
// long the translation is.
//
// ssru (Kim et al. 2019), a simpler recurrent unit:
//   f(t) = sigmoid(W_f x(t) + b_f), c(t) = f(t) c(t-1) + (1 - f(t)) W x(t), o(t) = max(0, c(t))
//
// average (Zhang, Xiong and Su 2018), the average attention network with its feed-forward layers,
// which have the block's inner width and activation:
//   g(t) = FFN((1 / t) sum of x(k), k <= t), i(t), f(t) = sigmoid(W [x(t); g(t)] + b),
//   o(t) = i(t) x(t) + f(t) g(t)
#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <memory>

#include "kernels/tensor.h"
#include "model/transformer/sentences.h"

namespace heed::model {

struct BlockOptions;

class Recurrence : public torch::nn::Module {
 public:
  /// x [batch, length, width], or [positions, width] unpadded -> the same shape. Padding is at a
  /// sentence's end.
  virtual Tensor forward(const Tensor& x, const SentenceLayout& sentences) = 0;

  /// One step at `position`: x [sentences, beam, width] -> the same shape. `state` [sentences,
  /// beam, width], undefined before the first step: c(t), or the sum of x.
  virtual Tensor step(const Tensor& x, Tensor& state, int64_t position) = 0;
};

using RecurrencePtr = std::shared_ptr<Recurrence>;

/// Makes the recurrence that `options.decoder` names. Throws Bug for attention.
RecurrencePtr make_recurrence(const BlockOptions& options);

}  // namespace heed::model
