#include "train/optimizer.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "base/error.h"
#include "every.h"
#include "message.h"
#include "own_optimizer.h"
#include "two_tensors.h"

namespace heed::train {
namespace {

const Tensor kOne = at::ones({}), kZero = at::zeros({});

TrainConfig config_of(OptimizerKind kind, double decay = 0) {
  TrainConfig config;
  config.optimizer = kind;
  config.weight_decay = decay;
  return config;
}

void expect_near(const Tensor& value, const std::vector<double>& expected,
                 double tolerance = 1e-6) {
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(value[static_cast<int64_t>(i)].item<double>(), expected[i], tolerance) << i;
}

TEST(Optimizer, AdamsFirstStepIsTheRateWithTheGradientsSign) {
  const TwoTensors model;
  OwnOptimizer optimizer(config_of(OptimizerKind::adam), model);
  model.set_gradients(1);
  optimizer.step(0.1, kOne, kZero);
  expect_near(model.small, {0.9, -1.9, 3});
}

TEST(Optimizer, AdamwShrinksWeightsBesidesTheGradient) {
  const TwoTensors model;
  OwnOptimizer optimizer(config_of(OptimizerKind::adamw, 0.5), model);
  model.set_gradients(1);
  optimizer.step(0.1, kOne, kZero);
  // Each weight loses a twentieth, then the step of Adam.
  expect_near(model.small, {0.95 - 0.1, -1.9 + 0.1, 2.85});
}

TEST(Optimizer, SgdFollowsTheGradient) {
  const TwoTensors model;
  OwnOptimizer optimizer(config_of(OptimizerKind::sgd), model);
  model.set_gradients(1);
  optimizer.step(0.1, at::full({}, 2.0), kZero);  // halves gradients
  expect_near(model.small, {1 - 0.025, -2 + 0.2, 3});
}

TEST(Optimizer, AdadeltasFirstStepByHand) {
  auto config = config_of(OptimizerKind::adadelta);
  config.epsilon = 1e-6;
  const TwoTensors model;
  OwnOptimizer optimizer(config, model);
  model.set_gradients(1);
  optimizer.step(1, kOne, kZero);
  // sqrt(1e-6) / sqrt(0.05 g^2 + 1e-6) * g = 0.001 * 0.5 / sqrt(0.012501) = 0.0044720
  expect_near(model.small, {1 - 0.0044720, -2 + 0.0044721, 3});
}

struct Plain {  // one weight as the papers write it
  double w, m = 0, v = 0;
  void step(OptimizerKind kind, double g, double rate, double decay, int t) {
    const double b1 = 0.9, b2 = 0.98, e = 1e-8, rho = 0.95;
    if (kind == OptimizerKind::adamw) w -= rate * decay * w;
    if (kind != OptimizerKind::adamw) g += decay * w;
    if (kind == OptimizerKind::sgd) {
      w -= rate * g;
    } else if (kind == OptimizerKind::adadelta) {
      m = rho * m + (1 - rho) * g * g;
      const double delta = std::sqrt(v + e) / std::sqrt(m + e) * g;
      v = rho * v + (1 - rho) * delta * delta;
      w -= rate * delta;
    } else {
      m = b1 * m + (1 - b1) * g;
      v = b2 * v + (1 - b2) * g * g;
      w -= rate * (m / (1 - std::pow(b1, t))) / (std::sqrt(v / (1 - std::pow(b2, t))) + e);
    }
  }
};

class EveryOptimizer : public ::testing::TestWithParam<OptimizerKind> {};

class ShippedOptimizer : public EveryOptimizer {};

TEST_P(ShippedOptimizer, DoesWhatThePlainFormulaDoes) {
  const TwoTensors model;
  OwnOptimizer optimizer(config_of(GetParam(), 0.01), model);
  std::vector<Plain> twin;
  const Tensor flat = model.large.detach().reshape({-1}).to(at::kDouble);
  for (int64_t i = 0; i < flat.numel(); ++i) twin.push_back({flat[i].item<double>()});
  for (int t = 1; t <= 7; ++t) {
    model.set_gradients(t);
    const Tensor gradient = model.large.grad().reshape({-1}).to(at::kDouble).clone();
    optimizer.step(0.05, kOne, kZero);
    for (std::size_t i = 0; i < twin.size(); ++i)
      twin[i].step(GetParam(), gradient[static_cast<int64_t>(i)].item<double>(), 0.05, 0.01, t);
  }
  std::vector<double> expected;
  for (const Plain& one : twin) expected.push_back(one.w);
  expect_near(model.large.reshape({-1}), expected, 2e-5);
}

TEST_P(EveryOptimizer, SkipsWhereAsked) {
  const TwoTensors model;
  OwnOptimizer optimizer(config_of(GetParam(), 0.01), model);
  model.set_gradients(1);
  optimizer.step(0.1, kOne, kZero);
  NamedTensors before;
  for (const auto& [name, tensor] : optimizer.state()) before[name] = tensor.clone();
  const Tensor weights = model.large.detach().clone();
  model.large.mutable_grad() = at::full({5, 7}, std::numeric_limits<double>::quiet_NaN());
  optimizer.step(0.1, at::full({}, std::numeric_limits<double>::quiet_NaN()), kOne);
  EXPECT_TRUE(at::equal(model.large, weights));
  for (const auto& [name, tensor] : optimizer.state())
    EXPECT_TRUE(at::equal(tensor, before[name])) << name;
}

TEST_P(EveryOptimizer, GoesOnFromItsSavedState) {
  const TwoTensors model, other;
  OwnOptimizer first(config_of(GetParam()), model);
  model.set_gradients(1);
  first.step(0.1, kOne, kZero);
  OwnOptimizer second(config_of(GetParam()), other);
  second.load_state(first.state(), "file");
  {
    const at::NoGradGuard no_grad;
    Tensor(other.small).copy_(model.small);
    Tensor(other.large).copy_(model.large);
  }
  model.set_gradients(2);
  other.set_gradients(2);
  first.step(0.1, kOne, kZero);
  second.step(0.1, kOne, kZero);
  EXPECT_TRUE(at::equal(model.small, other.small));
  EXPECT_TRUE(at::equal(model.large, other.large));
}

INSTANTIATE_TEST_SUITE_P(Kinds, EveryOptimizer, ::testing::ValuesIn(every<OptimizerKind>()),
                         [](const auto& info) { return config::name_of(info.param); });
INSTANTIATE_TEST_SUITE_P(Kinds, ShippedOptimizer,
                         ::testing::Values(OptimizerKind::adam, OptimizerKind::adamw,
                                           OptimizerKind::sgd, OptimizerKind::adadelta),
                         [](const auto& info) { return config::name_of(info.param); });

TEST(Optimizer, KeepsUnderItsNamesWhatItsLineSays) {
  const auto kept = [](OptimizerKind kind) {
    const TwoTensors model;
    std::vector<std::string> names;
    for (const auto& [name, tensor] : OwnOptimizer(config_of(kind), model).state())
      names.push_back(name);
    return names;
  };
  const std::vector<std::string> adam = {"exp_avg/large",    "exp_avg/small", "exp_avg_sq/large",
                                         "exp_avg_sq/small", "step/large",    "step/small"};
  EXPECT_EQ(kept(OptimizerKind::adam), adam);
  EXPECT_EQ(kept(OptimizerKind::adamw), adam);
  EXPECT_TRUE(kept(OptimizerKind::sgd).empty());
  EXPECT_EQ(kept(OptimizerKind::adadelta),
            (std::vector<std::string>{"delta_avg/large", "delta_avg/small", "square_avg/large",
                                      "square_avg/small"}));
}

TEST(Optimizer, RefusesTheStateOfAnother) {
  const TwoTensors model;
  OwnOptimizer adam(config_of(OptimizerKind::adam), model);
  const OwnOptimizer adadelta(config_of(OptimizerKind::adadelta), model);
  EXPECT_EQ(message_of<UserError>([&] { adam.load_state(adadelta.state(), "x.heed"); }),
            "x.heed: the optimizer's state has no 'exp_avg/large' of this shape; go on with the "
            "settings that it was saved with");
  NamedTensors whole = adam.state();
  whole["exp_avg/large"] = at::ones({5, 7}, at::kLong);
  EXPECT_EQ(message_of<UserError>([&] { adam.load_state(whole, "x.heed"); }),
            "x.heed: tensor 'exp_avg/large' holds whole numbers (I64), which are no weights");
}

TEST(Optimizer, TheNormIsOverAllTensors) {
  const TwoTensors model;
  OwnOptimizer optimizer(config_of(OptimizerKind::sgd), model);
  model.small.mutable_grad() = at::tensor({3.F, 0.F, 0.F});
  model.large.mutable_grad() = at::zeros({5, 7});
  model.large.grad()[4][6] = 4;
  EXPECT_FLOAT_EQ(optimizer.gradient_norm().item<float>(), 5);
}

TEST(Optimizer, LongGradientsAreShortenedAndShortOnesLeft) {
  const auto divisor = [](double norm, double clip, double scale) {
    return gradient_divisor(at::full({}, norm), clip, scale).item<double>();
  };
  EXPECT_DOUBLE_EQ(divisor(5, 1, 1), 5);
  EXPECT_DOUBLE_EQ(divisor(0.5, 1, 1), 1);
  EXPECT_DOUBLE_EQ(divisor(5, 0, 1), 1);
  EXPECT_DOUBLE_EQ(divisor(40, 2, 8), 20);  // the true norm is 5: 2.5 times too long, and scaled
  EXPECT_DOUBLE_EQ(divisor(4, 2, 8), 8);
}

TEST(Average, FollowsTheWeightsMoreSlowlyWithTime) {
  const TwoTensors model;
  OwnShard own(model);
  Average average(own.shard, 0.9);
  const at::NoGradGuard no_grad;
  Tensor(model.small).copy_(at::tensor({11.F, 8.F, 3.F}));
  const auto update = [&](int64_t t) {
    average.update(at::scalar_tensor(average.share(t), at::kDouble));
  };
  update(1);  // decay 2/11: 9/11 of the way
  expect_near(average.tensors().at("small"), {1 + 10 * 9. / 11, -2 + 10 * 9. / 11, 3});
  Tensor(model.small).copy_(average.tensors().at("small") + 1);
  update(1000);  // decay 0.9
  expect_near(average.tensors().at("small"), {1.1 + 90. / 11, -1.9 + 90. / 11, 3.1});
}

TEST(Average, IsSwappedInAndOutAgain) {
  const TwoTensors model;
  OwnShard own(model);
  Average average(own.shard, 0.5);
  const at::NoGradGuard no_grad;
  const Tensor old = model.small.detach().clone();
  Tensor(model.small).add_(1);
  const Tensor now = model.small.detach().clone();
  {
    const model::Replaced averages = averaged(&average);
    EXPECT_TRUE(at::equal(model.small, old));
  }
  EXPECT_TRUE(at::equal(model.small, now));
  EXPECT_TRUE(at::equal(average.tensors().at("small"), old));
}

/// A Transformer whose output layer has the weights of these embeddings.
model::ModelPtr transformer(model::Tie tie) {
  model::ModelConfig config;
  config.width = 6;
  config.feed_forward = 5;
  config.heads = 3;
  config.encoder_layers = config.decoder_layers = 1;
  config.positions = "learned";
  config.max_positions = 7;
  config.tie = tie;
  return model::make_model(config, {11, 11});
}

TEST(Quantised, RoundsEachRowToMultiplesOfItsLargestNumberBy127) {
  const model::ModelPtr model = transformer(model::Tie::none);
  const at::NoGradGuard no_grad;
  const Tensor weight = trainable(*model).at("encoder.0.feed_forward.output.weight");  // [6, 5]
  weight.zero_();
  weight[0].copy_(at::tensor({1.F, -0.51F, 0.003F, 0.004F, 0.F}));
  weight[1].copy_(at::tensor({-254.F, 3.F, 2.5F, 127.F, 1.F}));
  const Tensor old = weight.clone();
  {
    const model::Replaced whole_numbers = quantised(*model, Quantise::int8);
    // -64.77, 0.381 and 0.508 of 1/127; multiples of 2.
    const Tensor first = at::tensor({127.F, -65.F, 0.F, 1.F, 0.F}) / 127;
    EXPECT_TRUE(at::allclose(weight[0], first)) << weight[0];
    EXPECT_TRUE(at::equal(weight[1], at::tensor({-254.F, 4.F, 2.F, 128.F, 0.F}))) << weight[1];
    EXPECT_TRUE(at::equal(weight[2], at::zeros(5)));
  }
  EXPECT_TRUE(at::equal(weight, old));
}

TEST(Quantised, LeavesWhatIsLookedUpOrAdded) {
  for (const auto tie : {model::Tie::none, model::Tie::decoder, model::Tie::all}) {
    SCOPED_TRACE(config::name_of(tie));
    const model::ModelPtr model = transformer(tie);
    const at::NoGradGuard no_grad;
    NamedTensors old;
    for (const auto& [name, weight] : trainable(*model)) old[name] = weight.detach().clone();
    const model::Replaced whole_numbers = quantised(*model, Quantise::int8);
    const std::string output = tie == model::Tie::none      ? "output.weight"
                               : tie == model::Tie::decoder ? "target_embedding.weight"
                                                            : "embedding.weight";
    for (const auto& [name, weight] : trainable(*model)) {
      const bool table = name.find("embedding") != std::string::npos ||
                         name.find("positions") != std::string::npos;
      const bool changes = name == output || (weight.dim() == 2 && !table);
      EXPECT_NE(at::equal(weight, old.at(name)), changes) << name;
    }
  }
}

}  // namespace
}  // namespace heed::train
