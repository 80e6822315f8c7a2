#include "devices/inputs.h"

#include <ATen/CPUGeneratorImpl.h>
#include <torch/csrc/autograd/autograd.h>

#include "model/device.h"

namespace heed::devices {

Tensor put(const Place& place, const Tensor& host) {
  const Tensor typed = at::isFloatingType(host.scalar_type()) ? host.to(place.wide()) : host;
  return model::upload(typed, place.device);
}

Numbers::Numbers(const Place& place, uint64_t seed)
    : place_(place), generator_(at::make_generator<at::CPUGeneratorImpl>(seed)) {}

Tensor Numbers::host(at::IntArrayRef sizes) {
  return at::empty(sizes, at::kDouble).normal_(0, 1, generator_);
}

Tensor Numbers::there(at::IntArrayRef sizes) {
  return put(place_, host(sizes));
}

Tensor Numbers::leaf(at::IntArrayRef sizes) {
  return there(sizes).requires_grad_();
}

Tensor first_of_rows(const Place& place, const std::vector<int64_t>& lengths, int64_t longest) {
  return put(place, at::arange(longest).unsqueeze(0) < at::tensor(lengths).unsqueeze(1));
}

void settle(torch::nn::Module& module, const Place& place) {
  Numbers numbers(place, 13);
  {
    const at::NoGradGuard no_grad;
    // Parameters are drawn in fp32, so that each place has the same.
    for (Tensor& parameter : module.parameters())
      parameter.add_(numbers.host(parameter.sizes()).to(at::kFloat), 0.1);
  }
  module.to(place.device, place.wide());
}

Tensors parameters_of(const torch::nn::Module& module) {
  Tensors all;
  for (const auto& item : module.named_parameters()) all.emplace(item.key(), item.value());
  return all;
}

Values values_of(const Tensors& results) {
  Values values;
  for (const auto& [name, result] : results)
    values.results.emplace(name, result.detach().cpu().to(at::kDouble, false, /*copy=*/true));
  return values;
}

Values with_gradients(const Place& place, const Tensors& leaves,
                      const std::function<Tensors()>& forward) {
  Tensors results;
  {
    const model::Autocast autocast(place.device, place.autocast());
    results = forward();
  }
  Values values = values_of(results);
  Numbers numbers(place, 11);
  std::vector<Tensor> terms, wanted;
  for (const auto& [name, result] : results) {
    const Tensor weights = numbers.host(result.sizes());
    if (result.requires_grad())
      terms.push_back((result.to(at::kDouble) * model::upload(weights, place.device)).sum());
  }
  for (const auto& [name, leaf] : leaves) wanted.push_back(leaf);
  const auto found = torch::autograd::grad({at::stack(terms).sum()}, wanted, {}, std::nullopt,
                                           false, /*allow_unused=*/true);
  std::size_t i = 0;
  for (const auto& [name, leaf] : leaves)
    if (const Tensor& gradient = found[i++]; gradient.defined())
      values.gradients.emplace(name, gradient.cpu().to(at::kDouble));
  return values;
}

}  // namespace heed::devices
