// Several ranks with the simulated accelerator make the bits that one makes, and what they say to
// each other makes no host wait. Ranks are threads, and all share the one device.
#include "accelerator/ranks.h"

#include <ATen/autocast_mode.h>

#include "accelerator/support.h"
#include "every.h"
#include "train/ranked.h"

namespace heed::accelerator {
namespace {

using ranks::Group;
using train::NamedTensors, train::Outcome, train::UpdatesOptions;

Outcome updates_by(int64_t ranks, const UpdatesOptions& options) {
  std::vector<Outcome> outcomes(static_cast<std::size_t>(ranks));
  ranks::together(
      ranks,
      [&](Group& group) {
        at::set_num_threads(1);
        // All threads have one cache, which the first one that is done empties: a weight that is
        // cast once or twice for two uses has its gradients added in other precisions.
        at::autocast::set_autocast_cache_enabled(false);
        outcomes[static_cast<std::size_t>(group.rank())] = train::updates(group, options);
      },
      group_options());
  for (const Outcome& outcome : outcomes) train::expect_equal(outcome, outcomes[0]);
  return outcomes[0];
}

class EveryKindOfRank : public ::testing::TestWithParam<NamedConfig> {};

TEST_P(EveryKindOfRank, MakesTheSameWeights) {
  // One update suffices: what it leaves is the same for all kinds, and the tests below make two.
  UpdatesOptions options{.model = GetParam().config, .device = device(), .updates = 1};
  options.model.dropout = 0.2;
  const Watch alone;
  const Outcome one = updates_by(1, options);
  const std::size_t reads = alone.waits(Wait::kRead).size();
  const std::size_t writes = alone.waits(Wait::kWrite).size();
  const Watch both;
  train::expect_equal(updates_by(2, options), one);
  EXPECT_EQ(both.waits(Wait::kRead).size(), 2 * reads);
  EXPECT_EQ(both.waits(Wait::kWrite).size(), 2 * writes);
}

INSTANTIATE_TEST_SUITE_P(Kinds, EveryKindOfRank, ::testing::ValuesIn(every_kind()),
                         [](const auto& info) { return info.param.name; });

TEST(AcceleratorRanks, ExchangeTensorsOfTheDeviceAndOfTheHost) {
  ranks::together(
      3,
      [](Group& group) {
        const int64_t rank = group.rank();
        EXPECT_EQ(group.broadcast(group.leads() ? "from the first" : ""), "from the first");
        const at::Tensor all =
            group.gather(at::full({2, 5}, rank, at::TensorOptions().device(device())));
        EXPECT_EQ(all.device(), device());
        // Rank r sends r + 1 numbers to each.
        const at::Tensor some =
            group.exchange(at::full({3 * (rank + 1)}, rank, at::TensorOptions().device(device())),
                           std::vector<int64_t>(3, rank + 1), {1, 2, 3});
        EXPECT_EQ(all.sizes(), (at::IntArrayRef{3, 2, 5}));
        for (int64_t other = 0; other < 3; ++other)
          EXPECT_TRUE(at::equal(all[other].cpu(), at::full({2, 5}, other)));
        EXPECT_TRUE(at::equal(some.cpu(), at::tensor({0, 1, 1, 2, 2, 2}, at::kLong)));
      },
      group_options());
}

UpdatesOptions wide(train::OptimizerKind optimizer, at::ScalarType precision) {
  UpdatesOptions options{.model = every_kind().front().config,
                         .device = device(),
                         .precision = precision,
                         .optimizer = optimizer};
  options.model.hidden_size = 130;  // several blocks: each rank has weights to look after
  options.model.embedding_size = 150;
  return options;
}

TEST(AcceleratorRanks, OfAnyNumberShareWeightsOfManyBlocks) {
  const UpdatesOptions options = wide(train::OptimizerKind::adamw, at::kBFloat16);
  const Outcome one = updates_by(1, options);
  for (const int64_t ranks : {2, 3, 7}) train::expect_equal(updates_by(ranks, options), one);
}

TEST(AcceleratorRanks, MakeTheSameWeightsWithEveryOptimizer) {
  for (const auto optimizer : every<train::OptimizerKind>()) {
    const UpdatesOptions options = wide(optimizer, at::kFloat);
    train::expect_equal(updates_by(3, options), updates_by(1, options));
  }
}

TEST(AcceleratorRanks, MakeTheSameAdapters) {
  UpdatesOptions options{.model = model::testing::small_transformer(), .device = device()};
  options.adapters = {train::AdapterKind::lora, 3, 6, {"attention"}};
  train::expect_equal(updates_by(2, options), updates_by(1, options));
}

class AcceleratorRankedRun : public ::testing::Test {
 protected:
  AcceleratorRankedRun() { log::set_quiet(); }

  static NamedTensors run(const TemporaryFolder& folder, int64_t ranks, int64_t updates,
                          bool resume = false) {
    const auto on_device = [](train::TrainerSetup& setup) {
      model::ModelConfig kind = every_kind().back().config;
      kind.dropout = 0.3;
      setup.model = model::testing::model_of(kind, train::toy::kVocab);
      setup.device = device();
    };
    return train::run_together(folder, ranks, train::quick(updates), resume, on_device,
                               group_options());
  }
};

TEST_F(AcceleratorRankedRun, EndsWithTheSameWeights) {
  const TemporaryFolder one, two;
  train::expect_equal(run(one, 1, 9), run(two, 2, 9), "weights");
  for (const char* event : {"train", "validation"}) {
    const auto expected = train::metrics(one, event), found = train::metrics(two, event);
    ASSERT_EQ(expected.size(), found.size());
    ASSERT_FALSE(expected.empty());
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_EQ(expected[i].at("loss"), found[i].at("loss")) << event << " " << i;
  }
}

TEST_F(AcceleratorRankedRun, GoesOnWithAnotherNumber) {
  const TemporaryFolder one, several;
  run(several, 2, 4);
  run(several, 3, 7, true);
  train::expect_equal(run(one, 1, 9), run(several, 1, 9, true), "weights");
}

}  // namespace
}  // namespace heed::accelerator
