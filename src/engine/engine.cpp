#include "engine/engine.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <map>
#include <string>
#include <utility>

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

}  // namespace

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
  return std::make_shared<Engine>(model, make_network(*config, weights_of(*model), numbers));
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
