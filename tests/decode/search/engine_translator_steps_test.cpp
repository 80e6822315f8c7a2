// The best pieces of a large vocabulary, whose logits come block by block.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "data/batch.h"
#include "decode/search/engine_translator.h"
#include "decode/search/search.h"
#include "engine/random_weights.h"
#include "engine/thread_pool.h"

namespace heed::decode {
namespace {

constexpr int64_t kPieces = 1030;  // two blocks, and six pieces

struct StepsOfBlocks : ::testing::Test {
  const model::ModelConfig config = engine::testing::small_transformer();
  const std::shared_ptr<const engine::Network> network = engine::make_network(
      config, engine::testing::random_transformer(config, kPieces), engine::WeightFormat::fp32);
  const data::Batch three{.size = 3,
                          .source_length = 4,
                          .source = {4, 777, 9, 3, 1029, 3, 0, 0, 6, 3, 0, 0},
                          .source_lengths = {4, 2, 2}};
  const std::vector<int64_t> tokens = {2, 600, 1029};

  Candidates after(const StepRequest& request, const data::Batch& batch,
                   const engine::Threads& threads = engine::testing::kOneThread) const {
    Candidates out;
    with_steps({network}, {batch}, {}, threads,
               [&](Steps& steps) { out = steps.step(request).candidates; });
    return out;
  }

  /// The candidates of a row among all pieces, sorted.
  std::vector<ScoredPiece> sorted(const Candidates& all, int64_t row) const {
    std::vector<ScoredPiece> out;
    for (int64_t i = 0; i < all.count; ++i) out.push_back({all.values_of(row)[i], i});
    std::ranges::sort(out, is_better);
    return out;
  }

  void expect_the_best(StepRequest request) const {
    const Candidates all = after(request, three);
    request.candidates = 7;
    const Candidates best = after(request, three);
    for (int64_t row = 0; row < 3; ++row) {
      const std::vector<ScoredPiece> wanted = sorted(all, row);
      for (int64_t i = 0; i < 7; ++i) {
        if (wanted[i].value == kNever) {
          EXPECT_EQ(best.values_of(row)[i], kNever);
          continue;
        }
        EXPECT_EQ(best.id(row, i), wanted[i].id);
        EXPECT_NEAR(best.values_of(row)[i], wanted[i].value, 1e-5);
      }
    }
  }
};

TEST_F(StepsOfBlocks, AreTheBestOfAllPieces) {
  expect_the_best({.tokens = tokens});
}

TEST_F(StepsOfBlocks, HaveNothingThatIsForbidden) {
  // The best of the first row, the best of the last block, and eos.
  const std::vector<ScoredPiece> first = sorted(after({.tokens = tokens}, three), 0);
  const std::vector<NextPiece> forbidden = {{0, first[0].id}, {0, first[1].id}, {2, 1029}};
  expect_the_best({.tokens = tokens, .may_end = false, .forbidden = forbidden});
}

TEST_F(StepsOfBlocks, HaveAForcedPieceAlone) {
  const std::vector<ForcedPiece> forced = {{0, 1027}, {2, 0}};
  expect_the_best({.tokens = tokens, .forced = forced});
  const Candidates best = after({.tokens = tokens, .forced = forced, .candidates = 2}, three);
  EXPECT_EQ(best.id(0, 0), 1027);
  EXPECT_EQ(best.values_of(0)[1], kNever);
  EXPECT_EQ(best.id(2, 0), 0);  // never comes by itself
}

// All at once, by blocks, and of two networks.
TEST_F(StepsOfBlocks, TellTheScoresOfWhatIsWanted) {
  const std::vector<NextPiece> forbidden = {{1, 600}};
  const std::vector<NextPiece> required = {{0, 5}, {0, 1029}, {1, 600}, {2, 600}, {2, text::kPad}};
  StepRequest request{.tokens = tokens, .forbidden = forbidden, .required = required};
  const Candidates all = after(request, three);
  for (const auto& [candidates, networks] : {std::pair(0, 1), std::pair(7, 1), std::pair(7, 2)}) {
    request.candidates = candidates;
    std::vector<float> told;
    with_steps(std::vector(networks, network), std::vector(networks, three), {},
               engine::testing::kOneThread,
               [&](Steps& steps) { told = steps.step(request).required; });
    ASSERT_EQ(told.size(), required.size());
    for (const std::size_t i : {0, 1, 3})
      EXPECT_NEAR(told[i], all.values_of(required[i].row)[required[i].piece], 1e-5);
    EXPECT_EQ(told[2], kNever);
    EXPECT_EQ(told[4], kNever);
  }
}

TEST_F(StepsOfBlocks, HaveTheSameBitsInAnyBatchAndByAnyThreads) {
  const Candidates together = after({.tokens = tokens, .candidates = 5}, three);
  engine::ThreadPool pool(3);
  const Candidates shared = after({.tokens = tokens, .candidates = 5}, three, pool.threads());
  EXPECT_EQ(shared.values, together.values);
  EXPECT_EQ(shared.ids, together.ids);
  const Candidates alone =
      after({.tokens = std::span(tokens).last(1), .candidates = 5},
            {.size = 1, .source_length = 2, .source = {6, 3}, .source_lengths = {2}});
  EXPECT_TRUE(std::ranges::equal(alone.values, together.values_of(2)));
}

}  // namespace
}  // namespace heed::decode
