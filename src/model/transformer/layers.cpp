#include "model/transformer/layers.h"

#include <ATen/ATen.h>

#include <cmath>
#include <numeric>

#include "model/initial.h"

namespace heed::model {

torch::nn::Linear xavier_linear(int64_t in, const std::vector<int64_t>& outs, bool bias) {
  const int64_t stacked = std::accumulate(outs.begin(), outs.end(), int64_t{0});
  const at::NoGradGuard no_grad;
  if (WeightsBegin::now() != InitialWeights::drawn) {
    // LibTorch's layer cannot be made without drawing its weights.
    torch::nn::Linear linear(torch::nn::LinearOptions(1, 1).bias(bias));
    linear->options.in_features(in).out_features(stacked);
    // Its weight cannot move to `meta`; one number that stands in every place takes no memory.
    linear->weight.set_data(WeightsBegin::now() == InitialWeights::sizes_only
                                ? at::zeros({1, 1}).expand({stacked, in})
                                : at::empty({stacked, in}));
    if (bias) linear->bias.set_data(at::empty({stacked}));
    return linear;
  }
  torch::nn::Linear linear(torch::nn::LinearOptions(in, stacked).bias(bias));
  for (int64_t row = 0; const int64_t out : outs) {
    const double limit = std::sqrt(6.0 / static_cast<double>(in + out));
    linear->weight.narrow(0, row, out).uniform_(-limit, limit);
    row += out;
  }
  if (bias) linear->bias.zero_();
  return linear;
}

}  // namespace heed::model
