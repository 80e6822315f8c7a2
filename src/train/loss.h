// Label-smoothed cross entropy over the real target positions of a batch, and the losses that are
// added to it (train/losses.h); nothing is computed for padding.
//
//   q = (1 - eps) on the gold piece + eps / vocab on every piece (Szegedy et al. 2016; as PyTorch)
//   loss = - sum over pieces of q log p,    d loss / d logits = p - q
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "kernels/output_loss.h"
#include "kernels/rows/loss.h"
#include "model/pointer.h"
#include "model/source.h"
#include "model/trace.h"
#include "train/config.h"

namespace heed::data {
struct Batch;  // data/batch.h
}  // namespace heed::data

namespace heed::train {

using at::Tensor;

/// The target side of one batch on the model's device.
struct Target {
  model::TargetInput input;
  Tensor gold;  // [tokens] int64: the pieces to predict, row by row, without padding
  Tensor rows;  // [tokens] int64: their indices in [batch * target]; undefined without padding
  int64_t tokens = 0;
  Tensor weights;  // [tokens] float on a GPU: of each piece's loss; undefined: 1
};

/// The pieces that a batch predicts, row by row, and their indices in rows of `width`.
struct Predicted {
  std::vector<int64_t> gold, rows;
};
Predicted predicted(const data::Batch& batch, int64_t width);

Target make_target(const data::Batch& batch, const at::Device& device);

/// A loss that is added to the cross entropy.
struct LossTerm {
  std::string name;  // as in AuxiliaryLoss
  double weight = 0;
  Tensor sum;  // over tokens: [] double, with a gradient; undefined: the batch has none
};

/// Sums over tokens, as numbers on the device (reading them waits for it). `smoothed` is the cross
/// entropy + sum of weight * term, `nll` is for perplexity.
struct LossSum : kernels::OutputLossSum {
  std::vector<LossTerm> terms = {};

  /// [2 + terms] double, without a gradient: smoothed, nll, the sums of the terms.
  Tensor numbers() const;
};
/// Returns the number of numbers() in a run.
int64_t count_numbers(const TrainConfig& config);

/// logits [tokens, vocab], gold [tokens]. Where `logits` is the result of another operation it is
/// overwritten by its own gradient, so that no second tensor of that size exists: the operation
/// before it must not need its result for its gradient (a linear layer does not; autograd throws
/// for those that do). One backward pass only.
LossSum cross_entropy(const Tensor& logits, const Tensor& gold, double smoothing);

/// Returns the cross entropy from the decoder's features [batch, target, features] through the
/// model's output layer. With a `pair` the batch's second half has the same targets as its first.
LossSum loss_of(model::Model& model, const Tensor& features, const Target& target, double smoothing,
                const std::optional<kernels::PairWeights>& pair = {});

/// The data from which an auxiliary loss is computed.
struct LossInput {
  const data::Batch& batch;
  const TrainConfig& config;
  Tensor features;   // [batch or more, target, features]
  Tensor attention;  // log weights [batch or more, target, source] as in model::Guided, where it
                     // needs them
};

/// Returns each auxiliary loss of a batch that has what it needs: the sum over its real target
/// positions, [] double, with a gradient.
#define HEED_LOSS(name, key, needs) Tensor name##_loss(const LossInput& input);
#include "train/losses.def"
#undef HEED_LOSS

/// Returns the trace that the model has to fill for the losses; nothing where no loss of this batch
/// needs attention.
std::optional<model::Trace> trace_of_losses(const data::Batch& batch, const TrainConfig& config);

/// Adds the auxiliary losses of the configuration.
void add_losses(LossSum& loss, const LossInput& input);

// Consistency training: each sentence pair is predicted twice, and the predictions have to agree.
//
//   rdrop (Liang et al. 2021, eq. 4, halved so that a learning rate means the same as without):
//     1/2 (H(q, p) + H(q, p')) + weight/4 (KL(p || p') + KL(p' || p))
//     p and p' differ by their dropout.
//   simcut (Gao et al. 2022, eq. 7):
//     H(q, p) + weight KL(p || p')
//     p' sees a pair of whose tokens a share has no vector, on both sides.
//
// H is the cross entropy with the label-smoothed target q. The gradient flows into p and p'.

/// The terms' weights; nothing for `none`.
std::optional<kernels::PairWeights> pair_weights(const TrainConfig& config);

/// Returns each sentence pair twice, all second copies after all first ones: [2 size]. With simcut
/// each token of the second copies, eos and bos included, is model::kCut with probability
/// consistency_share.
data::Batch both_of(const data::Batch& batch, const TrainConfig& config, Random& random);

}  // namespace heed::train
