// Whole runs on the simulated accelerator: validations, checkpoints, interruptions.
#include <gtest/gtest.h>

#include "accelerator/support.h"
#include "train/trainer_support.h"
#include "train/validation.h"

namespace heed::accelerator {
namespace {

using ::testing::HasSubstr;

using train::TrainerSetup, train::TrainResult, train::StopReason;

model::ModelPtr model_of(const model::ModelConfig& kind) {
  return model::testing::model_of(kind, train::toy::kVocab);
}

class EveryRun : public ::testing::TestWithParam<NamedConfig> {
 protected:
  EveryRun() { log::set_quiet(); }

  /// Two updates with dropout and an average of weights, and a validation.
  TrainerSetup setup(const TemporaryFolder& folder) const {
    train::TrainConfig config = train::quick(2);
    config.batch_size = 12;
    config.ema = 0.5;
    TrainerSetup out = train::setup_of(folder.path(), config);
    model::ModelConfig kind = GetParam().config;
    kind.dropout = 0.3;
    out.model = model_of(kind);
    out.device = device();
    out.validation = {small_batch()};
    return out;
  }

  TemporaryFolder whole_, parts_;
};

TEST_P(EveryRun, GoesOnWithTheSameBits) {
  const TrainResult whole = train::train(setup(whole_));
  TrainerSetup first = setup(parts_);
  int64_t polls = 0;
  first.interrupted = [&] { return ++polls > 1; };  // after one update
  EXPECT_EQ(train::train(first).stopped, StopReason::interrupted);
  TrainerSetup second = setup(parts_);
  second.resume = true;
  const TrainResult resumed = train::train(second);
  EXPECT_EQ(resumed.updates, 2);
  EXPECT_EQ(resumed.best_loss, whole.best_loss);
  for (const char* file : {"model.safetensors", "checkpoints/update-00000002.heed"})
    train::expect_same_weights(whole_ / file, parts_ / file);
}

TEST_P(EveryRun, ValidatesAsOnTheCpu) {
  const std::vector<data::Batch> batches{small_batch()};
  const train::ScoreModel no_scores;
  const std::function<bool()> never;
  const auto loss_on = [&](const at::Device& where) {
    const model::ModelPtr model = model_of(GetParam().config);
    model->to(where);
    ranks::Group alone;
    const Watch watch;
    const auto out = train::validate(*model, {batches, no_scores, where, at::kFloat, never, alone});
    // The sum alone; docs/performance.md names it.
    EXPECT_EQ(watch.waits(Wait::kRead).size(), where.is_cpu() ? 0U : 1U);
    EXPECT_TRUE(watch.waits(Wait::kWrite).empty());
    return out.value().loss;
  };
  const double cpu = loss_on(at::kCPU);
  EXPECT_NEAR(loss_on(device()), cpu, 1e-5 * cpu);
}

INSTANTIATE_TEST_SUITE_P(Kinds, EveryRun, ::testing::ValuesIn(every_kind()),
                         [](const auto& info) { return info.param.name; });

/// The log of a run with graphs that is interrupted and resumed, whose weights are to be those of a
/// whole one.
std::string expect_the_same_bits_in_one_go_and_in_two(const model::ModelConfig& kind,
                                                      train::Graphs of_whole) {
  const TemporaryFolder whole, parts;
  const auto setup = [&](const TemporaryFolder& folder, train::Graphs graphs) {
    train::TrainConfig config = train::quick(4);
    config.batch_size = 12;
    config.ema = 0.5;
    config.graphs = graphs;
    TrainerSetup out = train::setup_of(folder.path(), config);
    out.model = model_of(kind);
    out.device = device();
    return out;
  };
  train::train(setup(whole, of_whole));
  const train::Logged logged;
  TrainerSetup first = setup(parts, train::Graphs::auto_);
  int64_t polls = 0;
  first.interrupted = [&] { return ++polls > 3; };
  EXPECT_EQ(train::train(first).stopped, StopReason::interrupted);
  TrainerSetup second = setup(parts, train::Graphs::auto_);
  second.resume = true;
  EXPECT_EQ(train::train(second).updates, 4);
  for (const char* file : {"model.safetensors", "checkpoints/update-00000004.heed"})
    train::expect_same_weights(whole / file, parts / file);
  return logged.text();
}

TEST(AcceleratorRun, GraphsGiveTheSameBitsInOneGoAndInTwo) {
  const std::string said =
      expect_the_same_bits_in_one_go_and_in_two(every_kind().back().config, train::Graphs::auto_);
  EXPECT_THAT(said, HasSubstr("forward and backward passes are recorded"));
}

// ALiBi's slopes come from the host, so that only what follows the passes is a graph, which rounds
// nothing.
TEST(AcceleratorRun, ARecordedStepGivesTheBitsOfOneThatIsNot) {
  model::ModelConfig alibi = model::testing::small_transformer();
  alibi.positions = "alibi";
  const std::string said = expect_the_same_bits_in_one_go_and_in_two(alibi, train::Graphs::off);
  EXPECT_THAT(said, HasSubstr("passes are not recorded: a copy from the host"));
  EXPECT_THAT(said, HasSubstr("the optimizer's part of an update is recorded"));
}

TEST(AcceleratorRun, TheHostWaitsForTheUpdateBeforeTheLastAtMost) {
  const TemporaryFolder folder;
  train::TrainConfig config = train::quick(8);
  config.log_every = 1000;
  TrainerSetup setup = train::setup_of(folder.path(), config);
  setup.model = model_of(every_kind().back().config);
  setup.device = device();
  const Watch watch;
  std::vector<std::size_t> events, reads;  // when each update is under way
  setup.updated = [&](int64_t) {
    events.push_back(watch.waits(Wait::kEvent).size());
    reads.push_back(watch.waits(Wait::kRead).size());
  };
  EXPECT_EQ(train::train(setup).updates, 8);
  EXPECT_THAT(events, ::testing::ElementsAre(0, 0, 0, 1, 2, 3, 4, 5));
  EXPECT_EQ(reads.front(), reads.back());  // those of the first checkpoint alone
  EXPECT_TRUE(!watch.waits(Wait::kRead).empty());
}

}  // namespace
}  // namespace heed::accelerator
