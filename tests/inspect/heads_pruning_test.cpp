// The heads that a search takes out, and when it ends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "base/strings.h"
#include "csv.h"
#include "decode/random_models.h"
#include "inspect/heads.h"
#include "message.h"
#include "score/bleu_statistics.h"

namespace heed::inspect {
namespace {

using ::testing::HasSubstr;

/// A model with three heads in each of six attentions, on its own translations: BLEU, here of
/// characters, is 100.
HeadTrial trial_of_own_translations() {
  const model::ModelConfig config = decode::small_models()[0];
  const model::ModelPtr model = decode::random_model(config);
  text::Pairs pairs{{"mira tolo sena nostra bahir glume wexta", "kupo rel vadi dyphe quorz fonji",
                     "vadi vadi mira kupo tolo sena rel", "sena rel tolo bahir wexta glume"},
                    {}};
  score::EvaluationConfig by_characters;
  by_characters.tokenize = "char";
  for (const auto& each :
       decode::make_translator(model).translate({.lines = pairs.source}).translations)
    pairs.target.push_back(each.text);
  return {{.name = "m",
           .member = {model, decode::vocabulary(), decode::vocabulary()},
           .config = config,
           .evaluation = by_characters,
           .translator = [model] { return decode::make_translator(model); }},
          pairs};
}

TEST(Pruning, KeepsTheQualityThatWasAskedFor) {
  HeadTrial trial = trial_of_own_translations();
  const auto heads_out = [&](double keep) {
    const Pruning found = greedy_pruning(trial, keep, {});
    EXPECT_FALSE(found.steps[0].head);
    EXPECT_EQ(found.steps[0].loss, trial.loss({}));
    const double whole = found.steps[0].bleu;
    EXPECT_NEAR(whole, 100, 1e-6);
    for (std::size_t i = 0; i < found.heads.size(); ++i) {
      EXPECT_EQ(found.steps[i + 1].head, found.heads[i]);
      EXPECT_TRUE(score::at_least_percent(found.steps[i + 1].bleu, keep, whole));
    }
    EXPECT_LE(found.steps.size() - found.heads.size(), 2U);
    if (found.steps.size() > found.heads.size() + 1) {
      EXPECT_FALSE(score::at_least_percent(found.steps.back().bleu, keep, whole));
    }
    EXPECT_EQ(found.steps[found.heads.size()].loss, trial.loss(found.heads));
    return found.heads.size();
  };
  const auto few = heads_out(99), many = heads_out(1);
  EXPECT_GT(many, few);
  EXPECT_LE(many, 18U - 6);  // each attention keeps one
}

TEST(Pruning, TakesOutFirstWhatCostsLeast) {
  HeadTrial trial = trial_of_own_translations();
  std::string cheapest;
  double least = 1e9;
  for (const auto& row : parse_csv(ablated_heads(trial, /*translate=*/false).csv)) {
    if (split(row[0], '.').size() != 3 || std::stod(row[1]) >= least) continue;
    cheapest = row[0];
    least = std::stod(row[1]);
  }
  const Pruning found = greedy_pruning(trial, 100, {});
  ASSERT_GE(found.steps.size(), 2U);
  EXPECT_EQ(model::name_of(*found.steps[1].head), cheapest);
  EXPECT_NEAR(found.steps[1].loss, found.steps[0].loss + least, 1e-5);
}

TEST(Pruning, LeavesTheHeadThatIsNeeded) {
  HeadTrial trial = trial_of_own_translations();
  // A search that ends with its first step.
  const model::HeadIndex first = *greedy_pruning(trial, 1000, {}).steps.at(1).head;
  const Pruning found = greedy_pruning(trial, 0, {first});
  EXPECT_EQ(found.heads.size(), 18U - 6);
  EXPECT_EQ(std::ranges::count(found.heads, first), 0);
}

TEST(Pruning, NeedsABleuThatIsNotZero) {
  const model::ModelConfig config = decode::small_models()[0];
  const model::ModelPtr model = decode::random_model(config);
  HeadTrial trial({.name = "m",
                   .member = {model, decode::vocabulary(), decode::vocabulary()},
                   .config = config,
                   .evaluation = {},
                   .translator = [model] { return decode::make_translator(model); }},
                  {{"mira rel"}, {"zzz yyy"}});
  const std::string message = message_of<UserError>([&] { greedy_pruning(trial, 99, {}); });
  EXPECT_THAT(message, HasSubstr("BLEU of the whole model is 0"));
  EXPECT_THAT(message, HasSubstr("languages?"));
}

}  // namespace
}  // namespace heed::inspect
