// The output layer and its loss in one: logits exist for some rows at a time, become their own
// gradient where they stand, and are multiplied into the gradients of features and weights at once.
// Nothing of the size tokens x vocab is ever held. fp32 and bf16.
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/rows/loss.h"
#include "kernels/tensor.h"

namespace heed::kernels {

/// The number of logits that exist at a time on a GPU, at most: enough rows for fast products.
constexpr int64_t kLogitsTogether = int64_t{1} << 26;

/// Sums over tokens; on a GPU the host does not wait for them.
struct OutputLossSum {
  Tensor smoothed;  // [] double, with a gradient
  Tensor nll;       // [] double, without

  /// A sum on `device` in which both are 0.
  static OutputLossSum on(const at::Device& device);
};

/// features [tokens, width], weight [vocab, width], bias [vocab] or undefined, gold [tokens] int64.
/// Sums over tokens of the label-smoothed cross entropy (train/loss.h) of weight x + bias, computed
/// in `type` (fp32 or bf16) with fp32 gradients of the weights. One backward pass only. With a
/// `pair` of two predictions of each piece (rows/loss.h): features [2 tokens, width], those of the
/// second predictions after those of the first.
OutputLossSum output_loss(const Tensor& features, const Tensor& weight, const Tensor& bias,
                          const Tensor& gold, double smoothing, at::ScalarType type,
                          const std::optional<PairWeights>& pair = {});

/// The rows whose logits output_loss() works on together on a CPU. All weights and all of their
/// gradients are read again for each so many rows.
int64_t rows_together(int64_t vocab, at::ScalarType type, bool pair = false);

/// output_loss() in LibTorch's operations, for devices other than the CPU: with a `pair` of two
/// predictions. `together` is how many logits are worked on at a time. Without a pair there may be
/// `weights` [tokens] float of the rows' losses.
OutputLossSum output_loss_on_gpu(const Tensor& features, const Tensor& weight, const Tensor& bias,
                                 const Tensor& gold, double smoothing,
                                 const std::optional<PairWeights>& pair, at::ScalarType type,
                                 int64_t together = kLogitsTogether, const Tensor& weights = {});

// The loss of given logits in LibTorch's operations, on any device (train/loss.h has the equation).

/// Adds the label-smoothed cross entropy of logits [rows, vocab] with gold [rows] int64 to `sum`,
/// without an autograd graph. Where `gradient` [rows, vocab] is defined it receives p - q; it may
/// share its memory with `logits`. Where `weights` [rows] float are defined each row's loss is
/// multiplied by its own.
void add_logit_loss(const Tensor& logits, const Tensor& gold, double smoothing,
                    const Tensor& gradient, OutputLossSum& sum, const Tensor& weights = {});

/// The loss of two predictions of each piece (rows/loss.h), with an autograd graph for `smoothed`:
/// logits [2 rows, vocab], those of the second predictions after those of the first; gold [rows].
OutputLossSum pair_logit_loss(const Tensor& logits, const Tensor& gold, double smoothing,
                              const PairWeights& pair);

}  // namespace heed::kernels
