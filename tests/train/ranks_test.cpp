// Several ranks make the weights that one makes, whatever their number and that of their threads.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>

#include "model/kinds.h"
#include "ranks/together.h"
#include "train/update.h"
#include "trainer_support.h"

namespace heed::train {
namespace {

using ranks::Group;
using ranks::together;

constexpr int64_t kPieces = 23;

TEST(Nodes, AreTheLargestSubtreesOfARange) {
  EXPECT_EQ(nodes_of(0, 5, 5), (std::vector<Node>{{0, 3}}));
  EXPECT_EQ(nodes_of(0, 3, 5), (std::vector<Node>{{0, 1}, {2, 0}}));
  EXPECT_EQ(nodes_of(3, 5, 5), (std::vector<Node>{{3, 0}, {4, 2}}));
  EXPECT_EQ(nodes_of(2, 4, 7), (std::vector<Node>{{2, 1}}));
  EXPECT_EQ(nodes_of(0, 1, 1), (std::vector<Node>{{0, 0}}));
  EXPECT_TRUE(nodes_of(2, 2, 5).empty());
}

// Of any cut of the parts, the nodes' sums added along the tree are the sum of all parts.
TEST(Nodes, OfAllRangesMakeTheWholeSum) {
  const auto value = [](int64_t part) {
    return at::full({3}, part % 3 == 0 ? 1.0 : 0x1.8p-24 * static_cast<double>(part + 1));
  };
  for (const int64_t parts : {1, 2, 3, 5, 7, 12}) {
    TreeSum whole(parts);
    for (int64_t part = 0; part < parts; ++part) whole.add(part, {value(part)});
    const Tensor expected = whole.take()[0];
    for (int64_t cut = 0; cut <= parts; ++cut) {
      TreeSum all(parts);
      for (const auto& [begin, end] : {std::pair(cut, parts), std::pair(int64_t{0}, cut)}) {
        TreeSum some(parts);
        for (int64_t part = begin; part < end; ++part) some.add(part, {value(part)});
        for (const Node& node : nodes_of(begin, end, parts)) all.add(node, some.take(node));
      }
      EXPECT_TRUE(at::equal(all.take()[0], expected)) << cut << " of " << parts;
    }
  }
}

struct Outcome {
  NamedTensors weights, averages, state;
  std::vector<double> numbers;
};

/// Two updates of five parts, with everything that a rank keeps a share of.
Outcome updates(Group& group, const model::ModelConfig& config, at::ScalarType precision,
                OptimizerKind kind = OptimizerKind::adamw) {
  TrainConfig training;
  training.optimizer = kind;
  training.weight_decay = 0.01;
  training.micro_batches = 3;
  training.accumulate = 2;
  const model::ModelPtr model = [&] {
    static std::mutex one_generator;
    const std::lock_guard lock(one_generator);
    return model::testing::model_of(config, kPieces);
  }();
  Shard shard(*model, group);
  Optimizer optimizer(training, shard);
  Average average(shard, 0.9);
  Updater updater(*model, training, at::kCPU, precision, optimizer, &average, [&] {
    return model::make_model(config, {kPieces, kPieces});
  });
  model->train();
  Outcome out;
  for (int64_t update = 1; update <= 2; ++update) {
    const auto parts = parts_of({toy::batch_of(toy::copies(7, 10 * update)),
                                 toy::batch_of(toy::copies(2, 10 * update + 1))},
                                training);
    const UpdateNumbers numbers =
        updater.run(parts, {.update = update, .rate = 0.01, .seed = 3}).numbers();
    out.numbers.insert(out.numbers.end(), {numbers.loss, numbers.nll, numbers.norm});
  }
  for (const auto& [name, weight] : model::named_weights(*model))
    out.weights[name] = weight.clone();
  out.averages = average.tensors();
  out.state = optimizer.state();
  return out;
}

void expect_equal(const NamedTensors& one, const NamedTensors& other, const char* what) {
  ASSERT_EQ(one.size(), other.size()) << what;
  for (const auto& [name, tensor] : one)
    EXPECT_TRUE(at::equal(tensor, other.at(name))) << what << " " << name;
}

void expect_same_on(int64_t ranks, const model::ModelConfig& config, at::ScalarType precision,
                    OptimizerKind kind = OptimizerKind::adamw) {
  Group alone;
  const Outcome one = updates(alone, config, precision, kind);
  together(ranks, [&](Group& group) {
    SCOPED_TRACE(group.place().name());
    at::set_num_threads(1);
    const Outcome mine = updates(group, config, precision, kind);
    EXPECT_EQ(mine.numbers, one.numbers);
    expect_equal(mine.weights, one.weights, "weights");
    expect_equal(mine.averages, one.averages, "average");
    expect_equal(mine.state, one.state, "state");
  });
}

TEST(Ranks, OfAnyNumberMakeTheSameWeightsOfEveryKindOfModel) {
  int number = 0;
  for (const auto& [name, config] : model::testing::every_kind()) {
    SCOPED_TRACE(name);
    auto dropping = config;
    dropping.dropout = 0.2;
    const auto precision = number % 3 == 0 ? at::kBFloat16 : at::kFloat;
    expect_same_on(2 + number++ % 3, dropping, precision);
  }
}

TEST(Ranks, MakeTheSameWeightsWithEveryOptimizer) {
  const auto kind = model::testing::every_kind().front().config;
  for (const auto optimizer : {OptimizerKind::adam, OptimizerKind::sgd, OptimizerKind::adadelta})
    expect_same_on(3, kind, at::kFloat, optimizer);
}

// Large enough for several blocks, so that each rank has weights to look after.
TEST(Ranks, ShareWeightsOfManyBlocks) {
  auto config = model::testing::every_kind().front().config;
  config.hidden_size = 130;
  config.embedding_size = 150;
  for (const int64_t ranks : {2, 3, 5}) expect_same_on(ranks, config, at::kFloat);
}

TEST(Ranks, MoreThanPartsDoNothing) {
  expect_same_on(9, model::testing::every_kind().front().config, at::kFloat);
}

class RankedRun : public ::testing::Test {
 protected:
  /// A whole run of toy models by so many ranks, in one folder.
  static NamedTensors run(const TemporaryFolder& folder, int64_t ranks, TrainConfig config,
                          bool resume = false) {
    config.micro_batches = 3;
    config.ema = 0.9;
    config.validate_every = 4;
    config.save_every = 3;
    std::mutex one_generator;
    together(ranks, [&](Group& group) {
      at::set_num_threads(1);
      TrainerSetup setup = [&] {
        const std::lock_guard lock(one_generator);
        return setup_of(folder.path(), config, 0.1);
      }();
      setup.group = &group;
      setup.validation = validation();
      setup.resume = resume;
      train(setup);
    });
    return read_weights(folder / "model.safetensors");
  }
};

TEST_F(RankedRun, EndsWithTheSameWeights) {
  const TemporaryFolder one, three;
  expect_equal(run(one, 1, quick(11)), run(three, 3, quick(11)), "weights");
  for (const char* event : {"train", "validation"}) {
    const auto expected = metrics(one, event), found = metrics(three, event);
    ASSERT_EQ(expected.size(), found.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_EQ(expected[i].at("loss"), found[i].at("loss")) << event << " " << i;
  }
}

TEST_F(RankedRun, GoesOnWithAnotherNumber) {
  const TemporaryFolder one, several;
  run(several, 2, quick(4));
  run(several, 1, quick(7), true);
  run(several, 3, quick(9), true);
  expect_equal(run(one, 1, quick(11)), run(several, 4, quick(11), true), "weights");
}

TEST_F(RankedRun, StopsWhereARankHasOtherData) {
  const TemporaryFolder folder;
  EXPECT_EQ(message_of<Failure>([&] {
              together(2, [&](Group& group) {
                TrainerSetup setup = setup_of(folder.path(), quick(5));
                setup.group = &group;
                setup.checksum = group.leads() ? 5 : 7;
                train(setup);
              });
            }),
            "rank 1 of 2 has another configuration, vocabulary or corpus than rank 0; give all "
            "ranks the same command and the same files");
}

TEST_F(RankedRun, IsInterruptedWhereOneRankIs) {
  const TemporaryFolder folder;
  std::atomic<int> interrupted = 0;
  together(3, [&](Group& group) {
    TrainerSetup setup = setup_of(folder.path(), quick(50));
    setup.group = &group;
    int64_t done = 0;
    setup.updated = [&](int64_t update) { done = update; };
    setup.interrupted = [&] { return group.rank() == 2 && done >= 3; };
    const TrainResult result = train(setup);
    EXPECT_EQ(result.updates, 3);
    if (result.stopped == StopReason::interrupted) ++interrupted;
  });
  EXPECT_EQ(interrupted, 3);
  EXPECT_EQ(load_checkpoint(folder / "checkpoints/update-00000003.heed").progress.update, 3);
}

}  // namespace
}  // namespace heed::train
