// The optimizer's part of an update as a graph: the numbers of the one that is none.
#include <gtest/gtest.h>

#include "accelerator/support.h"
#include "train/optimizer_step.h"
#include "train/own_optimizer.h"
#include "train/update.h"

namespace heed::accelerator {
namespace {

using train::OptimizerKind;

train::TrainConfig config_of(OptimizerKind optimizer, train::Graphs graphs) {
  train::TrainConfig config;
  config.optimizer = optimizer;
  config.graphs = graphs;
  config.weight_decay = 0.1;
  config.clip_norm = 0.1;
  return config;
}

struct Done {
  std::vector<train::UpdateNumbers> numbers;
  train::NamedTensors weights, averages, state;
  std::vector<std::string> reads, writes;
};

/// Updates in which rate, loss scale and the average's share change; the third is skipped.
Done updated(const train::TrainConfig& config) {
  const model::ModelPtr model = model::testing::model_of(every_kind().back().config, kPieces);
  model->to(device());
  train::OwnOptimizer own(config, *model);
  train::Average average(own.shard, 0.9);
  train::Updater updater(*model, config, device(), at::kFloat, own.optimizer, &average);
  const std::string why = updater.step().why_not_recorded();
  EXPECT_EQ(why.empty(), config.graphs == train::Graphs::auto_) << why;
  Done out;
  const Watch watch;
  std::vector<train::UpdateReport> reports;
  for (int update = 1; update <= 5; ++update) {
    const double scale = update == 3 ? INFINITY : update < 3 ? 8 : 4;
    model->train();
    reports.push_back(updater.run(train::parts_of({small_batch(update)}, config),
                                  {.update = update, .rate = 0.01 * update, .loss_scale = scale}));
  }
  out.reads = watch.waits(Wait::kRead);
  out.writes = watch.waits(Wait::kWrite);
  for (const auto& report : reports) out.numbers.push_back(report.numbers());
  for (const auto& [name, weight] : train::trainable(*model))
    out.weights.emplace(name, weight.detach().cpu());
  for (const auto& [name, weight] : average.tensors()) out.averages.emplace(name, weight.cpu());
  for (const auto& [name, weight] : own.state()) out.state.emplace(name, weight.cpu());
  return out;
}

void expect_equal(const train::NamedTensors& a, const train::NamedTensors& b) {
  ASSERT_EQ(a.size(), b.size());
  for (const auto& [name, tensor] : a) EXPECT_TRUE(at::equal(tensor, b.at(name))) << name;
}

class StepAsAGraph : public ::testing::TestWithParam<OptimizerKind> {};

TEST_P(StepAsAGraph, ChangesNoNumber) {
  for (const double clip : {0.0, 0.1}) {
    train::TrainConfig config = config_of(GetParam(), train::Graphs::auto_);
    config.clip_norm = clip;
    const Done graph = updated(config);
    config.graphs = train::Graphs::off;
    const Done plain = updated(config);
    for (std::size_t i = 0; i < plain.numbers.size(); ++i) {
      EXPECT_EQ(plain.numbers[i].finite(), i != 2);
      EXPECT_EQ(graph.numbers[i].finite(), i != 2);
      EXPECT_EQ(graph.numbers[i].loss, plain.numbers[i].loss);
      EXPECT_TRUE(i == 2 || graph.numbers[i].norm == plain.numbers[i].norm) << i;
    }
    expect_equal(graph.weights, plain.weights);
    expect_equal(graph.averages, plain.averages);
    expect_equal(graph.state, plain.state);
    EXPECT_THAT(graph.reads, ::testing::IsEmpty());
    EXPECT_THAT(graph.writes, ::testing::IsEmpty());
  }
}

INSTANTIATE_TEST_SUITE_P(Optimizers, StepAsAGraph,
                         ::testing::Values(OptimizerKind::adam, OptimizerKind::adamw,
                                           OptimizerKind::sgd),
                         [](const auto& info) { return config::name_of(info.param); });

TEST(StepAsAGraphTest, SaysWhyItIsNone) {
  const auto why = [](OptimizerKind optimizer, train::Graphs graphs, const at::Device& device) {
    const model::ModelPtr model = model::testing::model_of(every_kind().back().config, kPieces);
    model->to(device);
    const train::TrainConfig config = config_of(optimizer, graphs);
    train::OwnOptimizer own(config, *model);
    return train::OptimizerStep(config, device, own.optimizer, nullptr).why_not_recorded();
  };
  using train::Graphs;
  EXPECT_EQ(why(OptimizerKind::adam, Graphs::auto_, device()), "");
  EXPECT_EQ(why(OptimizerKind::adam, Graphs::off, device()), "training.graphs is off");
  EXPECT_EQ(why(OptimizerKind::adam, Graphs::auto_, at::kCPU), "a CPU has no graphs");
  EXPECT_EQ(why(OptimizerKind::adadelta, Graphs::auto_, device()), "adadelta reads from the GPU");
}

}  // namespace
}  // namespace heed::accelerator
