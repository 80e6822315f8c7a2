#include "devices/inputs.h"

#include <ATen/CPUGeneratorImpl.h>
#include <torch/csrc/autograd/autograd.h>

#include "model/device.h"

namespace heed::devices {

Tensor put(const DevicePrecision& on, const Tensor& host) {
  const Tensor typed = at::isFloatingType(host.scalar_type()) ? host.to(on.wide()) : host;
  return model::upload(typed, on.device);
}

Numbers::Numbers(const DevicePrecision& on, uint64_t seed)
    : on_(on), generator_(at::make_generator<at::CPUGeneratorImpl>(seed)) {}

Tensor Numbers::host(at::IntArrayRef sizes) {
  return at::empty(sizes, at::kDouble).normal_(0, 1, generator_);
}

Tensor Numbers::there(at::IntArrayRef sizes) {
  return put(on_, host(sizes));
}

Tensor Numbers::leaf(at::IntArrayRef sizes) {
  return there(sizes).requires_grad_();
}

Tensor first_of_rows(const DevicePrecision& on, const std::vector<int64_t>& lengths,
                     int64_t longest) {
  return put(on, at::arange(longest).unsqueeze(0) < at::tensor(lengths).unsqueeze(1));
}

void settle(torch::nn::Module& module, const DevicePrecision& on) {
  Numbers numbers(on, 13);
  {
    const at::NoGradGuard no_grad;
    // Parameters are drawn in fp32, so that each device has the same.
    for (Tensor& parameter : module.parameters())
      parameter.add_(numbers.host(parameter.sizes()).to(at::kFloat), 0.1);
  }
  module.to(on.device, on.wide());
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

Values with_gradients(const DevicePrecision& on, const Tensors& leaves,
                      const std::function<Tensors()>& forward) {
  Tensors results;
  {
    const model::Autocast autocast(on.device, on.autocast());
    results = forward();
  }
  Values values = values_of(results);
  Numbers numbers(on, 11);
  std::vector<Tensor> terms, wanted;
  for (const auto& [name, result] : results) {
    const Tensor weights = numbers.host(result.sizes());
    if (result.requires_grad())
      terms.push_back((result.to(at::kDouble) * model::upload(weights, on.device)).sum());
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
