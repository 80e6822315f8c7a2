#include <gtest/gtest.h>

#include "decode/toy_model.h"
#include "decode/translator.h"
#include "model/model.h"

namespace heed::decode {
namespace {

/// 100 numbers for each piece of a source, 10 for each piece of a hypothesis.
struct Sized : toy::ToyModel {
  model::StateSize state_size() const override { return {.source = 100, .hypothesis = 10}; }
};

BatchLimits limits_of(int64_t models, const DecodeConfig& config, const at::Device& device,
                      int64_t free) {
  Sized model;
  return search_limits(
      std::vector<model::Model*>(models, &model), config,
      {.device = device, .precision = at::kBFloat16, .vocabulary = 1000, .free = free});
}

TEST(Batches, OnAGpuAreWhatFitsIntoFreeMemory) {
  DecodeConfig config;
  config.batch_size = 0;
  config.beam_size = 3;
  // A sentence has 3 x 1000 logits in bf16 and log-probabilities in fp32, 18,000 bytes, which take
  // an eighth; a piece 2 (100 + 3 x 10) bytes, which take a quarter.
  const int64_t free = 8 * 18000 * 100;
  const BatchLimits one = limits_of(1, config, at::kCUDA, free);
  EXPECT_EQ(one.sentences, 100);
  EXPECT_EQ(one.tokens, 13846);
  const BatchLimits two = limits_of(2, config, at::kCUDA, free);
  EXPECT_EQ(two.sentences, 50);
  EXPECT_EQ(two.tokens, 6923);
  EXPECT_EQ(limits_of(1, config, at::kCUDA, int64_t{1} << 40).sentences, 2048);
  EXPECT_EQ(limits_of(1, config, at::kCUDA, 0).sentences, 1);
  config.sampling.top_k = 5;
  config.n_best = 6;  // draws, whatever the beam
  EXPECT_EQ(limits_of(1, config, at::kCUDA, free).sentences, 50);
}

TEST(Batches, OnACpuOrWithASizeHaveNothingToDoWithMemory) {
  DecodeConfig config;
  config.beam_size = 4;
  for (const int64_t size : {0, 7}) {
    config.batch_size = size;
    const BatchLimits limits = limits_of(1, config, at::kCPU, 5);
    EXPECT_EQ(limits.sentences, size == 0 ? 32 : 7);
    EXPECT_EQ(limits.tokens, 8192);
  }
  const BatchLimits there = limits_of(1, config, at::kCUDA, 5);
  EXPECT_EQ(there.sentences, 7);
  EXPECT_EQ(there.tokens, 65536);
}

TEST(Batches, OfScoredTargetsHaveAsManyTokensWhateverTheirSize) {
  DecodeConfig config;
  config.batch_size = 0;
  EXPECT_EQ(score_limits(config, at::kCPU).sentences, 32);
  EXPECT_EQ(score_limits(config, at::kCUDA).sentences, 2048);
  EXPECT_EQ(score_limits(config, at::kCUDA).tokens, 8192);
  config.batch_size = 5;
  EXPECT_EQ(score_limits(config, at::kCUDA).sentences, 5);
}

TEST(Batches, AreSortedByLengthAndKeepWithinTheBounds) {
  const std::vector<int64_t> lengths{3, 0, 9, 1, 40, 3, 0, 8};
  const auto batches = batches_by_length(lengths, {.sentences = 3, .tokens = 20}, /*skip=*/0);
  const std::vector<std::vector<int64_t>> expected{{4}, {2, 7}, {0, 5, 3}};
  EXPECT_EQ(batches, expected);  // the 40 alone, (9 + 1) * 2 tokens, three sentences
}

}  // namespace
}  // namespace heed::decode
