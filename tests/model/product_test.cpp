#include "model/kernels/product.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <array>

#include "model/kernels/transpose.h"

namespace heed::model::kernels {
namespace {

double distance(const Tensor& a, const Tensor& b) {
  return (a.to(at::kDouble) - b.to(at::kDouble)).abs().max().item<double>();
}

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

// Small ones are ATen's, large ones oneDNN's with the smaller side turned.
TEST(WeightGradient, IsTheProductOverTheRows) {
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
  EXPECT_EQ(weight_gradient(half, half).scalar_type(), at::kBFloat16);
}

}  // namespace
}  // namespace heed::model::kernels
