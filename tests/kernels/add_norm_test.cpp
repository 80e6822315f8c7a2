// The text of the kernels for a GPU on a CPU: their numbers are those of LibTorch's operations.
#include <ATen/ATen.h>
#include <ATen/core/PhiloxRNGEngine.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "kernels/add_norm_host.h"
#include "kernels/layer_norm.h"
#include "model/device.h"
#include "model/transformer/blocks.h"

namespace heed::kernels {
namespace {

using testing::Fused;

constexpr double kEps = 1e-5;

/// Seed and offset are those of the test.
class OnHost final : public AddNormKernels {
 public:
  void forward(const AddNormForward& call) override {
    gpu::Draw draw = gpu::draw_of(call.share);
    draw.seed = seed;
    draw.offset = offset;
    testing::on_host(call, draw);
  }
  void backward(const AddNormBackward& call) override { testing::on_host(call); }

  static constexpr gpu::Long seed = 0x123456789ABCDEF, offset = 8;
};

/// In the place of a GPU's, for tensors of the CPU.
class AddNormKernel : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { AddNormKernels::set(at::kCPU, new OnHost); }
  static void TearDownTestSuite() { AddNormKernels::set(at::kCPU, nullptr); }

  const Fused fused;
};

/// 0 or 1 / (1 - share) in fp64, by LibTorch's generator: place n has word n % 4 of block n / 4.
Tensor factors(at::IntArrayRef sizes, double share) {
  const Tensor out = at::empty(sizes, at::kDouble);
  for (int64_t n = 0; n < out.numel(); ++n) {
    at::Philox4_32 engine(OnHost::seed, static_cast<uint64_t>(n / 4), OnHost::offset / 4);
    uint32_t word = 0;
    for (int64_t i = 0; i <= n % 4; ++i) word = engine();
    out.data_ptr<double>()[n] = (word >> 8) >= share * 16777216.0 ? 1 / (1 - share) : 0;
  }
  return out;
}

struct Numbers {
  Tensor residual, x, weight, bias, outer_sum, outer_normed;

  Numbers(int64_t rows, int64_t width, at::ScalarType type)
      : residual(at::randn({rows, width})),
        x(at::randn({rows, width}).to(type)),
        weight(at::randn({width})),
        bias(at::randn({width})),
        outer_sum(at::randn({rows, width})),
        outer_normed(at::randn({rows, width}).to(type)) {
    residual += 2;  // a mean that is not 0
  }
};

/// The results, and the gradients by residual, x, weight and bias.
template <class Compute>
std::vector<Tensor> run(const Numbers& numbers, at::ScalarType type, const Compute& compute) {
  const auto leaf = [&](const Tensor& x) {
    return x.to(type == at::kDouble ? type : x.scalar_type()).clone().requires_grad_();
  };
  const Tensor residual = leaf(numbers.residual), x = leaf(numbers.x);
  const Tensor weight = leaf(numbers.weight), bias = leaf(numbers.bias);
  const SumAndNorm out = compute(residual, x, weight, bias);
  ((out.sum * numbers.outer_sum.to(at::kDouble)).sum() +
   (out.norm * numbers.outer_normed.to(at::kDouble)).sum())
      .backward();
  return {out.sum.detach(), out.norm.detach(), residual.grad(),
          x.grad(),         weight.grad(),     bias.grad()};
}

void expect_the_numbers_of_plain_operations(int64_t rows, int64_t width, at::ScalarType type,
                                            double share) {
  SCOPED_TRACE(std::to_string(rows) + " rows of " + std::to_string(width) + ", " +
               std::to_string(share));
  at::manual_seed(3);
  const Numbers numbers(rows, width, type);
  const auto found = run(numbers, type, [&](const auto&... in) {
    const auto& [residual, x, weight, bias] = std::tie(in...);
    return add_norm(residual, x, share, weight, bias, kEps);
  });
  const auto judge = run(numbers, at::kDouble, [&](const auto&... in) {
    const auto& [residual, x, weight, bias] = std::tie(in...);
    const Tensor sum = residual + x * factors({rows, width}, share);
    return SumAndNorm{sum, at::layer_norm(sum, {width}, weight, bias, kEps)};
  });
  EXPECT_EQ(found[0].scalar_type(), at::kFloat);
  EXPECT_EQ(found[1].scalar_type(), type);
  EXPECT_EQ(found[3].scalar_type(), type);
  const std::vector<std::string> names{"sum",  "normed",    "to residual",
                                       "to x", "to weight", "to bias"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Tensor distance = (found[i].to(at::kDouble) - judge[i]).abs().max();
    const double largest = judge[i].abs().max().item<double>();
    // Of bf16 the 8 leading bits are kept, in results alone: sums are fp32's.
    const double rounding = found[i].scalar_type() == at::kBFloat16 ? 1.0 / 256 : 1e-5;
    EXPECT_LE(distance.item<double>(), rounding * largest) << names[i];
  }
}

TEST_F(AddNormKernel, GivesTheNumbersOfPlainOperations) {
  for (const int64_t width : {3, 5, 7, 33, 512, 1024, 4096})
    for (const auto type : {at::kFloat, at::kBFloat16})
      for (const double share : {0.0, 0.1})
        expect_the_numbers_of_plain_operations(7, width, type, share);
}

TEST_F(AddNormKernel, AddsUpMoreRowsThanThereAreBlocks) {
  expect_the_numbers_of_plain_operations(2051, 5, at::kFloat, 0.1);
}

// (1, 2, 3) + (0, 1, 5) = (1, 3, 8), whose mean is 4 and whose variance is (9 + 1 + 16) / 3.
TEST_F(AddNormKernel, GivesTheWorkedNumbers) {
  const SumAndNorm out =
      add_norm(at::tensor({1.F, 2.F, 3.F}).view({1, 3}), at::tensor({0.F, 1.F, 5.F}).view({1, 3}),
               0, at::tensor({1.F, 1.F, 2.F}), at::tensor({0.F, 1.F, 0.F}), /*eps=*/1.0 / 3);
  EXPECT_TRUE(at::equal(out.sum, at::tensor({1.F, 3.F, 8.F}).view({1, 3})));
  // The deviation is sqrt(26 / 3 + 1 / 3) = 3.
  EXPECT_TRUE(at::allclose(out.norm, at::tensor({-1.F, 2.F / 3, 8.F / 3}).view({1, 3})));
}

TEST_F(AddNormKernel, DropsTheShareAndScalesTheRest) {
  const Tensor ones = at::ones({512, 512});
  const Tensor weight = at::ones({512}), bias = at::zeros({512});
  const Tensor dropped = add_norm(at::zeros_like(ones), ones, 0.25, weight, bias, kEps).sum;
  const Tensor kept = dropped.gt(0);
  EXPECT_NEAR(kept.to(at::kDouble).mean().item<double>(), 0.75, 8 * 0.433 / 512);
  EXPECT_TRUE(dropped.masked_select(kept).eq(4.F / 3).all().item<bool>());
  // Nothing that one lane or one word of the generator does: rows and columns are alike.
  for (const int64_t along : {0, 1})
    EXPECT_LT((kept.to(at::kDouble).mean(along) - 0.75).abs().max().item<double>(), 0.12);
}

TEST_F(AddNormKernel, ANumberThatIsNoneStaysOneInItsRow) {
  for (const auto type : {at::kFloat, at::kBFloat16}) {
    const Tensor x = at::zeros({3, 7}).to(type);
    x[1][2] = std::numeric_limits<float>::quiet_NaN();
    const SumAndNorm out = add_norm(at::randn({3, 7}), x, 0.5, at::ones({7}), at::zeros({7}), kEps);
    EXPECT_TRUE(out.norm[1].isnan().all().item<bool>());
    EXPECT_FALSE(out.norm[0].isnan().any().item<bool>());
    EXPECT_FALSE(out.norm[2].isnan().any().item<bool>());
  }
}

TEST_F(AddNormKernel, RoundsToBf16AsLibTorch) {
  for (const float x :
       {1.F, 1.00390625F, 1.01171875F, -3.4e38F, 1e-40F, std::numeric_limits<float>::infinity()}) {
    gpu::Half ours = 0;
    gpu::put(ours, x);
    EXPECT_EQ(ours, c10::BFloat16(x).x) << x;
  }
}

// As in a graph: seed and offset lie on the device.
TEST_F(AddNormKernel, ReadsSeedAndOffsetWhereTheyAreWhenItRuns) {
  gpu::Long seed = 5, offset = 8;
  gpu::Draw there = gpu::draw_of(0.5), here = there;
  there.seed_at = &seed;
  there.offset_at = &offset;
  there.offset = 4;
  for (const gpu::Long moved : {0, 400}) {
    offset = 8 + moved;
    here.seed = 5;
    here.offset = 12 + moved;
    float ours[4], expected[4];
    gpu::Dropout(there).factors(20, ours);
    gpu::Dropout(here).factors(20, expected);
    for (int i = 0; i < 4; ++i) EXPECT_EQ(ours[i], expected[i]);
  }
}

TEST_F(AddNormKernel, IsForWhatIsSwitchedOnAndFits) {
  const Tensor x = at::ones({2, 7}), weight = at::ones({7});
  EXPECT_TRUE(can_add_norm(x, x, weight));
  EXPECT_FALSE(can_add_norm(x, x.to(at::kBFloat16), weight));  // products are fp32
  EXPECT_FALSE(can_add_norm(x.to(at::kDouble), x.to(at::kDouble), weight.to(at::kDouble)));
  EXPECT_FALSE(can_add_norm(x, x[0], weight));
  {
    const model::Autocast autocast(at::kCPU, at::kBFloat16);
    EXPECT_TRUE(can_add_norm(x, x.to(at::kBFloat16), weight));
    EXPECT_FALSE(can_add_norm(x, x, weight));
  }
  const Fused off(false);
  EXPECT_FALSE(can_add_norm(x, x, weight));
}

TEST_F(AddNormKernel, IsTheModelsSumAndNorm) {
  at::manual_seed(3);
  torch::nn::LayerNorm layer(torch::nn::LayerNormOptions({7}));
  const model::Stream stream{at::randn({3, 5, 7}), at::randn({3, 5, 7})};
  const SumAndNorm ours = model::add_norm(layer, stream, 0.3, /*training=*/false);
  const Fused off(false);
  const SumAndNorm plain = model::add_norm(layer, stream, 0.3, /*training=*/false);
  EXPECT_TRUE(at::equal(ours.sum, plain.sum));
  EXPECT_TRUE(at::allclose(ours.norm, plain.norm, 1e-5, 1e-5));
}

}  // namespace
}  // namespace heed::kernels
