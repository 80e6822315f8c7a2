// Stages: shares, ends, order and places to go on from.
#include "data/stages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "data/batches.h"
#include "data/examples.h"
#include "message.h"

namespace heed::data {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Two corpora of 5 and 3 pairs.
std::shared_ptr<const Corpus> five_and_three() {
  return corpus_of({realistic(5, 1), realistic(3, 2)});
}

StagePools pools_of(const Corpus& corpus, const Mixture& mixture, int64_t pool, uint64_t seed = 1) {
  return {corpus, mixture, pool, seed, "data.stages.0"};
}

/// How many pairs of each corpus the pool has.
std::vector<int64_t> counts(const StagePools& stage, int64_t pool) {
  std::vector<int64_t> counts(2);
  for (const int64_t pair : stage.pairs(pool)) ++counts[pair < 5 ? 0 : 1];
  return counts;
}

TEST(StagePools, HaveTheirSharesExactly) {
  const auto corpus = five_and_three();
  const StagePools stage = pools_of(*corpus, {.shares = {0.6, 0.4}}, 5);
  for (const int64_t pool : {0, 1, 2, 7, 1000000})
    EXPECT_THAT(counts(stage, pool), ElementsAre(3, 2));
  // A third of 4, 8 and 12 pairs is 1.33, 2.67 and 4.
  const StagePools thirds = pools_of(*corpus, {.shares = {1 / 3., 2 / 3.}}, 4);
  EXPECT_THAT(counts(thirds, 0), ElementsAre(1, 3));
  EXPECT_THAT(counts(thirds, 1), ElementsAre(2, 2));
  EXPECT_THAT(counts(thirds, 2), ElementsAre(1, 3));
}

TEST(StagePools, ReadACorpusInPassesOfEachPairOnce) {
  const auto corpus = five_and_three();
  const StagePools stage = pools_of(*corpus, {.shares = {0.5, 0.5}}, 2);
  std::vector<int64_t> of_first, of_second;
  for (int64_t pool = 0; pool < 15; ++pool)
    for (const int64_t pair : stage.pairs(pool)) (pair < 5 ? of_first : of_second).push_back(pair);
  ASSERT_EQ(of_first.size(), 15U);
  std::set<std::vector<int64_t>> passes;
  for (auto pass = of_first.begin(); pass != of_first.end(); pass += 5) {
    EXPECT_EQ(std::set<int64_t>(pass, pass + 5).size(), 5U);
    passes.emplace(pass, pass + 5);
  }
  EXPECT_GT(passes.size(), 1U);
  for (auto pass = of_second.begin(); pass != of_second.end(); pass += 3)
    EXPECT_EQ(std::set<int64_t>(pass, pass + 3), (std::set<int64_t>{5, 6, 7}));
}

TEST(StagePools, PassesAreOrdersOfAnySizeThatTheSeedDecides) {
  for (const int64_t size : {1, 2, 3, 5, 7, 64, 1001}) {
    const auto corpus = corpus_of({realistic(size, 1)});
    const auto order = pools_of(*corpus, {.shares = {1}}, size).pairs(0);
    const std::set<int64_t> pairs(order.begin(), order.end());
    EXPECT_EQ(std::ssize(pairs), size);
    EXPECT_EQ(*pairs.rbegin(), size - 1);
  }
  const auto three = corpus_of({realistic(3, 1)});
  std::map<std::vector<int64_t>, int> orders;
  for (uint64_t seed = 0; seed < 600; ++seed)
    ++orders[pools_of(*three, {.shares = {1}}, 3, seed).pairs(0)];
  EXPECT_EQ(orders.size(), 6U);
  for (const auto& [order, count] : orders) EXPECT_NEAR(count, 100, 50);
}

TEST(StagePools, EndWithTheLastPairOfTheEpochsThatAreCounted) {
  const auto corpus = five_and_three();
  // Two epochs of 3 pairs, a share of 0.4: 15 pairs. A short last pool is part of the one before.
  const Mixture twice{.shares = {0.6, 0.4}, .counted = 1, .epochs = 2};
  const StagePools fives = pools_of(*corpus, twice, 5), sevens = pools_of(*corpus, twice, 7);
  EXPECT_EQ(fives.count(), 3);
  ASSERT_EQ(sevens.count(), 2);
  EXPECT_THAT(counts(sevens, 0), ElementsAre(4, 3));  // 4.2 and 2.8
  EXPECT_THAT(counts(sevens, 1), ElementsAre(5, 3));  // 9 and 6 in all
  const StagePools half =
      pools_of(*corpus, {.shares = {0.6, 0.4}, .counted = 0, .epochs = 0.5}, 99);
  ASSERT_EQ(half.count(), 1);
  EXPECT_THAT(counts(half, 0), ElementsAre(3, 2));  // 2.5, rounded, of 5 pairs
  const StagePools least = pools_of(*corpus, {.shares = {0, 1}, .counted = 1, .epochs = 0.1}, 5);
  EXPECT_THAT(counts(least, 0), ElementsAre(0, 1));
}

TEST(StagePools, RefuseACorpusWithoutPairs) {
  const auto empty = corpus_of({realistic(5, 1), {}});
  EXPECT_EQ(message_of<UserError>([&] {
              pools_of(*empty, {.shares = {0.5, 0.5}}, 5);
            }),
            "data.stages.0.corpora: no pair of data.train.1 is left to read; leave it out");
}

/// 15 batches of both corpora, 4 of the first, and one epoch of the second.
BatchOptions three_stages() {
  return {.batch_size = 1,
          .tokens = false,
          .pool = 5,
          .seed = 3,
          .stages = {{.shares = {0.6, 0.4}, .counted = 1, .epochs = 2},
                     {.shares = {1, 0}, .batches = 4},
                     {.shares = {0, 1}, .counted = 1, .epochs = 1}}};
}

std::vector<StreamedBatch> rest_of(BatchStream stream) {
  std::vector<StreamedBatch> steps;
  while (auto step = stream.next()) steps.push_back(std::move(*step));
  return steps;
}

TEST(Stages, FollowEachOther) {
  std::string read;  // the stage and the corpus of each pair
  for (const StreamedBatch& step : rest_of(BatchStream(five_and_three(), three_stages())))
    read += std::to_string(step.epoch) + (step.batch.origins[0].index < 5 ? "a " : "b ");
  std::string sorted;
  for (std::size_t pool = 0; pool < 15; pool += 5) {
    const std::string five = read.substr(3 * pool, 15);
    EXPECT_EQ(std::ranges::count(five, 'a'), 3) << five;
    EXPECT_EQ(std::ranges::count(five, '0'), 5) << five;
  }
  EXPECT_EQ(read.substr(45), "1a 1a 1a 1a 2b 2b 2b ");
}

TEST(Stages, GoOnFromEveryPlaceAsTheyWould) {
  const auto corpus = five_and_three();
  const auto steps = rest_of(BatchStream(corpus, three_stages()));
  ASSERT_EQ(steps.size(), 22U);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    BatchStream resumed(corpus, three_stages());
    resumed.seek(Position::from_json(steps[i].after.to_json()));
    const auto rest = rest_of(std::move(resumed));
    ASSERT_EQ(rest.size(), steps.size() - i - 1);
    for (std::size_t j = 0; j < rest.size(); ++j) {
      EXPECT_EQ(rest[j].batch.source, steps[i + 1 + j].batch.source);
      EXPECT_EQ(rest[j].batch.target_output, steps[i + 1 + j].batch.target_output);
      EXPECT_EQ(rest[j].after, steps[i + 1 + j].after);
    }
  }
}

TEST(Stages, AreAnotherOrderWithAnotherSeedOrOtherShares) {
  const auto corpus = corpus_of({realistic(50, 1), realistic(30, 2)});
  const auto stream = [&](uint64_t seed, double share) {
    return BatchStream(
        corpus, {.batch_size = 200, .seed = seed, .stages = {{.shares = {share, 1 - share}}}});
  };
  BatchStream one = stream(1, 0.5), other = stream(2, 0.5);
  EXPECT_NE(one.next()->batch.target_output, other.next()->batch.target_output);
  EXPECT_THAT(message_of<UserError>([&] { stream(1, 0.25).seek(one.position()); }),
              HasSubstr("the saved place in the training data is of other data"));
}

class StageConfig : public testing::Test {
 protected:
  StageConfig() {
    config.train = {{.name = "a", .source = "a.tsv"}, {.name = "b", .source = "b.tsv"}};
    config.stages = {
        {.corpora = {"a", "b"}, .shares = {3, 2}, .until = {.corpus = "b", .epochs = 2}},
        {.corpora = {"a"}, .until = {.updates = 5}},
        {.corpora = {"b"}}};
  }
  std::string wrong() const {
    return message_of<config::ConfigError>([&] { check(config); });
  }
  DataConfig config;
};

TEST_F(StageConfig, BecomesMixtures) {
  EXPECT_EQ(wrong(), "(nothing thrown)");
  const auto mixtures = mixtures_of(config, /*batches_per_update=*/4);
  ASSERT_EQ(mixtures.size(), 3U);
  EXPECT_THAT(mixtures[0].shares, ElementsAre(0.6, 0.4));
  EXPECT_EQ(mixtures[0].counted, 1U);
  EXPECT_EQ(mixtures[0].epochs, 2);
  EXPECT_THAT(mixtures[1].shares, ElementsAre(1, 0));
  EXPECT_EQ(mixtures[1].batches, 20);
  EXPECT_THAT(mixtures[2].shares, ElementsAre(0, 1));
  config.stages[1].until = {.epochs = 1};  // of the only one
  EXPECT_EQ(mixtures_of(config, 1)[1].counted, 0U);
}

TEST_F(StageConfig, MistakesNameTheKeyAndTheCure) {
  const DataConfig good = config;
  const auto wrong_with = [&](const auto& change) {
    config = good;
    change(config.stages);
    return wrong();
  };
  using List = std::vector<Stage>;
  EXPECT_EQ(wrong_with([](List& s) { s[0].corpora = {}; }),
            "data.stages.0.corpora: names none; name a corpus of data.train");
  EXPECT_EQ(wrong_with([](List& s) { s[1].corpora = {"c"}; }),
            "data.stages.1.corpora: no corpus of data.train has the name 'c'; allowed: a, b");
  EXPECT_EQ(wrong_with([](List& s) {
              s[0].corpora = {"a", "a"};
            }),
            "data.stages.0.corpora: 'a' is there twice; add its shares up");
  EXPECT_EQ(wrong_with([](List& s) { s[0].shares = {1}; }),
            "data.stages.0.shares: 1 of them for 2 corpora; give one for each, as in [0.6, 0.4]");
  EXPECT_EQ(wrong_with([](List& s) { s[1].until = {}; }),
            "data.stages.1.until: only the last stage may have no end; set updates, or epochs of a "
            "corpus");
  EXPECT_EQ(wrong_with([](List& s) { s[0].until.updates = 3; }),
            "data.stages.0.until: epochs and updates are two ends; leave one out");
  EXPECT_EQ(wrong_with([](List& s) { s[1].until = {.corpus = "b", .epochs = 1}; }),
            "data.stages.1.until.corpus: the stage does not read 'b'; name one of its corpora");
  EXPECT_EQ(wrong_with([](List& s) { s[1].until.corpus = "a"; }),
            "data.stages.1.until.epochs: of a corpus; set how many, as in 2");
  EXPECT_EQ(wrong_with([](List& s) {
              s.erase(s.begin(), s.begin() + 1);
              s.pop_back();
            }),
            "data.train.1: no stage of data.stages reads it; leave it out, or give it a name and a "
            "share");
  config = good;
  config.train[1].weight = 2;
  EXPECT_EQ(wrong(), "data.train.1.weight: data.stages say how often it is read; leave it out");
  config.train[1] = {.name = "a", .source = "b.tsv"};
  EXPECT_EQ(wrong(),
            "data.stages.0.corpora: 2 corpora of data.train have the name 'a'; give each "
            "its own");
  config.train = {{.source = "a.tsv"}};
  EXPECT_EQ(wrong(),
            "data.stages.0.corpora: no corpus of data.train has a name; set data.train.0.name");
}

}  // namespace
}  // namespace heed::data
