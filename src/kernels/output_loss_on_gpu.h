// What output_loss.h declares, for devices other than the CPU.
#pragma once

#include <optional>

#include "kernels/output_loss.h"

namespace heed::kernels {

/// `gold` [tokens]; features [tokens, width], with a `pair` [2 tokens, width]. So many logits are
/// worked on `together`. Without a pair there may be `weights` [tokens] float of the rows' losses.
OutputLossSum output_loss_on_gpu(const Tensor& features, const Tensor& weight, const Tensor& bias,
                                 const Tensor& gold, double smoothing,
                                 const std::optional<PairWeights>& pair, at::ScalarType type,
                                 int64_t together = kLogitsTogether, const Tensor& weights = {});

}  // namespace heed::kernels
