#include "engine/engine.h"

#include <ATen/ATen.h>

#include <map>
#include <string>
#include <utility>

#include "engine/recurrent.h"
#include "engine/transformer.h"
#include "model/recurrent/recurrent.h"
#include "model/traits.h"
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
  return std::make_shared<Engine>(model, transformer != nullptr
                                             ? make_transformer(*model, *config, weights, numbers)
                                             : make_recurrent(*config, weights, numbers));
}

SourceBatch source_batch(const model::Source& source) {
  return {source.tokens.const_data_ptr<int64_t>(), source.lengths.const_data_ptr<int64_t>(),
          source.tokens.size(0), source.tokens.size(1)};
}

}  // namespace heed::engine
