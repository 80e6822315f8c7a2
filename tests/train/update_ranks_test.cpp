// Several ranks make the weights that one makes, whatever their number and that of their threads.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>

#include "every.h"
#include "train/ranked.h"

namespace heed::train {
namespace {

using ranks::Group;
using ranks::together;

TEST(Nodes, AreTheLargestSubtreesOfARange) {
  EXPECT_EQ(nodes_of(0, 5, 5), (std::vector<TreeNode>{{0, 3}}));
  EXPECT_EQ(nodes_of(0, 3, 5), (std::vector<TreeNode>{{0, 1}, {2, 0}}));
  EXPECT_EQ(nodes_of(3, 5, 5), (std::vector<TreeNode>{{3, 0}, {4, 2}}));
  EXPECT_EQ(nodes_of(2, 4, 7), (std::vector<TreeNode>{{2, 1}}));
  EXPECT_EQ(nodes_of(0, 1, 1), (std::vector<TreeNode>{{0, 0}}));
  EXPECT_TRUE(nodes_of(2, 2, 5).empty());
}

// However the parts are cut, the nodes' sums added along the tree are the sum of all parts.
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
        for (const TreeNode& node : nodes_of(begin, end, parts)) all.add(node, some.take(node));
      }
      EXPECT_TRUE(at::equal(all.take()[0], expected)) << cut << " of " << parts;
    }
  }
}

void expect_same_on(int64_t ranks, const model::ModelConfig& config, at::ScalarType precision,
                    OptimizerKind kind = OptimizerKind::adamw) {
  Group alone;
  const UpdatesOptions options{.model = config, .precision = precision, .optimizer = kind};
  const Outcome one = updates(alone, options);
  together(ranks, [&](Group& group) {
    SCOPED_TRACE(group.info().name());
    at::set_num_threads(1);
    expect_equal(updates(group, options), one);
  });
}

TEST(Ranks, OfAnyNumberMakeTheSameWeightsOfEveryKindOfModel) {
  int number = 0;
  for (const auto& [name, config] : model::testing::every_kind()) {
    SCOPED_TRACE(name);
    auto dropping = config;
    dropping.dropout = dropping.attention_dropout = 0.2;
    const auto precision = number % 3 == 0 ? at::kBFloat16 : at::kFloat;
    expect_same_on(2 + number++ % 3, dropping, precision);
  }
}

TEST(Ranks, MakeTheSameWeightsWithEveryOptimizer) {
  const auto kind = model::testing::every_kind().front().config;
  for (const auto optimizer : every<OptimizerKind>())
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

TEST(RankedRun, EndsWithTheSameWeights) {
  const TemporaryFolder one, three;
  expect_equal(run_together(one, 1, quick(11)), run_together(three, 3, quick(11)), "weights");
  for (const char* event : {"train", "validation"}) {
    const auto expected = metrics(one, event), found = metrics(three, event);
    ASSERT_EQ(expected.size(), found.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_EQ(expected[i].at("loss"), found[i].at("loss")) << event << " " << i;
  }
}

TEST(RankedRun, GoesOnWithAnotherNumber) {
  const TemporaryFolder one, several;
  run_together(several, 2, quick(4));
  run_together(several, 1, quick(7), true);
  run_together(several, 3, quick(9), true);
  expect_equal(run_together(one, 1, quick(11)), run_together(several, 4, quick(11), true),
               "weights");
}

TEST(RankedRun, StopsWhereARankHasOtherData) {
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

TEST(RankedRun, IsInterruptedWhereOneRankIs) {
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
    // Whichever rank ends first: a launcher may then end the others.
    EXPECT_TRUE(std::filesystem::exists(folder / "checkpoints/update-00000003.heed"));
    if (result.stopped == StopReason::interrupted) ++interrupted;
  });
  EXPECT_EQ(interrupted, 3);
  EXPECT_EQ(load_checkpoint(folder / "checkpoints/update-00000003.heed").progress.update, 3);
}

}  // namespace
}  // namespace heed::train
