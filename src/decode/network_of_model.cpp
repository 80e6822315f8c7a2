#include "decode/network_of_model.h"

#include <ATen/ATen.h>

#include <map>
#include <string>
#include <utility>

#include "model/recurrent/recurrent.h"
#include "model/transformer/transformer.h"
#include "model/weights.h"

namespace heed::decode {
namespace {

engine::Weights weights_of(const model::Model& model) {
  std::map<std::string, engine::Array> arrays;
  for (const auto& [name, tensor] : model::named_weights(model)) {
    const auto dense = std::make_shared<Tensor>(tensor.contiguous());
    arrays[name] = {dense->const_data_ptr<float>(), dense->sizes().vec(), dense};
  }
  return engine::Weights(std::move(arrays));
}

}  // namespace

std::unique_ptr<engine::Network> network_of(const model::Model& model,
                                            engine::WeightFormat numbers) {
  for (const Tensor& parameter : model.parameters())
    if (!parameter.is_cpu() || parameter.scalar_type() != at::kFloat) return nullptr;
  const auto* transformer = model::transformer_config(model);
  const auto* config = transformer != nullptr ? transformer : model::recurrent_config(model);
  if (config == nullptr || !engine::has_network(*config)) return nullptr;
  return engine::make_network(*config, weights_of(model), numbers);
}

}  // namespace heed::decode
