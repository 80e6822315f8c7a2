#include "engine/engine.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <map>
#include <string>
#include <utility>

#include "engine/recurrent.h"
#include "engine/transformer.h"
#include "model/description/traits.h"
#include "model/recurrent/recurrent.h"
#include "model/transformer/transformer.h"
#include "model/weights.h"

namespace heed::engine {
namespace {

Weights weights_of(const model::Model& model) {
  std::map<std::string, Array> arrays;
  for (const auto& [name, tensor] : model::named_weights(model)) {
    const auto dense = std::make_shared<Tensor>(tensor.contiguous());
    arrays[name] = {dense->const_data_ptr<float>(), dense->sizes().vec(), dense};
  }
  return Weights(std::move(arrays));
}

/// A tensor's numbers in fp32, row by row; none where it is undefined.
Floats numbers_of(const Tensor& tensor) {
  if (!tensor.defined()) return {};
  const Tensor dense = tensor.detach().to(at::kFloat).contiguous();
  const float* data = dense.const_data_ptr<float>();
  return {data, data + dense.numel()};
}

PositionRows rows_of(const Tensor& table) {
  if (!table.defined()) return {};
  const Tensor real = table.is_complex() ? at::view_as_real(table).flatten(1) : table;
  return {numbers_of(real), real.size(1)};
}

class PositionsOfModel : public StackPositions {
 public:
  PositionsOfModel(const model::Model& model, bool decoder)
      : positions_(model::transformer_positions(model, decoder)) {}

  int64_t longest() const override { return positions_->longest(); }
  PositionRows vectors(int64_t first, int64_t length) const override {
    const at::NoGradGuard no_grad;
    return rows_of(positions_->vectors(first, length));
  }
  PositionRows rotations(int64_t first, int64_t length) const override {
    const at::NoGradGuard no_grad;
    return rows_of(positions_->rotations(first, length));
  }
  LayerDistances by_distance(int64_t layer, int64_t length,
                             const std::vector<int64_t>& heads) const override {
    const at::NoGradGuard no_grad;
    const model::ScoresByDistance scores = positions_->by_distance(layer, length, heads);
    return {numbers_of(scores.numbers), numbers_of(scores.vectors), scores.reach};
  }

 private:
  std::shared_ptr<const model::Positions> positions_;
};

}  // namespace

bool has_network(const model::ModelConfig& config) {
  return config.type == model::ModelType::transformer ? model::traits(config).all_softmax
                                                      : has_recurrent(config);
}

Engine::Engine(model::ModelPtr inner, std::unique_ptr<Network> network)
    : inner_(register_module("inner", std::move(inner))), network_(std::move(network)) {
  train(inner_->is_training());  // what holds this model asks it, and the inner one follows
}

std::shared_ptr<Engine> make_engine(const model::ModelPtr& model, WeightFormat numbers) {
  for (const Tensor& parameter : model->parameters())
    if (!parameter.is_cpu() || parameter.scalar_type() != at::kFloat) return nullptr;
  const auto* transformer = model::transformer_config(*model);
  const auto* config = transformer != nullptr ? transformer : model::recurrent_config(*model);
  if (config == nullptr || !has_network(*config)) return nullptr;
  const Weights weights = weights_of(*model);
  return std::make_shared<Engine>(
      model, transformer != nullptr
                 ? make_transformer(*config, weights,
                                    {std::make_shared<PositionsOfModel>(*model, false),
                                     std::make_shared<PositionsOfModel>(*model, true)},
                                    numbers)
                 : make_recurrent(*config, weights, numbers));
}

const Threads& libtorch_threads() {
  static const Threads threads = [](int64_t count, int64_t grain, const auto& work) {
    at::parallel_for(0, count, grain, work);
  };
  return threads;
}

SourceBatch source_batch(const model::Source& source) {
  return {source.tokens.const_data_ptr<int64_t>(), source.lengths.const_data_ptr<int64_t>(),
          source.tokens.size(0), source.tokens.size(1)};
}

}  // namespace heed::engine
