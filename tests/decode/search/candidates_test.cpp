#include "decode/search/candidates.h"

#include <gmock/gmock.h>

#include <cmath>
#include <vector>

namespace heed::decode {
namespace {

using testing::ElementsAre;
using testing::FloatEq;

using engine::kOneThread;

TEST(CandidatesOfRows, OfLogitsAreLogProbabilities) {
  const std::vector<float> scores{1, kNever, 3, -2, 0, 0.5F};
  const std::vector<kernels::Partition> partitions{{.most = 3, .log_sum = 2}, {1, 0.25F}};
  const ScoreRows rows{
      .values = scores.data(), .rows = 2, .vocabulary = 3, .partitions = partitions};
  const Candidates all = all_candidates(rows);
  EXPECT_TRUE(all.ids.empty());
  EXPECT_THAT(all.values, ElementsAre(-4, kNever, -2, -3.25F, -1.25F, -0.75F));
  const Candidates best = best_candidates(rows, 2, kOneThread);
  EXPECT_THAT(best.ids, ElementsAre(2, 0, 2, 1));
  EXPECT_THAT(best.values, ElementsAre(-2, -4, -0.75F, -1.25F));
}

// Two models, whose probabilities of three pieces were 0.5 and 0.25, 0 and 0.5, 0.5 and 0.25.
TEST(CandidatesOfRows, OfSumsAreLogarithmsOfMeans) {
  const std::vector<float> sums{0.75F, 0.5F, kNever};
  const ScoreRows rows{.values = sums.data(), .rows = 1, .vocabulary = 3, .summed = 2};
  const Candidates best = best_candidates(rows, 5, kOneThread);
  EXPECT_THAT(best.ids, ElementsAre(0, 1, 0));
  EXPECT_THAT(best.values,
              ElementsAre(FloatEq(std::log(0.375F)), FloatEq(std::log(0.25F)), kNever));
}

}  // namespace
}  // namespace heed::decode
