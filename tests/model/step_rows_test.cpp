// The loops of a decoder's step against ATen's operations.
#include "model/kernels/step_rows.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <limits>

#include "model/kernel.h"
#include "model/kernels/attend_rows.h"
#include "model/positions.h"

namespace heed::model::kernels {
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

TEST(StepRows, AttendToRowsWhereverTheyLie) {
  at::manual_seed(3);
  for (const int64_t kv_heads : {4, 2, 1}) {
    const HeadShape shape{.heads = 4, .kv_heads = kv_heads, .head = 6, .scale = 0.7F};
    const Tensor query = at::randn({4, 6}), rows = at::randn({9, 2, kv_heads, 6});
    const std::vector<int32_t> places = {8, 2, 2, 5, 0};
    std::vector<float> weights(4 * places.size()), context(24);
    attend_row(query.data_ptr<float>(), shape, rows.data_ptr<float>(), places.data(),
               static_cast<int64_t>(places.size()), weights.data(), context.data());
    const Tensor seen = rows.index_select(0, at::tensor({8, 2, 2, 5, 0}, at::kLong))
                            .permute({1, 2, 0, 3})
                            .unsqueeze(1);  // [2, 1, kv heads, keys, head]
    Tensor wanted_weights;
    const Tensor wanted =
        attend(query.view({1, 4, 1, 6}), seen[0], seen[1], {.scale = 0.7}, &wanted_weights);
    EXPECT_TRUE(at::allclose(at::tensor(context), wanted.flatten(), 1e-5, 1e-6));
    EXPECT_TRUE(at::allclose(at::tensor(weights), wanted_weights.flatten(), 1e-5, 1e-6));
  }
}

TEST(StepRows, TurnHeadsAsRotaryPositionsDo) {
  at::manual_seed(4);
  const Tensor x = at::randn({1, 1, 3, 8});
  const Tensor wanted = Rotary(8).forward(x, 11);
  Tensor turned = x.clone();
  turn_heads(turned.data_ptr<float>(), 3, 8, rotations(11, 1, 8).data_ptr<float>());
  EXPECT_TRUE(at::allclose(turned, wanted, 1e-5, 1e-6));
}

}  // namespace
}  // namespace heed::model::kernels
