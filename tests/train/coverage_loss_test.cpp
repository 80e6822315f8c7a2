// The loss of looking at the same source piece again, in numbers worked by hand.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "data/batch.h"
#include "train/loss.h"
#include "trainer_support.h"

namespace heed::train {
namespace {

using at::Tensor;

Tensor coverage_loss(const Tensor& logs, const data::Batch& batch) {
  return cover_loss({batch, TrainConfig(), {}, logs});
}

// 3 steps over 2 pieces. Step 1 has seen nothing. Step 2: min(0.5, 0.75) + min(0.5, 0.25) = 0.75.
// Step 3: min(0, 1.25) + min(1, 0.75) = 0.75. The second row has one step, and has seen nothing.
TEST(CoverageLoss, IsTheShareThatWasSeenBefore) {
  const data::Batch batch = toy::batch_of({{{5}, {5, 6}, {}}, {{5}, {}, {}}});
  ASSERT_EQ(batch.target_length, 3);
  const Tensor weights =
      at::tensor({0.75, 0.25, 0.5, 0.5, 0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0}, at::kDouble)
          .view({2, 3, 2});
  EXPECT_NEAR(coverage_loss(weights.log(), batch).item<double>(), 1.5, 1e-12);
  // Predictions after those of the batch are of the second pass of consistency.
  EXPECT_NEAR(coverage_loss(at::cat({weights, weights}).log(), batch).item<double>(), 1.5, 1e-12);
}

TEST(CoverageLoss, HasTheGradientOfDifferences) {
  const data::Batch batch = toy::batch_of({{{5, 6, 7}, {5, 6, 7}, {}}, {{5, 6, 7}, {5, 6}, {}}});
  at::manual_seed(3);
  const Tensor scores = at::randn({2, 4, 4}, at::kDouble).requires_grad_();
  const auto loss = [&] { return coverage_loss(at::log_softmax(scores, -1), batch); };
  loss().backward();
  const at::NoGradGuard guard;
  for (const int64_t index : {0, 5, 13, 21, 30}) {
    const double step = 1e-6;
    scores.view(-1)[index] += step;
    const double high = loss().item<double>();
    scores.view(-1)[index] -= 2 * step;
    const double low = loss().item<double>();
    scores.view(-1)[index] += step;
    EXPECT_NEAR(scores.grad().view(-1)[index].item<double>(), (high - low) / (2 * step), 1e-6);
  }
}

TEST(CoverageLoss, WithoutWeightsIsABug) {
  EXPECT_THROW(coverage_loss({}, toy::batch_of(toy::copies(1))), Bug);
}

}  // namespace
}  // namespace heed::train
