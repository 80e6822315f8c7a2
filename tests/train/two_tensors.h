// A model that is only weights, for tests of optimizers.
#pragma once

#include <ATen/ATen.h>

#include "model/model.h"

namespace heed::train {

/// Two parameters, [3] and [5, 7]; the second is large enough for vector code.
class TwoTensors : public model::Model {
 public:
  TwoTensors() {
    at::manual_seed(2);
    small = register_parameter("small", at::tensor({1.F, -2.F, 3.F}));
    large = register_parameter("large", at::randn({5, 7}));
  }
  Tensor features(const model::Source&, const model::TargetInput&, model::Trace*) override {
    return {};
  }
  Tensor logits(const Tensor&) override { return {}; }
  model::State start(const model::Source&, model::Trace*) override { return {}; }
  Tensor step(const Tensor&, model::State&, model::Trace*) override { return {}; }
  int64_t longest() const override { return 1; }
  bool attends() const override { return false; }

  void set_gradients(int64_t update) const {
    small.mutable_grad() = at::tensor({0.5F, -4.F, 0.F}) / static_cast<double>(update);
    large.mutable_grad() = at::sin(large.detach() * static_cast<double>(update));
  }
  Tensor small, large;
};

}  // namespace heed::train
