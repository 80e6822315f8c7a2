#include "study/scale_out.h"

#include <gtest/gtest.h>

namespace heed::study {
namespace {

constexpr double kTiny = 1e-9;

/// Parts of 1 s and 100 tokens.
UpdateCosts four_parts() {
  UpdateCosts costs;
  costs.parts = {{1, 100}, {1, 100}, {1, 100}, {1, 100}};
  costs.parts_per_update = 4;
  return costs;
}

TEST(Accumulate, TheNextFreeCoreTakesTheNextPart) {
  // Core 0: 3. Core 1: 1, 2, then 2 more.
  EXPECT_NEAR(accumulate({3, 1, 2, 2}, 0, 4, 2, 0).seconds, 5, kTiny);
  EXPECT_NEAR(accumulate({3, 1, 2, 2}, 0, 4, 1, 0).seconds, 8, kTiny);
  EXPECT_NEAR(accumulate({3, 1, 2, 2}, 0, 4, 9, 0).seconds, 3, kTiny);
}

TEST(Accumulate, EqualPartsTakeRounds) {
  for (const int64_t workers : {1, 2, 3, 4, 5, 7})
    EXPECT_NEAR(accumulate(std::vector<double>(5, 1.0), 0, 5, workers, 0).seconds,
                static_cast<double>((5 + workers - 1) / workers), kTiny);
}

TEST(Accumulate, AddsAlongTheTree) {
  // One core adds three times, four cores one after the other on two levels.
  EXPECT_NEAR(accumulate({1, 1, 1, 1}, 0, 4, 1, 0.1).seconds, 4.3, kTiny);
  EXPECT_NEAR(accumulate({1, 1, 1, 1}, 0, 4, 4, 0.1).seconds, 1.2, kTiny);
  // Parts 0 and 1 are added while part 2 is computed: one level remains.
  EXPECT_NEAR(accumulate({1, 1, 3}, 0, 3, 3, 0.1).seconds, 3.1, kTiny);
}

TEST(Accumulate, ARankIsLeftWithTheSumsOfItsSubtrees) {
  EXPECT_EQ(accumulate({1, 1, 1, 1}, 0, 4, 2, 0.1).sums, 1);
  EXPECT_EQ(accumulate({1, 1}, 2, 4, 2, 0.1).sums, 1);
  EXPECT_EQ(accumulate({1, 1, 1}, 0, 6, 1, 0.1).sums, 2);  // (0 + 1), 2
  EXPECT_EQ(accumulate({1, 1, 1}, 3, 6, 1, 0.1).sums, 2);  // 3, (4 + 5)
  EXPECT_EQ(accumulate({}, 0, 4, 1, 0.1).sums, 0);
}

TEST(SharedWork, IsFittedToBothMeasurements) {
  EXPECT_NEAR(seconds_of({.alone = 8, .together = 2}, 4, 4), 2, kTiny);
  EXPECT_NEAR(seconds_of({.alone = 8, .together = 2}, 4, 16), 0.5, kTiny);
  // 8 s (1/3 + 2/3 / 4) = 4 s on four cores: a third of it is serial.
  EXPECT_NEAR(seconds_of({.alone = 8, .together = 4}, 4, 1), 8, kTiny);
  EXPECT_NEAR(seconds_of({.alone = 8, .together = 4}, 4, 4), 4, kTiny);
  EXPECT_NEAR(seconds_of({.alone = 8, .together = 4}, 4, 8), 8.0 / 3 + 2.0 / 3, kTiny);
  EXPECT_NEAR(seconds_of({.alone = 8, .together = 9}, 4, 8), 8, kTiny);
}

TEST(Exchange, SendsAllButOnesOwnShareTwice) {
  const Connection connection{.bytes_per_second = 1e9, .latency = 1e-3};
  EXPECT_EQ(exchange_seconds(1e9, 1, 1, connection), 0);
  EXPECT_NEAR(exchange_seconds(1e9, 1, 2, connection), 1 + 0.005, kTiny);
  EXPECT_NEAR(exchange_seconds(1e9, 1, 4, connection), 1.5 + 0.015, kTiny);
  EXPECT_NEAR(exchange_seconds(1e9, 2, 4, connection), 2.25 + 0.015,
              kTiny);  // two sums, one of weights
}

TEST(Predict, OneCoreDoesAllInTurn) {
  UpdateCosts costs = four_parts();
  costs.add = 0.1;
  costs.optimizer = {.alone = 0.5, .together = 0.5};
  const UpdateTime time = predict(costs, {.parts = 4}, {});
  EXPECT_NEAR(time.compute, 4, kTiny);
  EXPECT_NEAR(time.tree, 0.3, kTiny);
  EXPECT_NEAR(time.seconds(), 4.8, kTiny);
  EXPECT_NEAR(time.tokens_per_second(), 400 / 4.8, kTiny);
}

TEST(Predict, CoresThatShareMemorySlowEachOtherDown) {
  UpdateCosts costs = four_parts();
  costs.cores = 4;
  costs.slowdown = 1.3;
  EXPECT_NEAR(predict(costs, {.workers = 1, .parts = 4}, {}).compute, 4, kTiny);
  EXPECT_NEAR(predict(costs, {.workers = 2, .parts = 4}, {}).compute, 2 * 1.1, kTiny);
  EXPECT_NEAR(predict(costs, {.workers = 4, .parts = 4}, {}).compute, 1.3, kTiny);
  EXPECT_NEAR(predict(costs, {.workers = 8, .parts = 8}, {}).compute, 1.3, kTiny);
  EXPECT_NEAR(predict(costs, {.workers = 8, .parts = 2}, {}).compute, 1.1, kTiny);
}

TEST(Predict, MoreCoresThanPartsAreIdle) {
  const UpdateTime four = predict(four_parts(), {.workers = 4, .parts = 4}, {});
  const UpdateTime many = predict(four_parts(), {.workers = 64, .parts = 4}, {});
  EXPECT_NEAR(four.seconds(), many.seconds(), kTiny);
  const UpdateTime grown = predict(four_parts(), {.workers = 64, .parts = 64}, {});
  EXPECT_NEAR(grown.tokens_per_second(), 6400, kTiny);
}

TEST(Predict, TheSlowestPartOfEachUpdateCounts) {
  UpdateCosts costs;
  costs.parts = {{1, 10}, {3, 10}, {2, 10}, {2, 10}};
  costs.parts_per_update = 2;
  const UpdateTime time = predict(costs, {.workers = 2, .parts = 2}, {});
  EXPECT_NEAR(time.compute, (3 + 2) / 2.0, kTiny);
  EXPECT_NEAR(time.tokens, 20, kTiny);
}

TEST(Predict, RanksExchangeAndStepTheirShards) {
  UpdateCosts costs = four_parts();
  costs.bytes = 1e9;
  costs.add = 0.1;
  costs.copy = {.alone = 0.01, .together = 0.01};
  costs.optimizer = {.alone = 0.4, .together = 0.4};
  const Connection connection{.bytes_per_second = 1e10, .latency = 0};
  const UpdateTime time = predict(costs, {.ranks = 4, .workers = 1, .parts = 4}, connection);
  EXPECT_NEAR(time.compute, 1, kTiny);
  EXPECT_NEAR(time.tree, 0, kTiny);  // along the exchange
  // 2 x 0.75 GB, one flat copy, one and a quarter of the weights, three quarters of an addition.
  EXPECT_NEAR(time.exchange, 0.15 + 2.25 * 0.01 + 0.075, kTiny);
  EXPECT_NEAR(time.optimizer, 0.1, kTiny);
}

TEST(Predict, RanksOnTooFewCoresTakeTurns) {
  const Layout layout{.ranks = 4, .workers = 1, .parts = 4, .ranks_at_once = 4, .cores = 2};
  EXPECT_NEAR(predict(four_parts(), layout, {}).compute, 2, kTiny);
  Layout idle = layout;  // two of the ranks have no part
  idle.parts = 2;
  EXPECT_NEAR(predict(four_parts(), idle, {}).compute, 1, kTiny);
}

TEST(Predict, BatchesAreMadeBesideTheUpdate) {
  UpdateCosts costs = four_parts();
  costs.making_batches = 0.05;
  const UpdateTime idle = predict(costs, {.workers = 1, .parts = 4, .cores = 2}, {});
  EXPECT_NEAR(idle.seconds(), 4, kTiny);  // a second core does it
  const UpdateTime busy = predict(costs, {.workers = 2, .parts = 4, .cores = 2}, {});
  EXPECT_NEAR(busy.seconds(), 2 + 0.2 / 2, kTiny);
  const UpdateTime late = predict(costs, {.workers = 64, .parts = 64}, {});
  EXPECT_NEAR(late.waiting, 64 * 0.05 - 1, kTiny);
}

TEST(PredictGpus, ComputeTheirPartsAndExchange) {
  UpdateCosts costs;
  costs.parts = {{9, 900}, {9, 1100}};  // their seconds are those of a core
  const Connection connection{.bytes_per_second = 1e9, .latency = 0};
  const UpdateTime one = predict_gpus(costs, 4000, 1, 8, connection);
  EXPECT_NEAR(one.seconds(), 2, kTiny);
  EXPECT_NEAR(one.tokens, 8000, kTiny);
  EXPECT_NEAR(predict_gpus(costs, 4000, 3, 8, connection).compute, 0.75, kTiny);
  EXPECT_NEAR(predict_gpus(costs, 4000, 16, 8, connection).compute, 0.25, kTiny);
  costs.bytes = 1e8;
  EXPECT_NEAR(predict_gpus(costs, 4000, 8, 8, connection).seconds(), 0.25 + 2 * 0.0875, kTiny);
  costs.making_batches = 0.1;
  EXPECT_NEAR(predict_gpus(costs, 4000, 8, 8, connection).seconds(), 0.8, kTiny);
}

}  // namespace
}  // namespace heed::study
