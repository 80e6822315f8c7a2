// Translations with a given beginning.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "decode/toy_model.h"

namespace heed::decode {
namespace {

using toy::config_of;
using toy::FixedModel;
using toy::make_source;
using toy::search_one;
using toy::ToyModel;

TEST(Prefix, APrefixIsWorkedByHandAndCountsInTheLogProbability) {
  // The same model with a prefix of b b: .1 * .1, then eos .4, or a .5 and eos .4.
  FixedModel model({0, 0, 0, 0.4F, 0.5F, 0.1F});
  SearchOptions options{.config = config_of(2, LengthPenalty::none), .prefixes = {{5, 5}}};
  options.config.n_best = 2;
  options.config.no_repeat_ngram = 1;  // what is given may repeat, and what is found may not
  const auto found = search_one(model, {4}, options);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].ids, std::vector<int32_t>({5, 5}));
  EXPECT_NEAR(found[0].log_probability, std::log(0.01 * 0.4), 1e-5);
  EXPECT_EQ(found[1].ids, std::vector<int32_t>({5, 5, 4}));
  EXPECT_NEAR(found[1].log_probability, std::log(0.01 * 0.5 * 0.4), 1e-5);
}

TEST(Prefix, PrefixesOfSomeSentencesChangeNoOtherOnes) {
  const std::vector<std::vector<int64_t>> sentences{{4, 5, 6}, {1}, {6, 6, 5, 4, 4, 1, 5}};
  ToyModel model;
  for (const int64_t beam : {1, 3}) {
    SearchOptions options{.config = config_of(beam)};
    const auto free = search({&model}, {make_source(sentences)}, options);
    options.prefixes = {{}, {6, 4, 1, 5}, {}};
    const auto found = search({&model}, {make_source(sentences)}, options);
    EXPECT_EQ(found[0][0].ids, free[0][0].ids);
    EXPECT_EQ(found[2][0].ids, free[2][0].ids);
    const auto& ids = found[1][0].ids;
    ASSERT_GE(ids.size(), 4U);
    EXPECT_EQ(std::vector<int32_t>(ids.begin(), ids.begin() + 4),
              std::vector<int32_t>({6, 4, 1, 5}));
    // The best translation of a sentence, forced as far as one likes, is found again.
    for (std::size_t length = 0; length <= free[0][0].ids.size(); ++length) {
      const auto& best = free[0][0].ids;
      SearchOptions forced{.config = config_of(1),
                           .prefixes = {{best.begin(), best.begin() + std::ssize(best)}}};
      forced.prefixes[0].resize(length);
      if (beam == 1) {
        EXPECT_EQ(search_one(model, sentences[0], forced)[0].ids, best);
      }
    }
  }
}

TEST(Prefix, APrefixTakesNothingOffTheLengthLimit) {
  FixedModel model({0, 0, 0, 1e-6F, 0.7F, 0.3F});
  SearchOptions options{.config = config_of(2), .prefixes = {{5, 5, 5}}};
  options.config.max_length_ratio = 1.5;
  const auto found = search_one(model, {4, 5, 6}, options);
  std::vector<int32_t> wanted(3 + 15, 4);  // ceil(4.5) + 10 after the prefix
  std::fill_n(wanted.begin(), 3, 5);
  EXPECT_EQ(found.at(0).ids, wanted);
  EXPECT_TRUE(found[0].cut);
}

TEST(Prefix, DrawsBeginWithThePrefix) {
  ToyModel model;
  SearchOptions options{.config = config_of(5), .prefixes = {{6, 5}}};
  options.config.n_best = 4;
  options.config.sampling.top_k = 3;
  const auto found = search_one(model, {4, 5, 6}, options);
  ASSERT_EQ(found.size(), 4U);
  for (const auto& one : found) {
    ASSERT_GE(one.ids.size(), 2U);
    EXPECT_EQ(one.ids[0], 6);
    EXPECT_EQ(one.ids[1], 5);
  }
}

}  // namespace
}  // namespace heed::decode
