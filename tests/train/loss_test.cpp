#include "train/loss.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "data/batch.h"
#include "data/example.h"
#include "kernels/output_loss.h"
#include "model/gradient.h"
#include "model/model.h"
#include "toy_model.h"

namespace heed::train {
namespace {

Tensor ids(const std::vector<int64_t>& values) {
  return at::tensor(at::ArrayRef<int64_t>(values), at::kLong);
}

struct Case {
  int64_t rows, vocab;
  double smoothing;
};

/// The definition, word by word.
Tensor plain_loss(const Tensor& logits, const Tensor& gold, double smoothing) {
  const Tensor p = at::log_softmax(logits, 1);
  const Tensor q = at::zeros_like(p).scatter_(1, gold.unsqueeze(1), 1) * (1 - smoothing) +
                   smoothing / static_cast<double>(p.size(1));
  return -(q * p).sum();
}

class LossTwin : public ::testing::TestWithParam<Case> {};

TEST_P(LossTwin, ValueAndGradientAreThoseOfTheDefinition) {
  const auto [rows, vocab, smoothing] = GetParam();
  at::manual_seed(1);
  const Tensor gold = at::randint(vocab, {rows}, at::kLong);
  const Tensor scores = at::randn({rows, vocab});
  const auto gradients = [&](bool plain) {
    const Tensor leaf = scores.clone().requires_grad_();
    const Tensor logits = leaf * 1.5;
    const Tensor loss = plain ? plain_loss(logits.to(at::kDouble), gold, smoothing)
                              : cross_entropy(logits, gold, smoothing).smoothed;
    (loss * 0.37).backward();
    return std::vector<Tensor>{loss.detach(), leaf.grad()};
  };
  const auto ours = gradients(false), plain = gradients(true);
  for (std::size_t i = 0; i < ours.size(); ++i)
    EXPECT_TRUE(at::allclose(ours[i].to(at::kDouble), plain[i].to(at::kDouble), 1e-6, 1e-6))
        << i << " " << (ours[i] - plain[i]).abs().max();
}

// The last one is larger than a chunk of rows.
INSTANTIATE_TEST_SUITE_P(Sizes, LossTwin,
                         ::testing::Values(Case{1, 3, 0.1}, Case{5, 7, 0.0}, Case{7, 5, 0.3},
                                           Case{140, 8003, 0.1}),
                         [](const auto& info) {
                           const auto& at = info.param;
                           return std::string("rows") + std::to_string(at.rows) + "_" +
                                  std::string("vocab") + std::to_string(at.vocab);
                         });

TEST(Loss, ThreePiecesByHand) {
  // p = (1, 1, 2) / 4; gold is the last: -log 1/2 = 0.6931. Smoothed by 0.3:
  // 0.8 * 0.6931 + 0.1 * 1.3863 + 0.1 * 1.3863 = 0.8318.
  const Tensor logits = at::tensor({0.0, 0.0, std::log(2.0)}).to(at::kFloat).unsqueeze(0);
  const Tensor leaf = logits.clone().requires_grad_();
  const LossSum sums = cross_entropy(leaf, ids({2}), 0.3);
  EXPECT_NEAR(sums.nll.item<double>(), 0.693147, 1e-6);
  EXPECT_NEAR(sums.smoothed.item<double>(), 0.8 * 0.693147 + 0.2 * 1.386294, 1e-6);
  EXPECT_TRUE(at::equal(leaf.detach(), logits)) << "a leaf is not ours to overwrite";
  sums.smoothed.backward();
  // p - q = (0.25 - 0.1, 0.25 - 0.1, 0.5 - 0.8)
  EXPECT_TRUE(at::allclose(leaf.grad(), at::tensor({0.15F, 0.15F, -0.3F}).unsqueeze(0), 0, 1e-6));
}

TEST(Loss, GradientsAreThoseOfCentralDifferences) {
  at::manual_seed(2);
  const Tensor leaf = at::randn({5, 7}, at::kDouble).requires_grad_();
  const Tensor gold = ids({0, 6, 3, 3, 1});
  toy::ToyModel model;
  model.to(at::kDouble);
  const data::Batch batch = toy::batch_of(toy::copies(4));
  const Target target = make_target(batch, at::kCPU);
  for (const double smoothing : {0.0, 0.1}) {
    const auto of_logits = [&] { return cross_entropy(leaf * 1.5, gold, smoothing).smoothed; };
    EXPECT_LT(model::testing::check_entries(leaf, of_logits).error, 1e-7);
    const auto of_weights = [&] {
      const Tensor features = model.features(model::make_source(batch, at::kCPU), target.input);
      return loss_of(model, features, target, smoothing).smoothed;
    };
    for (const auto& check : model::testing::check_directions(model.parameters(), of_weights)) {
      EXPECT_GT(check.largest, 1e-3);
      EXPECT_LT(check.error, 1e-7);
    }
  }
}

const std::vector<kernels::PairWeights> kPairs{
    {.first = 0.5, .second = 0.5, .forward = 0.75, .backward = 0.75},
    {.first = 1, .second = 0, .forward = 3, .backward = 0},
    {.first = 0.2, .second = 1.5, .forward = 0, .backward = 2}};

TEST(PairLoss, GradientsAreThoseOfCentralDifferences) {
  at::manual_seed(2);
  const Tensor leaf = at::randn({6, 7}, at::kDouble).requires_grad_();
  for (const auto& pair : kPairs) {
    const auto of_logits = [&] {
      return kernels::pair_logit_loss(leaf * 1.5, ids({0, 6, 3}), 0.1, pair).smoothed;
    };
    EXPECT_LT(model::testing::check_entries(leaf, of_logits).error, 1e-7);
  }
}

// The fused output layer, in fp32, against the definition in double. The kernel sums rows in fp32:
// its error grows with the numbers that one lane of a register adds, and without optimisation there
// is one lane. Then rows of 8,000 pieces are no longer within the tolerance, those of 400 are.
TEST(PairLoss, OfTheFusedLayerIsThatOfTheDefinition) {
  at::manual_seed(3);
  const auto widths = {5, 403};  // the second is of several chunks
  for (const int64_t vocab : widths)
    for (const auto& pair : kPairs) {
      const int64_t tokens = vocab > 100 ? 6000 : 7;
      const Tensor features = at::randn({2 * tokens, 3}), weight = at::randn({vocab, 3});
      const Tensor gold = at::randint(vocab, {tokens}, at::kLong);
      const auto gradients = [&](at::ScalarType type, const auto& loss_of) {
        const Tensor x = features.to(type).clone().requires_grad_();
        const Tensor w = weight.to(type).clone().requires_grad_();
        const Tensor loss = loss_of(x, w);
        (loss * 0.37).backward();
        return std::vector<Tensor>{loss.detach(), x.grad(), w.grad()};
      };
      const auto plain = gradients(at::kDouble, [&](const Tensor& x, const Tensor& w) {
        return kernels::pair_logit_loss(at::linear(x, w), gold, 0.1, pair).smoothed;
      });
      const auto ours = gradients(at::kFloat, [&](const Tensor& x, const Tensor& w) {
        return kernels::output_loss(x, w, {}, gold, 0.1, at::kFloat, pair).smoothed;
      });
      const auto on_gpu = gradients(at::kFloat, [&](const Tensor& x, const Tensor& w) {
        return kernels::output_loss_on_gpu(x, w, {}, gold, 0.1, pair, at::kFloat, 6 * vocab)
            .smoothed;
      });
      for (std::size_t i = 0; i < ours.size(); ++i) {
        EXPECT_TRUE(at::allclose(ours[i].to(at::kDouble), plain[i], 1e-4, 1e-4))
            << i << " " << (ours[i] - plain[i]).abs().max();
        EXPECT_TRUE(at::allclose(on_gpu[i].to(at::kDouble), plain[i], 1e-4, 1e-4))
            << i << " " << (on_gpu[i] - plain[i]).abs().max();
      }
    }
}

TEST(Loss, WithoutGradientsNothingIsOverwritten) {
  const at::NoGradGuard no_grad;
  const Tensor logits = at::randn({3, 5}), before = logits.clone();
  cross_entropy(logits, ids({0, 4, 2}), 0.1);
  EXPECT_TRUE(at::equal(logits, before));
}

TEST(Loss, LowPrecisionLogitsAreSummedInFullPrecision) {
  at::manual_seed(1);
  const Tensor logits = at::randn({9, 7}).to(at::kBFloat16), gold = at::randint(7, {9}, at::kLong);
  const double loss = cross_entropy(logits, gold, 0.1).smoothed.item<double>();
  EXPECT_NEAR(loss, plain_loss(logits.to(at::kDouble), gold, 0.1).item<double>(), 1e-5);
}

TEST(Loss, TargetsHoldRealPositionsOnly) {
  const data::Batch batch =
      toy::batch_of({{{4, 5}, {6, 7, 8}, {}}, {{4}, {9}, {}}});  // 4 and 2 with eos
  const Target target = make_target(batch, at::kCPU);
  EXPECT_EQ(target.tokens, 6);
  EXPECT_TRUE(at::equal(target.gold, ids({6, 7, 8, 3, 9, 3})));
  EXPECT_TRUE(at::equal(target.rows, ids({0, 1, 2, 3, 4, 5})));
  EXPECT_TRUE(at::equal(target.input.tokens, ids({2, 6, 7, 8, 2, 9, 0, 0}).view({2, 4})));
  EXPECT_FALSE(make_target(toy::batch_of({{{4}, {5}, {}}}), at::kCPU).rows.defined());
}

TEST(Loss, PaddingNeitherCountsNorMatters) {
  toy::ToyModel model;
  const auto pairs = toy::copies(5);
  const auto sum = [&](const std::vector<data::Example>& examples) {
    const data::Batch batch = toy::batch_of(examples);
    const Target target = make_target(batch, at::kCPU);
    const Tensor features = model.features(model::make_source(batch, at::kCPU), target.input);
    return loss_of(model, features, target, 0.1).smoothed.item<double>();
  };
  double alone = 0;
  for (const auto& pair : pairs) alone += sum({pair});
  EXPECT_NEAR(sum(pairs), alone, 1e-5);
}

TEST(Loss, ASecondBackwardPassIsRefused) {
  const Tensor w = at::randn({3, 5}).requires_grad_();
  const Tensor loss = cross_entropy(w * 2, ids({0, 1, 2}), 0.1).smoothed;
  loss.backward({}, /*retain_graph=*/true);
  EXPECT_ANY_THROW(loss.backward());
}

}  // namespace
}  // namespace heed::train
