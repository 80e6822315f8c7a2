// Whole models of each kind: the loss and its gradients, one update, steps of decoding, a search.
#include "accelerator/support.h"
#include "decode/model_search.h"
#include "devices/inputs.h"
#include "model/device.h"
#include "model/model.h"
#include "model/reorder_beams.h"
#include "train/own_optimizer.h"
#include "train/update.h"

namespace heed::devices {
namespace {

using accelerator::kPieces, accelerator::small_batch;
using model::testing::NamedConfig;

/// Errors of a dozen operators, one after the other.
constexpr Bounds kWhole{.fp32 = 3e-5, .tf32 = 1.2e-2, .bf16 = 8e-2, .fp16 = 1.2e-2};

model::ModelPtr model_at(const DevicePrecision& on, const model::ModelConfig& config,
                         uint64_t seed = 3) {
  const model::ModelPtr model = model::testing::model_of(config, kPieces, seed);
  model->to(on.device, on.wide());
  return model;
}

Values gradients(const DevicePrecision& on, const model::ModelConfig& config) {
  const model::ModelPtr model = model_at(on, config);
  const data::Batch batch = small_batch();
  const train::Target target = train::make_target(batch, on.device);
  const model::Source source = model::make_source(batch, on.device);
  return with_gradients(on, parameters_of(*model), [&]() -> Tensors {
    const Tensor features = model->features(source, target.input);
    const Tensor loss = train::loss_of(*model, features, target, 0.1).smoothed;
    return {{"features", features.flatten(0, 1).index_select(0, target.rows)}, {"loss", loss}};
  });
}

train::TrainConfig training(const model::ModelConfig& kind) {
  train::TrainConfig config;
  config.optimizer = train::OptimizerKind::sgd;
  config.micro_batches = 2;
  config.clip_norm = 0.5;
  if (model::testing::can_be_guided(kind)) {
    config.guided_alignment = 0.5;
    config.taught_head = kind.type == model::ModelType::rnn ? 0 : kind.heads - 1;
  }
  return config;
}

/// Two parts, with guided alignment where the model has it, and an average of the weights.
Values update(const DevicePrecision& on, const model::ModelConfig& kind) {
  const train::TrainConfig config = training(kind);
  const model::ModelPtr model = model_at(on, kind);
  Tensors before;
  for (const auto& [name, weight] : train::trainable(*model))
    before[name] = weight.detach().clone();
  train::OwnOptimizer own(config, *model);
  train::Average average(own.shard, 0.9);
  train::Updater updater(*model, config, on.device, on.autocast(), own.optimizer, &average);
  const train::UpdateNumbers numbers =
      updater
          .run(train::parts_of({small_batch(1)}, config),
               {.rate = 10, .loss_scale = on.precision == Precision::fp16 ? 256.0 : 1.0})
          .numbers();
  const auto host = [](double value) { return at::scalar_tensor(value, at::kDouble); };
  Tensors results{
      {"loss", host(numbers.loss)}, {"nll", host(numbers.nll)}, {"norm", host(numbers.norm)}};
  if (config.guided_alignment > 0) results["alignment"] = host(numbers.terms.at("align"));
  Values values = values_of(results);
  Tensors changes;
  for (const auto& [name, weight] : train::trainable(*model)) {
    changes[name] = weight.detach() - before.at(name);
    changes["average of " + name] = average.tensors().at(name) - before.at(name);
  }
  values.gradients = values_of(changes).results;
  return values;
}

/// Logits of three steps, with a beam that is reordered and sentences that leave.
Values steps(const DevicePrecision& on, const model::ModelConfig& config) {
  const at::NoGradGuard no_grad;
  const model::ModelPtr model = model_at(on, config);
  model->eval();
  const model::Autocast autocast(on.device, on.autocast());
  const data::Batch batch = small_batch();
  const auto tokens = [&](int64_t sentences, int64_t beam, int64_t first) {
    return put(on, (at::arange(sentences * beam) * 3 + first).remainder(7).add(4))
        .view({sentences, beam});
  };
  model::State state = model->start(model::make_source(batch, on.device));
  Tensors results;
  results["first"] = model->step(tokens(batch.size, 1, 0), state);
  reorder_beams(state, put(on, at::zeros({batch.size, 3}, at::kLong)));
  results["second"] = model->step(tokens(batch.size, 3, 1), state);
  reorder_beams(state, put(on, at::tensor({2, 0, 2}).expand({batch.size, 3}).contiguous()));
  reorder(state, put(on, at::tensor({0, 2, 3})), {});
  results["third"] = model->step(tokens(3, 3, 2), state);
  return values_of(results);
}

/// Weights that no two pieces are nearly equal with: rounding changes no choice.
Values search(const DevicePrecision& on, const model::ModelConfig& config) {
  const model::ModelPtr model = model_at(on, config, 5);  // whose best translations differ well
  {
    const at::NoGradGuard no_grad;
    for (Tensor& parameter : model->parameters())
      if (parameter.dim() > 1) parameter.mul_(config.type == model::ModelType::rnn ? 1.5 : 2);
  }
  decode::SearchOptions options;
  options.config.beam_size = 3;
  options.config.n_best = 2;
  options.config.max_length_ratio = 0.5;
  const auto found =
      decode::search({model.get()}, {model::make_source(small_batch(), on.device)}, options);
  std::vector<double> ids, scores;
  for (const auto& sentence : found)
    for (const decode::Hypothesis& one : sentence) {
      scores.push_back(one.score);
      ids.insert(ids.end(), one.ids.begin(), one.ids.end());
      ids.push_back(0);
    }
  return values_of(
      {{"ids", at::tensor(ids, at::kDouble)}, {"scores", at::tensor(scores, at::kDouble)}});
}

using Compute = Values (*)(const DevicePrecision&, const model::ModelConfig&);

/// Whether rounding moves something to where a gradient jumps: weights to 0, words out of a window
/// around a predicted position, the largest of two numbers.
bool jumps(const model::ModelConfig& config) {
  return config.attention_normaliser != "softmax" || config.window == model::Window::local_p ||
         config.readout == model::Readout::maxout;
}

/// All of one attention, and of the others one layer of GRUs and two of LSTMs.
std::vector<NamedConfig> recurrent_kinds() {
  std::vector<NamedConfig> kinds;
  for (const NamedConfig& kind : accelerator::every_kind()) {
    const model::ModelConfig& config = kind.config;
    const bool simple = config.window == model::Window::global &&
                        config.attention_normaliser == "softmax" &&
                        config.coverage == model::Coverage::none && config.attention_heads == 1;
    if (config.type == model::ModelType::rnn && (simple || config.attention == "luong_general"))
      kinds.push_back(kind);
  }
  return kinds;
}

/// Transformers with heads of 8 numbers, which the kernels of a GPU take, scores that are scaled,
/// softmax in cross-attention, and functions without jumps, as ssru's max(0, c): the others have
/// rows of their own.
std::vector<NamedConfig> transformer_kinds() {
  std::vector<NamedConfig> kinds = model::testing::transformer_kinds();
  std::erase_if(kinds, [](const NamedConfig& kind) {
    return kind.config.decoder == model::DecoderKind::ssru;
  });
  for (auto& [name, config] : kinds) {
    config.width = 8 * config.heads;
    config.attention_scale = model::AttentionScale::sqrt;
    config.attention_normaliser = "softmax";
    if (config.activation == model::Activation::relu) config.activation = model::Activation::gelu;
    name = config::name_of(config.norm) + "_" + config.positions + "_" + config.self_attention +
           "_kv" + std::to_string(config.kv_heads) + "_window" +
           std::to_string(config.sliding_window) + "_" + config::name_of(config.decoder);
  }
  return kinds;
}

}  // namespace

std::vector<Operator> model_operators() {
  std::vector<NamedConfig> kinds = recurrent_kinds();
  for (NamedConfig& kind : transformer_kinds()) kinds.push_back(std::move(kind));
  std::vector<Operator> all;
  for (const auto& [name, kind] : kinds) {
    const model::ModelConfig config = kind;
    const Bounds bounds = jumps(config) ? kInFp32.times(3) : kWhole;
    const auto add = [&](const std::string& what, Compute compute, const Bounds& allowed) {
      all.push_back({what + "." + name,
                     [=](const DevicePrecision& on) { return compute(on, config); }, allowed});
    };
    add("model", gradients, bounds);
    add("update", update, bounds);
    add("steps", steps, bounds);
    add("search", search, kInFp32.times(3));
  }
  return all;
}

}  // namespace heed::devices
