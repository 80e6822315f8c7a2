#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.h"
#include "decode/model_steps.h"
#include "decode/toy_model.h"
#include "model/model.h"

namespace heed::decode {
namespace {

using toy::config_of;
using toy::FixedModel;
using toy::make_source;
using toy::search_one;
using toy::ToyModel;

double penalised(double log_probability, int64_t length, LengthPenalty penalty, double alpha) {
  const auto n = static_cast<double>(length);
  if (penalty == LengthPenalty::none) return log_probability;
  if (penalty == LengthPenalty::average) return log_probability / n;
  if (penalty == LengthPenalty::power) return log_probability / std::pow(n, alpha);
  return log_probability / std::pow((5 + n) / 6, alpha);
}

class EveryPenalty : public testing::TestWithParam<LengthPenalty> {};

TEST_P(EveryPenalty, ABeamAsLargeAsTheSpaceFindsTheBestSequencesInOrder) {
  ToyModel model(/*longest=*/4);
  for (const std::vector<int64_t>& sentence :
       {std::vector<int64_t>{4}, {5, 6, 1}, {6, 6, 4, 5, 1}}) {
    std::vector<toy::Sequence> all;
    const auto source = make_source({sentence});
    toy::enumerate(model, source, 4, {}, all);
    ASSERT_EQ(all.size(), 1 + 4 + 16 + 64U);
    auto better = [&](const toy::Sequence& a, const toy::Sequence& b) {
      const auto score = [&](const toy::Sequence& s) {
        const auto length = static_cast<int64_t>(s.ids.size()) + 1;
        return penalised(s.log_probability, length, GetParam(), 0.7);
      };
      return score(a) > score(b);
    };
    std::sort(all.begin(), all.end(), better);
    SearchOptions options{.config = config_of(1000, GetParam())};
    options.config.alpha = 0.7;
    options.config.n_best = 3;
    const auto found = search_one(model, sentence, options);
    ASSERT_EQ(found.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(found[i].ids, all[i].ids);
      EXPECT_NEAR(found[i].log_probability, all[i].log_probability, 1e-4);
      const auto length = static_cast<int64_t>(all[i].ids.size()) + 1;
      EXPECT_NEAR(found[i].score, penalised(all[i].log_probability, length, GetParam(), 0.7), 1e-4);
      EXPECT_FALSE(found[i].cut);
    }
  }
}

TEST_P(EveryPenalty, ASentenceIsTranslatedTheSameAloneAndAmongOthers) {
  const std::vector<std::vector<int64_t>> sentences{
      {4, 5, 6}, {1}, {6, 6, 5, 4, 4, 1, 5}, {5, 5}, {4, 1, 4, 1, 6}};
  ToyModel model;
  for (const int64_t beam : {1, 3, 7}) {
    SearchOptions options{.config = config_of(beam, GetParam()), .keep_attention = true};
    options.config.n_best = std::min<int64_t>(beam, 2);
    const auto together = search({&model}, {make_source(sentences)}, options);
    for (std::size_t i = 0; i < sentences.size(); ++i) {
      const auto alone = search_one(model, sentences[i], options);
      ASSERT_EQ(alone.size(), together[i].size());
      for (std::size_t n = 0; n < alone.size(); ++n) {
        EXPECT_EQ(alone[n].ids, together[i][n].ids);
        EXPECT_NEAR(alone[n].score, together[i][n].score, 1e-5);
        ASSERT_EQ(alone[n].attention.size(), together[i][n].attention.size());
        EXPECT_EQ(together[i][n].attention[0].size(), sentences[i].size() + 1);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Penalties, EveryPenalty,
                         testing::Values(LengthPenalty::none, LengthPenalty::average,
                                         LengthPenalty::power, LengthPenalty::gnmt),
                         [](const auto& info) { return config::name_of(info.param); });

TEST(Search, ABeamOfOneIsGreedy) {
  ToyModel model;
  for (const std::vector<int64_t>& sentence : {std::vector<int64_t>{4, 5, 6}, {1}, {5, 5, 6, 4}}) {
    const auto found = search_one(model, sentence, {.config = config_of(1)});
    std::vector<int32_t> greedy;
    const auto source = make_source({sentence});
    const auto limit = length_limit(config_of(1), static_cast<int64_t>(sentence.size()), 1000);
    double sum = 0;
    bool ended = false;
    while (!ended && static_cast<int64_t>(greedy.size()) < limit) {
      auto next = toy::next_log_probabilities(model, source, greedy);
      next[text::kPad] = next[text::kBegin] = -INFINITY;
      const auto best = std::max_element(next.begin(), next.end());
      sum += *best;
      ended = best - next.begin() == text::kEnd;
      if (!ended) greedy.push_back(static_cast<int32_t>(best - next.begin()));
    }
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].ids, greedy);
    EXPECT_EQ(found[0].cut, !ended);
    EXPECT_NEAR(found[0].log_probability, sum, 1e-4);
  }
}

TEST(Search, AHandWorkedBeamOfTwo) {
  // pad 0, unk 0, bos 0, eos .4, a .5, b .1. Without a penalty: eos .4, then a-eos .2, a-a-eos .1,
  // b-eos .04.
  FixedModel model({0, 0, 0, 0.4F, 0.5F, 0.1F});
  SearchOptions options{.config = config_of(2, LengthPenalty::none)};
  options.config.n_best = 2;
  const auto found = search_one(model, {4}, options);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_TRUE(found[0].ids.empty());
  EXPECT_NEAR(found[0].score, std::log(0.4), 1e-6);
  EXPECT_EQ(found[1].ids, std::vector<int32_t>({4}));
  EXPECT_NEAR(found[1].score, std::log(0.2), 1e-6);
  ASSERT_EQ(found[1].token_log_probabilities.size(), 2U);
  EXPECT_NEAR(found[1].token_log_probabilities[0], std::log(0.5), 1e-6);
  EXPECT_NEAR(found[1].token_log_probabilities[1], std::log(0.4), 1e-6);
  EXPECT_EQ(model.batches.at(1), std::vector<int64_t>({1, 2}));  // eos takes no slot of the beam
  // After a a (.25) and a b or b a (.05) no live hypothesis can beat .2 once it has met another .5:
  // three steps.
  EXPECT_LE(model.batches.size(), 3U);
}

TEST(Search, AHandWorkedWordPenalty) {
  // As above. Each piece costs log 2 more: eos .2, a-eos .05, b-eos .01.
  FixedModel model({0, 0, 0, 0.4F, 0.5F, 0.1F});
  SearchOptions options{.config = config_of(2, LengthPenalty::none)};
  options.config.n_best = 2;
  options.config.word_penalty = std::log(2.0);
  const auto found = search_one(model, {4}, options);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_TRUE(found[0].ids.empty());
  EXPECT_NEAR(found[0].score, std::log(0.2), 1e-6);
  EXPECT_NEAR(found[0].log_probability, std::log(0.4), 1e-6);
  EXPECT_EQ(found[1].ids, std::vector<int32_t>({4}));
  EXPECT_NEAR(found[1].score, std::log(0.05), 1e-6);
  // After a a (.25) the best is a-a-eos with three pieces, .25 / 8 at most: two steps.
  EXPECT_EQ(model.batches.size(), 2U);
}

TEST(Search, ARewardForWordsIsWorthWaitingForTheLongest) {
  // eos .5, a .5: each a halves the probability, and log 4 for each piece doubles the score.
  FixedModel model({0, 0, 0, 0.5F, 0.5F, 0});
  SearchOptions options{.config = config_of(5, LengthPenalty::none)};
  options.config.word_penalty = -std::log(4.0);
  options.config.max_length_ratio = 1;
  options.config.max_length_extra = 4;
  const auto found = search_one(model, {4}, options);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].ids, std::vector<int32_t>(4, 4));  // and </s>: five steps
  EXPECT_FALSE(found[0].cut);
  EXPECT_NEAR(found[0].score, 5 * std::log(2.0), 1e-5);
}

TEST(Search, OfHypothesesWithOneTextTheBestStaysAndTheNextOnesFillTheList) {
  // eos .3, a .4, b .3. Without a penalty: eos .3, then a-eos .12, b-eos .09, a-a-eos .048.
  FixedModel model({0, 0, 0, 0.3F, 0.4F, 0.3F});
  SearchOptions options{.config = config_of(5, LengthPenalty::none)};
  options.config.n_best = 3;
  const auto ids_of = [&] {
    std::vector<std::vector<int32_t>> ids;
    for (const Hypothesis& one : search_one(model, {4}, options)) ids.push_back(one.ids);
    return ids;
  };
  EXPECT_EQ(ids_of(), (std::vector<std::vector<int32_t>>{{}, {4}, {5}}));
  options.text = [](const std::vector<int32_t>& ids) { return std::string(ids.size(), 'a'); };
  EXPECT_EQ(ids_of(), (std::vector<std::vector<int32_t>>{{}, {4}, {4, 4}}));
}

TEST(Search, AForbiddenPieceIsInNoHypothesisAndTheOthersKeepTheirProbabilities) {
  FixedModel model({0, 0.1F, 0, 0.3F, 0.5F, 0.1F});
  SearchOptions options{.config = config_of(3, LengthPenalty::none)};
  options.never.push_back(4);
  options.config.n_best = 3;
  const auto found = search_one(model, {4}, options);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_TRUE(found[0].ids.empty());
  EXPECT_NEAR(found[0].score, std::log(0.3), 1e-6);
  EXPECT_EQ(found[1].ids, std::vector<int32_t>({1}));
  EXPECT_NEAR(found[1].score, std::log(0.03), 1e-6);
  EXPECT_EQ(found[2].ids, std::vector<int32_t>({5}));
  options.prefixes = {{4}};  // what is given may have it
  EXPECT_EQ(search_one(model, {4}, options)[0].ids, std::vector<int32_t>({4}));
}

TEST(Search, AnEndBehindTheBeamsFirstFinishesNothing) {
  // eos .5, a .4, b .1. Behind a (.4) and b (.1): a-eos .2, a-a .16, and third of two b-eos .05;
  // the beam is filled by a-b .04. Then a-a-eos .08.
  FixedModel model({0, 0, 0, 0.5F, 0.4F, 0.1F});
  SearchOptions options{.config = config_of(2)};
  options.config.n_best = 2;
  options.config.min_length = 1;
  const auto found = search_one(model, {4}, options);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].ids, std::vector<int32_t>({4}));
  EXPECT_NEAR(found[0].score, std::log(0.2) / 2, 1e-5);
  EXPECT_EQ(found[1].ids, std::vector<int32_t>({4, 4}));
  EXPECT_NEAR(found[1].score, std::log(0.08) / 3, 1e-5);
  const std::vector<std::vector<int64_t>> widths{{1, 1}, {1, 2}, {1, 2}};
  EXPECT_EQ(model.batches, widths);
}

TEST(Search, EqualScoresGoToTheLowerPieceAndAreTheSameEveryTime) {
  FixedModel model({0, 0.2F, 0, 0.2F, 0.2F, 0.2F, 0.2F});
  SearchOptions options{.config = config_of(20, LengthPenalty::none)};
  options.config.min_length = 1;
  options.config.n_best = 3;
  const auto found = search_one(model, {4, 5}, options);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].ids, std::vector<int32_t>({1}));  // unk is the lowest that may be emitted
  EXPECT_EQ(found[1].ids, std::vector<int32_t>({4}));
  EXPECT_EQ(found[2].ids, std::vector<int32_t>({5}));
}

TEST(Search, NBestIsSortedAndDistinct) {
  ToyModel model;
  SearchOptions options{.config = config_of(7)};
  options.config.n_best = 7;
  for (const auto& found :
       search({&model}, {make_source({{4, 5, 6}, {6}, {1, 1, 5, 5, 4}})}, options)) {
    ASSERT_EQ(found.size(), 7U);
    std::set<std::vector<int32_t>> distinct;
    for (std::size_t i = 0; i < found.size(); ++i) {
      distinct.insert(found[i].ids);
      if (i > 0 && found[i].cut == found[i - 1].cut) {
        EXPECT_LE(found[i].score, found[i - 1].score);
      }
      EXPECT_EQ(found[i].token_log_probabilities.size(), found[i].ids.size() + !found[i].cut);
    }
    EXPECT_EQ(distinct.size(), 7U);
  }
}

TEST(Search, NeverEmitsPaddingOrBegin) {
  FixedModel model({0.3F, 0.05F, 0.3F, 0.05F, 0.2F, 0.1F});
  for (const auto& hypothesis : search_one(model, {4, 4}, {.config = config_of(3)}))
    for (const int32_t id : hypothesis.ids) EXPECT_TRUE(id == text::kUnknown || id > text::kEnd);
}

TEST(Search, MinimumLengthHoldsEosBack) {
  FixedModel model({0, 0, 0, 0.9F, 0.06F, 0.04F});
  for (const int64_t least : {0, 1, 5, 50}) {
    SearchOptions options{.config = config_of(3)};
    options.config.min_length = least;
    const auto found = search_one(model, {4, 4, 4}, options);
    EXPECT_EQ(static_cast<int64_t>(found[0].ids.size()), least);
    EXPECT_NEAR(found[0].log_probability,
                static_cast<double>(least) * std::log(0.06) + std::log(0.9), 1e-4);
  }
}

TEST(Search, NoNgramOccursTwiceWhereForbidden) {
  FixedModel model({0, 0.05F, 0, 0.01F, 0.6F, 0.34F});
  for (const int64_t n : {1, 2, 3}) {
    SearchOptions options{.config = config_of(3)};
    options.config.no_repeat_ngram = n;
    options.config.n_best = 3;
    options.config.min_length = 3;
    for (const auto& hypothesis : search_one(model, {4, 5, 4, 5, 4}, options)) {
      std::set<std::vector<int32_t>> seen;
      const auto& ids = hypothesis.ids;
      for (auto at = ids.begin(); ids.end() - at >= n; ++at)
        EXPECT_TRUE(seen.emplace(at, at + n).second) << "n = " << n;
    }
  }
}

TEST(Search, WhereNothingMayFollowWhatIsThereIsCut) {
  // Three pieces may be emitted once each and eos only after ten.
  FixedModel model({0, 0.2F, 0, 0.2F, 0.3F, 0.3F});
  SearchOptions options{.config = config_of(2)};
  options.config.no_repeat_ngram = 1;
  options.config.min_length = 10;
  const auto found = search_one(model, {4, 5}, options);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].ids.size(), 3U);
  EXPECT_TRUE(found[0].cut);
}

TEST(Search, TheLengthLimitCutsAndSaysSo) {
  FixedModel model({0, 0, 0, 1e-6F, 0.7F, 0.3F});
  SearchOptions options{.config = config_of(2)};
  options.config.max_length_ratio = 1.5;
  options.config.n_best = 2;
  const auto found = search_one(model, {4, 5, 6}, options);
  EXPECT_EQ(length_limit(options.config, 3, 1000), 15);  // ceil(4.5) + 10
  EXPECT_EQ(length_limit(options.config, 3, 12), 12);
  options.config.max_length_extra = 0;
  EXPECT_EQ(length_limit(options.config, 3, 1000), 5);
  EXPECT_EQ(length_limit(options.config, 0, 1000), 1);
  options.config.max_length_extra = 1.5;  // Marian's rule: 1.5 for </s>, too, rounded up once
  EXPECT_EQ(length_limit(options.config, 3, 1000), 6);
  EXPECT_EQ(length_limit(options.config, 4, 1000), 8);  // ceil(7.5)
  options.config.max_length_extra = 10;
  options.config.min_length = 20;  // and the end after them
  EXPECT_EQ(length_limit(options.config, 3, 1000), 21);
  EXPECT_EQ(length_limit(options.config, 3, 12), 12);
  options.config.min_length = 0;
  ASSERT_EQ(found.size(), 2U);
  EXPECT_TRUE(found[0].cut);
  EXPECT_EQ(found[0].ids, std::vector<int32_t>(15, 4));
  EXPECT_NEAR(found[0].score, std::log(0.7), 1e-5);  // average
}

TEST(Search, FinishedSentencesLeaveTheBatch) {
  ToyModel model;
  const auto found =
      search({&model}, {make_source({{4, 5, 6}, {1}, {6, 6, 5, 4, 4, 1, 5}, {5, 5}})},
             {.config = config_of(3)});
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(model.batches.front(), std::vector<int64_t>({4, 1}));
  EXPECT_EQ(model.batches.at(1), std::vector<int64_t>({4, 3}));
  EXPECT_LT(model.batches.back()[0], 4);
  for (std::size_t i = 1; i < model.batches.size(); ++i)
    EXPECT_LE(model.batches[i][0], model.batches[i - 1][0]);
}

TEST(Search, AttentionRowsFollowTheWinningHypothesis) {
  ToyModel model;
  SearchOptions options{.config = config_of(5), .keep_attention = true};
  options.config.n_best = 3;
  const auto source = make_source({{5, 4, 6}});
  const auto found = search({&model}, {source}, options);
  for (const auto& hypothesis : found.at(0)) {
    ASSERT_EQ(hypothesis.attention.size(), hypothesis.token_log_probabilities.size());
    std::vector<int64_t> input{text::kBegin};
    input.insert(input.end(), hypothesis.ids.begin(), hypothesis.ids.end());
    model::Trace trace;
    model.features(source, at::tensor(input).unsqueeze(0), &trace);
    const at::Tensor forced = trace.maps.at(0).weights[0][0];  // [target, source]
    for (std::size_t t = 0; t < hypothesis.attention.size(); ++t)
      for (int64_t i = 0; i < 4; ++i)
        EXPECT_NEAR(hypothesis.attention[t][i], forced[t][i].item<float>(), 1e-5);
  }
}

TEST(Search, CoverageIsThatOfWuEquationFourteen) {
  ToyModel model;
  SearchOptions options{.config = config_of(5), .keep_attention = true};
  options.config.coverage_penalty = 0.4;
  for (const auto& hypothesis : search_one(model, {5, 4, 6}, options)) {
    double coverage = 0;
    for (int64_t i = 0; i < 3; ++i) {  // the source's eos is no word to be covered
      double sum = 0;
      for (const auto& row : hypothesis.attention) sum += row[i];
      coverage += std::log(std::min(sum, 1.0));
    }
    const auto length = static_cast<double>(hypothesis.token_log_probabilities.size());
    EXPECT_NEAR(hypothesis.score, hypothesis.log_probability / length + 0.4 * coverage, 1e-5);
  }
  options.keep_attention = false;
  EXPECT_TRUE(search_one(model, {5, 4, 6}, options)[0].attention.empty());
}

TEST(Search, AnEnsembleAveragesProbabilities) {
  FixedModel a({0, 0, 0, 0.4F, 0.5F, 0.1F}), b({0, 0, 0, 0.6F, 0.1F, 0.3F});
  SearchOptions options{.config = config_of(3, LengthPenalty::none)};
  options.config.n_best = 3;
  const auto source = make_source({{4, 5}});
  const auto found = search({&a, &b}, {source, source}, options).at(0);
  EXPECT_NEAR(found[0].score, std::log(0.5), 1e-6);
  EXPECT_EQ(found[1].ids, std::vector<int32_t>({4}));
  EXPECT_NEAR(found[1].score, std::log(0.3 * 0.5), 1e-6);
  EXPECT_EQ(found[2].ids, std::vector<int32_t>({5}));
  EXPECT_NEAR(found[2].score, std::log(0.2 * 0.5), 1e-6);
}

TEST(Search, RestoresTheModeOfTheModel) {
  ToyModel training, evaluating;
  training.train();
  evaluating.eval();
  const auto source = make_source({{4}});
  search({&training, &evaluating}, {source, source}, {.config = config_of(2)});
  EXPECT_TRUE(training.is_training());
  EXPECT_FALSE(evaluating.is_training());
}

TEST(Search, ScoresThatAreNotNumbersAreAFailure) {
  FixedModel model({0, 0.5F, 0, NAN, 0.25F, 0.25F});
  EXPECT_THROW(search_one(model, {4}, {.config = config_of(2)}), Failure);
}

TEST(Search, SamplesDoNotDependOnNeighboursAndDoOnTheSeed) {
  ToyModel model;
  SearchOptions options{.config = config_of(5)};
  options.config.sampling.top_p = 0.95;
  options.config.n_best = 3;
  options.sampling_streams = {17, 4, 99};
  const std::vector<std::vector<int64_t>> sentences{{4, 5, 6}, {6, 6, 5, 4, 4}, {5}};
  const auto together = search({&model}, {make_source(sentences)}, options);
  EXPECT_EQ(together[1].size(), 3U);
  SearchOptions alone = options;
  alone.sampling_streams = {4};
  const auto single = search_one(model, sentences[1], alone);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(single[i].ids, together[1][i].ids);
  alone.config.sampling.seed = 2;
  bool differs = false;
  const auto other = search_one(model, sentences[1], alone);
  for (std::size_t i = 0; i < 3; ++i) differs |= other[i].ids != single[i].ids;
  EXPECT_TRUE(differs);
}

TEST(Search, DrawsOfASentenceDifferAndSoDoThoseOfEqualSentences) {
  ToyModel model;
  SearchOptions options{.config = config_of(5), .sampling_streams = {17, 4}};
  options.config.sampling.top_p = 0.95;
  options.config.n_best = 9;
  const auto found = search({&model}, {make_source({{4, 5, 6}, {4, 5, 6}})}, options);
  std::set<std::vector<int32_t>> drawn[2];
  for (const std::size_t sentence : {0U, 1U})
    for (const auto& one : found.at(sentence)) drawn[sentence].insert(one.ids);
  EXPECT_GT(drawn[0].size(), 1U);
  EXPECT_NE(drawn[0], drawn[1]);
}

TEST(Search, SamplingAmongOneIsGreedy) {
  ToyModel model;
  SearchOptions sampled{.config = config_of(5)};
  sampled.config.sampling.top_k = 1;
  EXPECT_EQ(search_one(model, {4, 5, 1}, sampled)[0].ids,
            search_one(model, {4, 5, 1}, {.config = config_of(1)})[0].ids);
}

}  // namespace
}  // namespace heed::decode
