#include "model/adapters.h"

#include <ATen/ATen.h>

#include <string>

#include "base/error.h"
#include "kernels/product.h"
#include "model/description/config.h"
#include "model/embedding.h"
#include "model/model.h"

namespace heed::model {
namespace {

constexpr const char *kA = "lora_a", *kB = "lora_b";

}  // namespace

Tensor LinearLayer::apply(const Tensor& x) const {
  Tensor out =
      lowered_ ? kernels::lowered_linear(x, weight, lowered_) : kernels::linear(x, weight, bias);
  if (!has_adapter() || is_merged_) return out;
  const Tensor read = options_.in_weights ? x.detach() : x;
  const Tensor added = kernels::linear(kernels::linear(read, a_) * options_.scale, b_);
  return out.add_(options_.in_weights ? added - added.detach() : added);
}

void LinearLayer::add_adapter(const AdapterOptions& options) {
  options_ = options;
  a_ = register_parameter(kA, normal(options.rank, weight.size(1)));
  b_ = register_parameter(kB, at::zeros({weight.size(0), options.rank}));
}

void LinearLayer::remove_adapter() {
  for (const char* name : {kA, kB}) parameters_.erase(name);
  a_ = b_ = Tensor();
}

Tensor LinearLayer::merged() const {
  const at::NoGradGuard no_grad;
  return is_merged_ ? weight : at::addmm(weight, b_, a_, 1, options_.scale);
}

void add_adapters(Model& model, const AdapterOptions& options) {
  for (const Tensor& parameter : model.parameters()) Tensor(parameter).set_requires_grad(false);
  for (const auto& item : model.named_modules()) {
    auto* const layer = dynamic_cast<LinearLayer*>(item.value().get());
    const auto is_part_of = [&](const char* name) {
      return item.key().find(name) != std::string::npos;
    };
    if (layer && ((options.attention && is_part_of(names::kAttention)) ||
                  (options.feed_forward && is_part_of(names::kFeedForward))))
      layer->add_adapter(options);
  }
  if (adapted_layers(model).empty())
    throw UserError("training.adapters.matrices: the model has none of these");
}

void remove_adapters(Model& model) {
  const auto layers = adapted_layers(model);
  for (LinearLayer* layer : layers) layer->remove_adapter();
  if (layers.empty()) return;
  for (const Tensor& parameter : model.parameters()) Tensor(parameter).set_requires_grad(true);
}

std::vector<LinearLayer*> adapted_layers(const Model& model) {
  std::vector<LinearLayer*> layers;
  for (const auto& module : model.modules(/*include_self=*/false))
    if (auto* const layer = dynamic_cast<LinearLayer*>(module.get()); layer && layer->has_adapter())
      layers.push_back(layer);
  return layers;
}

Merged::Merged(const Model& model) {
  for (LinearLayer* layer : adapted_layers(model)) {
    layers_.push_back(layer);
    weights_.replace(layer->weight, layer->merged());  // where graphs of a GPU know them
    layer->is_merged_ = true;
    for (const char* name : {kA, kB}) layer->parameters_.erase(name);
  }
}

Merged::~Merged() {
  for (LinearLayer* layer : layers_) {
    layer->is_merged_ = false;
    layer->register_parameter(kA, layer->a_);
    layer->register_parameter(kB, layer->b_);
  }
}

}  // namespace heed::model
