// The kernels of add_norm() on the simulated accelerator: their text, compiled for a CPU.
#include <ATen/ATen.h>

#include "accelerator/graphs.h"
#include "accelerator/internal.h"
#include "kernels/add_norm_host.h"
#include "kernels/layer_norm.h"

namespace heed::accelerator {
namespace {

using at::Tensor;
using kernels::AddNormBackward, kernels::AddNormForward;
using Other = Tensor (*)(const Tensor&);

AddNormForward with(Other other, AddNormForward call) {
  for (Tensor* x : {&call.residual, &call.x, &call.weight, &call.bias, &call.sum, &call.normed,
                    &call.moments, &call.drawn})
    *x = other(*x);
  return call;
}

AddNormBackward with(Other other, AddNormBackward call) {
  for (Tensor* x : {&call.outer_sum, &call.outer_normed, &call.sum, &call.weight, &call.moments,
                    &call.drawn, &call.to_residual, &call.to_x, &call.to_weights})
    *x = other(*x);
  return call;
}

class AddNorm final : public kernels::AddNormKernels {
 public:
  void forward(const AddNormForward& call) override {
    note_launch();
    const auto compute = [there = with(same_memory, call)] {
      kernels::gpu::Draw draw = kernels::gpu::draw_of(there.share);
      const Tensor seed = at::empty({1}, at::kLong);
      if (there.share > 0) draw.seed = seed.random_(default_generator()).item<int64_t>();
      kernels::testing::on_host(with(as_cpu, there), draw);
    };
    recorded({call.residual, call.x, call.weight, call.bias, call.sum, call.normed, call.moments,
              call.drawn},
             compute);
  }

  void backward(const AddNormBackward& call) override {
    note_launch();
    const auto compute = [there = with(same_memory, call)] {
      kernels::testing::on_host(with(as_cpu, there));
    };
    recorded({call.outer_sum, call.outer_normed, call.sum, call.weight, call.moments, call.drawn,
              call.to_residual, call.to_x, call.to_weights},
             compute);
  }
};

const bool registered_kernels = [] {
  kernels::AddNormKernels::set(at::kPrivateUse1, new AddNorm);
  return true;
}();

}  // namespace
}  // namespace heed::accelerator
