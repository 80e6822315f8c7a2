// Updates of every kind of model on the simulated accelerator: the numbers of the CPU, and nothing
// that makes the host wait.
//
// Tolerances: the device computes in plain operations, the CPU in heed's kernels, both in fp32.
// They add in other orders: losses and norms differ by 2e-6 of themselves at most, weights by 3e-6.
#include <gtest/gtest.h>

#include <optional>

#include "accelerator/support.h"
#include "base/error.h"
#include "every.h"
#include "model/model.h"
#include "train/kinds.h"
#include "train/own_optimizer.h"
#include "train/trainer_support.h"
#include "train/update.h"

namespace heed::accelerator {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

train::TrainConfig training(int64_t parts = 1) {
  train::TrainConfig config;
  config.optimizer = train::OptimizerKind::sgd;
  config.micro_batches = parts;
  config.clip_norm = 1;
  config.graphs = train::Graphs::off;  // recorded_pass_test.cpp and step_test.cpp have them
  return config;
}

struct Options {
  int updates = 1;
  at::Device device = accelerator::device();
  at::ScalarType precision = at::kFloat;
  uint64_t seed = 1;
  int64_t memory = 0;  // bytes beyond those of weights and optimizer; 0: as many as it likes
};

struct Trained {
  std::vector<train::UpdateNumbers> numbers;  // of each update
  std::vector<std::string> reads, writes;     // what the host waited for within updates
  train::NamedTensors weights;
};

Trained trained(const model::ModelConfig& kind, const train::TrainConfig& config,
                const Options& options) {
  const model::ModelPtr model = model::testing::model_of(kind, kPieces);
  model->to(options.device);
  train::OwnOptimizer own(config, *model);
  train::Average average(own.shard, 0.9);
  train::Updater updater(*model, config, options.device, options.precision, own.optimizer,
                         &average);
  Trained out;
  std::vector<train::UpdateReport> reports;
  {
    std::optional<MemoryLimit> limit;
    if (options.memory > 0) limit.emplace(memory_in_use() + options.memory);
    const Watch watch;
    for (int update = 1; update <= options.updates; ++update) {
      model->train();
      reports.push_back(updater.run(train::parts_of({small_batch(update)}, config),
                                    {.update = update, .rate = 0.1, .seed = options.seed}));
    }
    out.reads = watch.waits(Wait::kRead);
    out.writes = watch.waits(Wait::kWrite);
    EXPECT_THAT(watch.waits(Wait::kEvent), IsEmpty());
  }
  for (const auto& report : reports) out.numbers.push_back(report.numbers());
  for (const auto& [name, weight] : train::trainable(*model))
    out.weights.emplace(name, weight.detach().cpu());
  return out;
}

void expect_near(const Trained& a, const Trained& b, double tolerance) {
  for (std::size_t i = 0; i < a.numbers.size(); ++i) {
    EXPECT_NEAR(a.numbers[i].loss, b.numbers[i].loss, tolerance * b.numbers[i].loss) << i;
    EXPECT_NEAR(a.numbers[i].nll, b.numbers[i].nll, tolerance * b.numbers[i].nll) << i;
    EXPECT_NEAR(a.numbers[i].norm, b.numbers[i].norm, tolerance * b.numbers[i].norm) << i;
  }
}

void expect_near_weights(const Trained& a, const Trained& b, double tolerance) {
  for (const auto& [name, weight] : a.weights)
    EXPECT_LT((weight - b.weights.at(name)).abs().max().item<double>(), tolerance) << name;
}

class EveryKind : public ::testing::TestWithParam<NamedConfig> {};

TEST_P(EveryKind, TrainsAsOnTheCpu) {
  const auto& kind = GetParam().config;
  const Trained ours = trained(kind, training(2), {});
  const Trained cpu = trained(kind, training(2), {.device = at::kCPU});
  expect_near(ours, cpu, 1e-5);
  expect_near_weights(ours, cpu, 1e-5);
  EXPECT_THAT(ours.reads, IsEmpty());
  EXPECT_THAT(ours.writes, IsEmpty());
}

TEST_P(EveryKind, AgreesWithItselfAsOnTheCpu) {
  const auto& kind = GetParam().config;
  train::TrainConfig config = training();
  config.consistency = train::Consistency::simcut;
  config.consistency_share = 0.3;
  const Trained ours = trained(kind, config, {});
  const Trained cpu = trained(kind, config, {.device = at::kCPU});
  expect_near(ours, cpu, 1e-5);
  expect_near_weights(ours, cpu, 1e-5);
  EXPECT_THAT(ours.reads, IsEmpty());
  EXPECT_THAT(ours.writes, IsEmpty());
}

TEST_P(EveryKind, LearnsItsLinksAsOnTheCpu) {
  const auto& kind = GetParam().config;
  if (!model::testing::can_be_guided(kind)) GTEST_SKIP() << "has no weights for every link";
  train::TrainConfig config = training(2);
  config.guided_alignment = 0.5;
  config.taught_head = kind.type == model::ModelType::rnn ? 0 : kind.heads - 1;
  const Trained ours = trained(kind, config, {});
  const Trained cpu = trained(kind, config, {.device = at::kCPU});
  expect_near(ours, cpu, 1e-5);
  const double align = cpu.numbers[0].terms.at("align");
  EXPECT_GT(align, 0);
  EXPECT_NEAR(ours.numbers[0].terms.at("align"), align, 1e-5 * align);
  expect_near_weights(ours, cpu, 1e-5);
  EXPECT_THAT(ours.reads, IsEmpty());
  EXPECT_THAT(ours.writes, IsEmpty());
}

TEST_P(EveryKind, TrainsUnderAutocast) {
  const auto& kind = GetParam().config;
  const Trained ours = trained(kind, training(), {.precision = at::kBFloat16});
  // The gradient of the other normalisers jumps where rounding makes a weight 0.
  const double tolerance = kind.attention_normaliser == "softmax" ? 0.05 : 0.1;
  expect_near(ours, trained(kind, training(), {.device = at::kCPU}), tolerance);
  EXPECT_THAT(ours.reads, IsEmpty());
  EXPECT_THAT(ours.writes, IsEmpty());
}

TEST_P(EveryKind, DrawsItsDropoutFromTheSeed) {
  model::ModelConfig kind = GetParam().config;
  kind.dropout = kind.attention_dropout = kind.activation_dropout = kind.word_dropout = 0.3;
  const Trained ours = trained(kind, training(), {});
  const Trained again = trained(kind, training(), {});
  EXPECT_EQ(ours.numbers[0].loss, again.numbers[0].loss);
  EXPECT_EQ(ours.numbers[0].norm, again.numbers[0].norm);
  EXPECT_THAT(ours.reads, IsEmpty());
  EXPECT_THAT(ours.writes, IsEmpty());
}

model::ModelConfig one_kind() {
  return every_kind().back().config;
}

TEST(AcceleratorTraining, OptimizersDoWhatTheyDoOnTheCpu) {
  for (const auto optimizer : every<train::OptimizerKind>()) {
    SCOPED_TRACE(config::name_of(optimizer));
    train::TrainConfig config = training();
    config.optimizer = optimizer;
    config.epsilon = 1e-4;  // a gradient of 0 is some 1e-9, of any sign
    config.weight_decay = 0.1;
    config.clip_norm = 0.1;
    const Trained ours = trained(one_kind(), config, {.updates = 3});
    const Trained cpu = trained(one_kind(), config, {.updates = 3, .device = at::kCPU});
    expect_near(ours, cpu, 1e-5);
    expect_near_weights(ours, cpu, 1e-5);
    // docs/performance.md names it.
    const bool reads = train::optimizer_info(optimizer).takes == train::StepTakes::kNumbers;
    EXPECT_EQ(ours.reads, std::vector<std::string>(reads ? 3 : 0, "aten::_local_scalar_dense"));
    EXPECT_THAT(ours.writes, IsEmpty());
  }
}

TEST(AcceleratorTraining, AnotherSeedDrawsOtherDropout) {
  model::ModelConfig kind = one_kind();
  kind.dropout = 0.3;
  EXPECT_NE(trained(kind, training(), {}).numbers[0].loss,
            trained(kind, training(), {.seed = 2}).numbers[0].loss);
}

TEST(AcceleratorTraining, AnUpdateWithoutFiniteNumbersChangesNothing) {
  for (const auto kind : {train::OptimizerKind::adam, train::OptimizerKind::adadelta}) {
    train::TrainConfig config = training();
    config.optimizer = kind;
    const model::ModelPtr model = model::testing::model_of(one_kind(), kPieces);
    model->to(device());
    train::OwnOptimizer optimizer(config, *model);
    const at::NoGradGuard no_grad;
    for (at::Tensor& parameter : model->parameters())
      parameter.mutable_grad() = at::full_like(parameter, NAN);
    const at::Tensor before = model->parameters()[0].clone();
    const at::Tensor norm = optimizer.gradient_norm();
    optimizer.step(0.1, norm, norm.isfinite().logical_not().to(at::kFloat));
    EXPECT_TRUE(at::equal(model->parameters()[0], before));
  }
}

TEST(AcceleratorTraining, WhatDoesNotFitIsComputedInHalves) {
  const train::Logged logged;
  const Trained whole = trained(one_kind(), training(), {});
  // Less and less, until it is too little for the whole batch.
  Trained halves = whole;
  for (int64_t memory = 300'000; memory > 0 && logged.text().empty(); memory -= 10'000)
    halves = trained(one_kind(), training(), {.memory = memory});
  EXPECT_THAT(logged.text(), HasSubstr("computed in halves"));
  expect_near(halves, whole, 1e-5);
  EXPECT_THROW(trained(one_kind(), training(), {.memory = 1'000}), Failure);
}

TEST(AcceleratorTraining, WhatDoesNotFitIsNotRecorded) {
  train::TrainConfig config = training();
  config.graphs = train::Graphs::auto_;
  const Trained plain = trained(one_kind(), training(), {.updates = 3});
  const train::Logged logged;
  const std::string says = "passes are not recorded: memory runs out";
  for (int64_t memory = 400'000; memory > 0 && logged.text().find(says) == std::string::npos;
       memory -= 10'000)
    expect_near(trained(one_kind(), config, {.updates = 3, .memory = memory}), plain, 1e-5);
  EXPECT_THAT(logged.text(), HasSubstr(says));
}

INSTANTIATE_TEST_SUITE_P(Kinds, EveryKind, ::testing::ValuesIn(every_kind()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace heed::accelerator
