#include "kernels/product.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <vector>

#include "kernels/distance.h"
#include "model/device.h"

namespace heed::kernels {
namespace {

using model::Autocast;

TEST(Transposed, TurnsEveryShape) {
  EXPECT_TRUE(at::equal(transposed(at::tensor({1.F, 2.F, 3.F, 4.F, 5.F, 6.F}).view({2, 3})),
                        at::tensor({1.F, 4.F, 2.F, 5.F, 3.F, 6.F}).view({3, 2})));
  for (const int64_t rows : {1, 3, 15, 16, 17, 33, 500})
    for (const int64_t columns : {1, 5, 16, 31, 64, 301}) {
      const Tensor x = at::rand({rows, columns});
      const Tensor turned = transposed(x);
      EXPECT_TRUE(at::equal(turned, x.t())) << rows << " x " << columns;
      EXPECT_TRUE(turned.is_contiguous());
    }
  EXPECT_EQ(transposed(at::empty({0, 3})).sizes(), (at::IntArrayRef{3, 0}));
}

TEST(Transposed, ChangesTheTypeOnTheWay) {
  const Tensor x = at::randn({35, 18});
  for (const auto from : {at::kFloat, at::kBFloat16})
    for (const auto to : {at::kFloat, at::kBFloat16}) {
      const Tensor turned = transposed(x.to(from), to);
      EXPECT_EQ(turned.scalar_type(), to);
      EXPECT_TRUE(at::equal(turned, x.to(from).to(to).t()));
    }
}

TEST(ColumnSums, AddUpEveryColumn) {
  EXPECT_TRUE(at::equal(column_sums(at::tensor({1.F, 2.F, 3.F, 4.F, 5.F, 6.F}).view({2, 3})),
                        at::tensor({5.F, 7.F, 9.F})));
  EXPECT_TRUE(at::equal(column_sums(at::empty({0, 3})), at::zeros({3})));
  for (const auto type : {at::kFloat, at::kBFloat16})
    for (const int64_t rows : {1, 63, 65, 1000})
      for (const int64_t columns : {1, 127, 129, 500, 2100}) {
        const Tensor x = at::randn({rows, columns}).to(type), sums = column_sums(x);
        EXPECT_EQ(sums.scalar_type(), at::kFloat);
        EXPECT_LT(distance(sums, x.to(at::kDouble).sum(0)), 1e-4) << rows << " x " << columns;
      }
}

// Small ones are ATen's, large ones oneDNN's with the smaller side turned.
TEST(WeightGradient, IsTheProductOverTheRows) {
  const auto weight_gradient = [](const Tensor& outer, const Tensor& x) {
    return kernels::weight_gradient(outer, x, at::kFloat);
  };
  at::manual_seed(1);
  for (const auto& [rows, out, in] :
       {std::array<int64_t, 3>{7, 5, 3}, {513, 301, 65}, {513, 65, 301}, {300, 130, 130}}) {
    const Tensor outer = at::randn({rows, out}), x = at::randn({rows, in});
    const Tensor want = at::mm(outer.to(at::kDouble).t(), x.to(at::kDouble));
    const Tensor got = weight_gradient(outer, x);
    EXPECT_LT(distance(got, want), 2e-4) << rows << " " << out << " " << in;
    EXPECT_TRUE(got.is_contiguous());
    const Tensor strided = weight_gradient(outer.t().contiguous().t(), x);
    EXPECT_LT(distance(strided, want), 2e-4);
  }
  const Tensor half = at::ones({4, 3}, at::kBFloat16);
  EXPECT_EQ(kernels::weight_gradient(half, half, at::kBFloat16).scalar_type(), at::kBFloat16);
}

/// The output of a linear layer and its gradients, in the order output, x, weight, bias.
std::vector<Tensor> run(const std::function<Tensor(Tensor, Tensor, Tensor)>& layer,
                        const std::vector<Tensor>& in) {
  std::vector<Tensor> leaves;
  for (const Tensor& x : in) leaves.push_back(x.detach().clone().requires_grad_(true));
  const Tensor out = layer(leaves[0], leaves[1], leaves[2]);
  (out.to(at::kFloat) * at::linspace(-1, 1, out.numel()).view(out.sizes())).sum().backward();
  std::vector<Tensor> results{out.detach()};
  for (const Tensor& leaf : leaves) results.push_back(leaf.grad());
  return results;
}

TEST(Linear, IsThatOfTheLibraryInEitherType) {
  at::manual_seed(1);
  const std::vector<Tensor> in{at::randn({7, 43, 65}), at::randn({301, 65}) / 8, at::randn({301})};
  const auto library = [](const Tensor& x, const Tensor& w, const Tensor& b) {
    return at::linear(x, w, b);
  };
  const auto ours = [](const Tensor& x, const Tensor& w, const Tensor& b) {
    return linear(x, w, b);
  };
  const auto expected = run(library, in), fp32 = run(ours, in);
  std::vector<Tensor> bf16;
  {
    const Autocast autocast(at::kCPU, at::kBFloat16);
    bf16 = run(ours, in);
  }
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double size = std::max(1.0, expected[i].abs().max().item<double>());
    EXPECT_LT(distance(fp32[i], expected[i]), 5e-5 * size) << i;
    EXPECT_LT(distance(bf16[i], expected[i]), 2e-2 * size) << i;
    EXPECT_EQ(bf16[i].scalar_type(), i == 0 ? at::kBFloat16 : at::kFloat);
  }
}

}  // namespace
}  // namespace heed::kernels
