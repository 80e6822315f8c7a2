// Workers divide the parts of an update, and nobody can tell from the weights how many there
// were.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <thread>

#include "data/batch.h"
#include "every.h"
#include "model/kinds.h"
#include "own_optimizer.h"
#include "train/shard.h"
#include "train/update.h"
#include "trainer_support.h"

namespace heed::train {
namespace {

/// Makes LibTorch use as many threads as a test wants, and afterwards as many as before.
class Threads {
 public:
  explicit Threads(int count) : before_(at::get_num_threads()) { at::set_num_threads(count); }
  ~Threads() { at::set_num_threads(before_); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

 private:
  int before_;
};

struct TwoUpdates {
  std::map<std::string, Tensor> weights, averages;
  std::vector<double> numbers;
};

/// Two updates of two batches each, in three parts a batch.
TwoUpdates updates(const model::ModelConfig& config, TrainConfig training, at::ScalarType precision,
                   int threads) {
  const Threads some(threads);
  training.micro_batches = 3;
  training.accumulate = 2;
  const auto make = [&] {
    model::ModelPtr model = model::testing::model_of(config, kPieces);
    choose_trainable(*model, training);
    return model;
  };
  const model::ModelPtr model = make();
  OwnOptimizer own(training, *model);
  Average average(own.shard, 0.9);
  Updater updater(*model, training, at::kCPU, precision, own.optimizer, &average, make);
  model->train();
  TwoUpdates out;
  for (int64_t update = 1; update <= 2; ++update) {
    const data::Batch first = toy::batch_of(toy::copies(7, 10 * update, /*most=*/4));
    const data::Batch second = toy::batch_of(toy::copies(2, 10 * update + 1, 4));
    const UpdateNumbers numbers =
        updater
            .run(parts_of({first, second}, training), {.update = update, .rate = 0.01, .seed = 3})
            .numbers();
    out.numbers.insert(out.numbers.end(), {numbers.loss, numbers.nll, numbers.norm});
  }
  for (const auto& [name, weight] : model::named_weights(*model))
    out.weights[name] = weight.clone();
  out.averages = average.tensors();
  return out;
}

void expect_same(const TwoUpdates& one, const TwoUpdates& other) {
  EXPECT_EQ(one.numbers, other.numbers);
  for (const auto& [name, weight] : one.weights)
    EXPECT_TRUE(at::equal(weight, other.weights.at(name))) << name;
  for (const auto& [name, weight] : one.averages)
    EXPECT_TRUE(at::equal(weight, other.averages.at(name))) << name << ", averaged";
}

TEST(Workers, OfAnyNumberMakeTheSameWeightsOfEveryKindOfModel) {
  int number = 0;
  for (const auto& [name, config] : model::testing::every_kind()) {
    SCOPED_TRACE(name);
    auto dropping = config;
    dropping.dropout = 0.2;
    dropping.word_dropout = dropping.attention_dropout = 0.1;
    const int threads = 2 + number % 4;
    const auto precision = number++ % 3 == 0 ? at::kBFloat16 : at::kFloat;
    expect_same(updates(dropping, {}, precision, 1), updates(dropping, {}, precision, threads));
  }
}

TEST(Workers, OfAnyNumberMakeTheSameWeightsWithEveryOptimizer) {
  const auto kind = model::testing::every_kind().front().config;
  for (const auto optimizer : every<OptimizerKind>()) {
    TrainConfig training;
    training.optimizer = optimizer;
    training.weight_decay = 0.01;
    expect_same(updates(kind, training, at::kFloat, 1), updates(kind, training, at::kFloat, 3));
  }
}

TEST(Workers, OfAnyNumberMakeTheSameAdapters) {
  TrainConfig training;
  training.adapters = {AdapterKind::lora, 3, 6, {"attention", "feed_forward"}};
  int number = 0;
  for (auto [name, config] : model::testing::transformer_kinds()) {
    if (number++ % 5 != 0) continue;
    SCOPED_TRACE(name);
    config.dropout = 0.2;
    training.quantise = number % 2 == 0 ? Quantise::none : Quantise::int8;
    const auto precision = number % 3 == 0 ? at::kBFloat16 : at::kFloat;
    expect_same(updates(config, training, precision, 1), updates(config, training, precision, 4));
  }
}

TEST(Workers, HaveThreadsOfTheirOwnWhereThereAreTwoForEachPart) {
  TrainConfig config;
  config.batch_size = 4096;  // two parts
  const Threads seven(7);
  EXPECT_EQ(threads_of_a_part(config, 1), 3);
  EXPECT_EQ(threads_of_a_part(config, 2), 7);
  config.batch_size = 2048;
  config.accumulate = 4;
  EXPECT_EQ(threads_of_a_part(config, 1), 1);  // three wait
  EXPECT_EQ(threads_of_a_part(config, 2), 3);
  config.micro_batches = 2;
  EXPECT_EQ(threads_of_a_part(config, 1), 1);
}

// Twelve threads for six parts are two for each; three threads for six parts are one.
TEST(Workers, AreToldToTheUserInOneLine) {
  EXPECT_EQ(division_text({}), "");
  EXPECT_EQ(division_text({.parts = 4, .threads = 2}),
            "each update is divided into 4 parts, computed by 2 threads, whose number changes no "
            "digit of the result");
  EXPECT_EQ(division_text({.parts = 1, .threads = 2, .of_a_part = 2}),
            "each update is divided into 1 part, computed by 2 threads, 2 for each part; their "
            "number changes the last digits of the result");
  EXPECT_EQ(division_text({.parts = 6, .accumulate = 2, .threads = 9}),
            "each update is divided into 6 parts, computed by 9 threads, of which 3 wait; "
            "training.micro_batches: 5 in a new run gives each a part");
  EXPECT_EQ(division_text({.parts = 2, .ranks = 3}),
            "each update is divided into 2 parts, computed by 3 ranks, of which one waits; "
            "training.micro_batches: 3 in a new run gives each a part");
}

TEST(Workers, WithThreadsOfTheirOwnAgreeWithThoseWithout) {
  TrainConfig training;
  training.optimizer = OptimizerKind::sgd;  // Adam makes steps of rounding errors
  int number = 0;
  for (const auto& [name, config] : model::testing::every_kind()) {
    if (number++ % 6 != 0) continue;
    SCOPED_TRACE(name);
    const TwoUpdates one = updates(config, training, at::kFloat, 3);
    const TwoUpdates two = updates(config, training, at::kFloat, 12);
    ASSERT_EQ(one.numbers.size(), two.numbers.size());
    for (size_t i = 0; i < one.numbers.size(); ++i)
      EXPECT_NEAR(one.numbers[i], two.numbers[i], 1e-5 * std::abs(one.numbers[i]));
    for (const auto& [weight, value] : one.weights)
      EXPECT_TRUE(at::allclose(value, two.weights.at(weight), 1e-5, 1e-6)) << weight;
    expect_same(two, updates(config, training, at::kFloat, 13));
  }
}

TEST(PartsPerBatch, FollowFromTheBatchSizeAlone) {
  TrainConfig config;
  config.batch_size = 4096;
  EXPECT_EQ(parts_per_batch(config), 2);
  config.batch_size = 2047;
  EXPECT_EQ(parts_per_batch(config), 1);
  config.batch_type = BatchType::sentences;
  config.batch_size = 200;
  EXPECT_EQ(parts_per_batch(config), 3);
  config.micro_batches = 7;
  EXPECT_EQ(parts_per_batch(config), 7);
}

TEST(PartsPerBatch, OnGpusAreOneForEachRankOfAnUpdate) {
  TrainConfig config;
  config.batch_size = 32768;
  EXPECT_EQ(default_parts(config, /*gpu=*/true, 1), 1);
  EXPECT_EQ(default_parts(config, true, 8), 8);
  config.accumulate = 3;
  EXPECT_EQ(default_parts(config, true, 7), 3);
  EXPECT_EQ(default_parts(config, true, 2), 1);
  EXPECT_EQ(default_parts(config, false, 8), 16);
}

// Numbers whose sum depends on the order: 1 + 2^-24 is 1 in fp32.
TEST(TreeSum, AddsNeighboursFirstWhateverTheOrder) {
  for (const int64_t parts : {1, 2, 3, 5, 7}) {
    std::vector<int64_t> order(parts);
    std::iota(order.begin(), order.end(), 0);
    const auto value = [](int64_t part) { return part % 3 == 0 ? 1.0F : 0x1.8p-24F * (part + 1); };
    std::optional<float> sum;
    do {
      TreeSum tree(parts);
      for (const int64_t part : order) tree.add(part, {at::full({3}, value(part)), Tensor()});
      const Gradients out = tree.take();
      EXPECT_FALSE(out[1].defined());
      const float now = out[0][2].item<float>();
      EXPECT_EQ(now, sum.value_or(now));
      sum = now;
    } while (parts < 6 && std::ranges::next_permutation(order).found);
    if (parts == 5) {
      EXPECT_EQ(*sum, ((value(0) + value(1)) + (value(2) + value(3))) + value(4));
    }
  }
}

TEST(TreeSum, TakesPartsFromSeveralThreads) {
  constexpr int64_t kParts = 37;
  TreeSum tree(kParts);
  std::atomic<int64_t> next = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] {
        for (int64_t part = next++; part < kParts; part = next++)
          tree.add(part, {at::full({5}, static_cast<double>(part))});
      });
  }
  EXPECT_TRUE(at::equal(tree.take()[0], at::full({5}, 36. * 37 / 2)));
}

}  // namespace
}  // namespace heed::train
