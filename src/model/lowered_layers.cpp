#include "model/lowered_layers.h"

#include <ATen/ATen.h>

#include <cstddef>
#include <utility>

#include "model/adapters.h"
#include "model/model.h"

namespace heed::model {

LoweredLayers::LoweredLayers(Model& model, at::ScalarType type) {
  const at::NoGradGuard no_grad;
  const auto lowered = [type](const Tensor& weight) {
    return at::empty_like(weight, weight.options().dtype(type).requires_grad(false));
  };
  for (const auto& module : model.modules(/*include_self=*/false)) {
    auto* const layer = dynamic_cast<LinearLayer*>(module.get());
    if (!layer) continue;
    auto weights = std::make_shared<kernels::LoweredWeights>();
    weights->weight = lowered(layer->weight);
    if (layer->bias.defined()) weights->bias = lowered(layer->bias);
    layers_.push_back({layer, std::move(weights)});
  }
}

void LoweredLayers::write_gradients(const std::vector<Tensor>& parameters,
                                    const std::vector<Tensor>& gradients, kernels::SideWork* side) {
  owners_.assign(parameters.size(), nullptr);
  for (const Lowered& one : layers_) {
    one.weights->side = side;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const bool is_weight = parameters[i].is_same(one.layer->weight);
      if (!is_weight && !parameters[i].is_same(one.layer->bias)) continue;
      (is_weight ? one.weights->weight_gradient : one.weights->bias_gradient) = gradients[i];
      owners_[i] = one.weights.get();
    }
  }
}

void LoweredLayers::refresh() const {
  if (empty()) return;
  const at::NoGradGuard no_grad;
  std::vector<Tensor> from, to;
  for (const Lowered& one : layers_) {
    from.push_back(one.layer->weight.detach());
    to.push_back(one.weights->weight);
    if (!one.layer->bias.defined()) continue;
    from.push_back(one.layer->bias.detach());
    to.push_back(one.weights->bias);
  }
  at::_foreach_copy_(to, from);
}

LoweredLayers::Use::Use(const LoweredLayers& layers) : of_(layers) {
  for (const Lowered& one : of_.layers_) {
    one.weights->written = false;
    one.layer->compute_with(one.weights);
  }
}

LoweredLayers::Use::~Use() {
  for (const Lowered& one : of_.layers_) one.layer->compute_with(nullptr);
}

std::vector<bool> LoweredLayers::Use::written() const {
  std::vector<bool> out;
  for (const kernels::LoweredWeights* owner : of_.owners_)
    out.push_back(owner != nullptr && owner->written);
  return out;
}

}  // namespace heed::model
