// The loops of a decoder's step against ATen's operations.
#include "kernels/rows/loops.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <limits>

#include "kernels/rows/layer_norm.h"

namespace heed::kernels {
namespace {

using at::Tensor;

TEST(StepRows, NormaliseAndActivateAsATenDoes) {
  at::manual_seed(1);
  const Tensor x = at::randn({5, 37}) * 3 + 1, gamma = at::randn({37}), beta = at::randn({37});
  Tensor y = at::empty_like(x);
  normalise_rows(x.data_ptr<float>(), 5, 37, gamma.data_ptr<float>(), beta.data_ptr<float>(), 1e-5F,
                 y.data_ptr<float>());
  EXPECT_TRUE(at::allclose(y, at::layer_norm(x, {37}, gamma, beta, 1e-5), 1e-5, 1e-5));
  Tensor activated = x.clone();
  silu(activated.data_ptr<float>(), x.numel());
  EXPECT_TRUE(at::allclose(activated, at::silu(x), 1e-5, 1e-6));
  activated = x.clone();
  gelu(activated.data_ptr<float>(), x.numel());
  EXPECT_TRUE(at::allclose(activated, at::gelu(x), 1e-5, 1e-6));
  const Tensor positions = at::randn({37});
  Tensor sum = at::empty({37});
  scale_and_add(x.data_ptr<float>(), 2.5F, positions.data_ptr<float>(), 37, sum.data_ptr<float>());
  EXPECT_TRUE(at::allclose(sum, x[0] * 2.5 + positions));
}

TEST(StepRows, PartitionsAreThoseOfLogSoftmax) {
  at::manual_seed(2);
  const Tensor x = at::randn({203}) * 20;
  const Partition p = partition_of(x.data_ptr<float>(), x.numel());
  EXPECT_TRUE(at::allclose((x - p.most) - p.log_sum, at::log_softmax(x, 0), 1e-6, 1e-5));
  for (const float wrong :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    Tensor damaged = x.clone();
    damaged[77] = wrong;
    EXPECT_TRUE(std::isnan(partition_of(damaged.data_ptr<float>(), x.numel()).log_sum));
  }
}

}  // namespace
}  // namespace heed::kernels
