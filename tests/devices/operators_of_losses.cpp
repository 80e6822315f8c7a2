// Normalisers and losses: each through the function that training calls,
// whichever path it takes.
#include <limits>

#include "accelerator/support.h"
#include "devices/inputs.h"
#include "kernels/additive.h"
#include "kernels/normalisers/normaliser.h"
#include "model/model.h"
#include "train/loss.h"

namespace heed::devices {
namespace {

using accelerator::kPieces, accelerator::small_batch;

Operator normaliser(const kernels::Normaliser& one) {
  const auto compute = [one](const DevicePrecision& on) {
    Numbers numbers(on);
    const Tensor scores = numbers.leaf({5, 3, 17});
    const Tensor hidden = put(on, at::arange(17).lt(9).logical_and(at::arange(17).ge(6)));
    return with_gradients(on, {{"scores", scores}}, [&]() -> Tensors {
      return {{"weights",
               one.normalise(
                   (scores * 2).masked_fill(hidden, -std::numeric_limits<double>::infinity()))}};
    });
  };
  return {"normaliser." + std::string(one.name), compute, kInFp32};
}

Values additive_scores(const DevicePrecision& on) {
  Numbers numbers(on);
  const Tensor query = numbers.leaf({3, 5, 16}), keys = numbers.leaf({3, 9, 16}),
               v = numbers.leaf({16});
  return with_gradients(on, {{"query", query}, {"keys", keys}, {"v", v}}, [&]() -> Tensors {
    return {{"scores", kernels::additive_scores(query, keys, v)}};
  });
}

/// The loss from the decoder's features by a small Transformer's output layer, tied or with a bias
/// of its own.
Operator output_loss(const std::string& name, double smoothing, train::Consistency consistency) {
  const auto compute = [=](const DevicePrecision& on) {
    model::ModelConfig config = model::testing::small_transformer();
    const model::ModelPtr model = model::testing::model_of(config, kPieces);
    model->to(on.device, on.wide());
    train::TrainConfig training;
    training.consistency = consistency;
    Random random(5);
    const bool twice = consistency != train::Consistency::none;
    const data::Batch batch = twice ? both_of(small_batch(), training, random) : small_batch();
    const train::Target target = train::make_target(batch, on.device);
    Numbers numbers(on);
    const Tensor features = numbers.leaf({batch.size, batch.target_length, config.width});
    const model::OutputWeights output = model->output();
    return with_gradients(
        on, {{"features", features}, {"weight", output.weight}, {"bias", output.bias}},
        [&]() -> Tensors {
          const Tensor narrow = features.to(on.narrow());
          const train::LossSum loss =
              loss_of(*model, narrow, target, smoothing, pair_weights(training));
          return {{"smoothed", loss.smoothed}, {"nll", loss.nll}};
        });
  };
  return {"loss." + name, compute};
}

/// A loss of logarithms of weights, [sentences, target, source].
Operator loss_of_attention(const std::string& name,
                           const std::function<Tensor(const train::LossInput&)>& loss) {
  const auto compute = [loss](const DevicePrecision& on) {
    const data::Batch batch = small_batch();
    Numbers numbers(on);
    const Tensor scores = numbers.leaf({batch.size, batch.target_length, batch.source_length});
    return with_gradients(on, {{"scores", scores}}, [&]() -> Tensors {
      const Tensor logs = at::log_softmax(scores, -1);
      return {{"loss", loss({batch, train::TrainConfig(), {}, logs})}};
    });
  };
  return {"loss." + name, compute, kInFp32};
}

}  // namespace

std::vector<Operator> loss_operators() {
  using train::Consistency;
  std::vector<Operator> all{{"additive_scores", additive_scores, kInFp32},
                            output_loss("output", 0, Consistency::none),
                            output_loss("output_smoothed", 0.1, Consistency::none),
                            output_loss("rdrop", 0.1, Consistency::rdrop),
                            output_loss("simcut", 0.1, Consistency::simcut),
                            loss_of_attention("coverage", train::cover_loss),
                            loss_of_attention("guided", train::align_loss)};
  for (const kernels::Normaliser& one : kernels::normalisers()) all.push_back(normaliser(one));
  return all;
}

}  // namespace heed::devices
