// The fused SSRU against its equations in double, forward and gradient.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <vector>

#include "base/error.h"
#include "kernels/distance.h"
#include "kernels/recurrence.h"

namespace heed::kernels {
namespace {

const std::vector<int64_t> kLengths = {3, 1, 7, 5};
constexpr int64_t kPositions = 16, kWidth = 13;

/// Position by position.
Tensor defined(const Tensor& candidate, const Tensor& forget) {
  std::vector<Tensor> outputs;
  for (int64_t begin = 0; const int64_t length : kLengths) {
    Tensor c = at::zeros({kWidth}, candidate.options());
    for (int64_t t = begin; t < begin + length; ++t) {
      const Tensor f = at::sigmoid(forget[t]);
      c = f * c + (1 - f) * candidate[t];
      outputs.push_back(at::relu(c));
    }
    begin += length;
  }
  return at::stack(outputs);
}

TEST(SsruKernel, IsItsEquations) {
  at::manual_seed(8);
  for (const auto& [type, forward, relative] :
       {std::tuple(at::kFloat, 1e-6, 1e-6), std::tuple(at::kBFloat16, 1e-2, 1e-2)}) {
    const Tensor x = at::randn({kPositions, kWidth}).to(type).requires_grad_(),
                 gate = at::randn({kPositions, kWidth}).mul(2).to(type).requires_grad_();
    const Tensor exact_x = x.detach().to(at::kDouble).requires_grad_(),
                 exact_gate = gate.detach().to(at::kDouble).requires_grad_();
    const Tensor got = ssru(x, gate, kLengths), want = defined(exact_x, exact_gate);
    EXPECT_EQ(got.scalar_type(), type);
    EXPECT_LT(distance(got, want), forward);
    const Tensor weights = at::randn({kPositions, kWidth}).to(type);
    const auto of_got = torch::autograd::grad({(got * weights).sum()}, {x, gate});
    const auto of_want =
        torch::autograd::grad({(want * weights.to(at::kDouble)).sum()}, {exact_x, exact_gate});
    for (std::size_t i = 0; i < 2; ++i)
      EXPECT_LT((of_got[i] - of_want[i]).norm().item<double>(),
                relative * of_want[i].norm().item<double>())
          << i;
  }
}

TEST(SsruKernel, GivesTheSameBitsAloneAndForAnyNumberOfThreads) {
  at::manual_seed(9);
  const Tensor x = at::randn({900, 37}), gate = at::randn({900, 37});
  std::vector<int64_t> lengths(20, 45);
  const Tensor all = ssru(x, gate, lengths);
  const int threads = at::get_num_threads();
  at::set_num_threads(threads == 1 ? 2 : 1);
  EXPECT_TRUE(at::equal(ssru(x, gate, lengths), all));
  at::set_num_threads(threads);
  EXPECT_TRUE(
      at::equal(ssru(x.narrow(0, 90, 45), gate.narrow(0, 90, 45), {45}), all.narrow(0, 90, 45)));
}

TEST(SsruKernel, RefusesOtherLengths) {
  EXPECT_THROW(ssru(at::zeros({4, 3}), at::zeros({4, 3}), {3, 2}), Bug);
}

}  // namespace
}  // namespace heed::kernels
