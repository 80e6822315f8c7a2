#include "decode/search/mbr.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace heed::decode {
namespace {

using testing::ElementsAre;

std::vector<Hypothesis> with_probabilities(const std::vector<double>& probabilities) {
  std::vector<Hypothesis> out;
  for (std::size_t i = 0; i < probabilities.size(); ++i) {
    out.push_back({.ids = {static_cast<int32_t>(i)}});
    out.back().log_probability = out.back().score = std::log(probabilities[i]);
  }
  return out;
}

DecodeConfig choosing(int64_t candidates, bool draws, int64_t n_best = 1) {
  DecodeConfig config;
  config.mbr = candidates;
  config.n_best = n_best;
  config.sampling.top_p = draws ? 1 : 0;
  return config;
}

TEST(Mbr, DrawsWeighTheSameAndFoundOnesTheirProbabilities) {
  const auto candidates = with_probabilities({0.3, 0.1, 0.1});
  for (const double weight : weights_of(candidates, /*drawn=*/true))
    EXPECT_DOUBLE_EQ(weight, 1.0 / 3);
  const auto weights = weights_of(candidates, /*drawn=*/false);
  EXPECT_NEAR(weights[0], 0.6, 1e-12);
  EXPECT_NEAR(weights[1], 0.2, 1e-12);
  // Probabilities that no double holds.
  std::vector<Hypothesis> unlikely(2);
  unlikely[0].log_probability = -1000;
  unlikely[1].log_probability = -1000 + std::log(3);
  EXPECT_NEAR(weights_of(unlikely, false)[0], 0.25, 1e-12);
}

// chrF: ab and abc 7/11 or 7/8 (the hypothesis first), xy and the others 0.
TEST(Mbr, ChoosesWhatIsMostLikeAllOthersByHand) {
  auto candidates = with_probabilities({0.4, 0.3, 0.3});
  std::vector<std::string> texts{"xy", "ab", "abc"};
  choose_by_utility(candidates, texts, choosing(3, /*draws=*/false, /*n_best=*/3));
  EXPECT_THAT(texts, ElementsAre("abc", "ab", "xy"));
  EXPECT_NEAR(candidates[0].score, 100 * (0.3 + 0.3 * 7 / 8), 1e-9);
  EXPECT_NEAR(candidates[1].score, 100 * (0.3 + 0.3 * 7 / 11), 1e-9);
  EXPECT_NEAR(candidates[2].score, 100 * 0.4, 1e-9);
  EXPECT_EQ(candidates[0].ids, std::vector<int32_t>({2}));
  EXPECT_NEAR(candidates[0].log_probability, std::log(0.3), 1e-12);
}

TEST(Mbr, ATextThatWasDrawnOftenCountsOftenAndIsThereOnce) {
  auto candidates = with_probabilities({0.4, 0.1, 0.1, 0.1, 0.1});
  std::vector<std::string> texts{"abc", "xy", "ab", "xy", "xy"};
  choose_by_utility(candidates, texts, choosing(5, /*draws=*/true, /*n_best=*/5));
  EXPECT_THAT(texts, ElementsAre("xy", "abc", "ab"));
  EXPECT_NEAR(candidates[0].score, 60, 1e-9);
  EXPECT_NEAR(candidates[1].score, 20 * (1 + 7.0 / 8), 1e-9);
  EXPECT_EQ(candidates[0].ids, std::vector<int32_t>({1}));
}

TEST(Mbr, BetweenEqualOnesTheLikelierWinsAndNothingIsNoMistake) {
  auto candidates = with_probabilities({0.2, 0.2});
  std::vector<std::string> texts{"q", "p"};
  choose_by_utility(candidates, texts, choosing(2, false));
  EXPECT_THAT(texts, ElementsAre("q"));
  std::vector<Hypothesis> none;
  std::vector<std::string> no_texts;
  choose_by_utility(none, no_texts, choosing(2, true));
  EXPECT_TRUE(none.empty());
  auto empty = with_probabilities({0.5});
  std::vector<std::string> empty_text{""};
  choose_by_utility(empty, empty_text, choosing(2, true));
  EXPECT_THAT(empty_text, ElementsAre(""));
}

}  // namespace
}  // namespace heed::decode
