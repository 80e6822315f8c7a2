// heed init's proposals: by the corpus first, and smaller where the memory is.
#include "run/recipe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/io.h"
#include "run/check.h"
#include "run/config.h"
#include "temporary_folder.h"
#include "text/vocabulary.h"

namespace heed {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr int64_t kMega = 1000000;

/// Ten words a line, and enough different ones for any vocabulary.
data::CorpusShape pairs(int64_t count) {
  data::CorpusShape shape;
  shape.pairs = count;
  shape.source_words = shape.target_words = 10 * count;
  shape.longest = 31;
  shape.source_types = shape.target_types = 70000;
  shape.characters = 67;
  return shape;
}

run::Config read_back(const run::Recipe& recipe) {
  run::Config config;
  config::load_text(config, run::sections_of(recipe).text(), "recipe");
  return config;
}

int64_t width(const run::Recipe& recipe) {
  return read_back(recipe).model.width;
}

TEST(Recipe, FewPairsGetARecurrentModelAndMoreALargerTransformer) {
  const run::Config few = read_back(run::recipe_for(pairs(4999), {}));
  EXPECT_EQ(few.model.type, model::ModelType::rnn);
  EXPECT_EQ(few.model.attention, "luong_general");
  EXPECT_DOUBLE_EQ(few.model.dropout, 0.3);
  const run::Config enough = read_back(run::recipe_for(pairs(5000), {}));
  EXPECT_EQ(enough.model.type, model::ModelType::transformer);
  EXPECT_EQ(enough.model.width, 192);
  EXPECT_EQ(width(run::recipe_for(pairs(20000), {})), 256);
  EXPECT_EQ(width(run::recipe_for(pairs(300000), {})), 256);
  const run::Config gpu = read_back(run::recipe_for(pairs(300000), {.gpu = true}));
  EXPECT_EQ(gpu.model.width, 512);
  EXPECT_EQ(gpu.training.batch_size, 8192);
  EXPECT_DOUBLE_EQ(gpu.training.learning_rate, 0.0007);
}

TEST(Recipe, TheVocabularyIsNoLargerThanTheTextFills) {
  EXPECT_EQ(run::recipe_for(pairs(4999), {}).vocabulary, 1000);
  EXPECT_EQ(run::recipe_for(pairs(5000), {}).vocabulary, 8000);
  EXPECT_EQ(run::recipe_for(pairs(300000), {}).vocabulary, 16000);
  data::CorpusShape poor = pairs(300000);
  poor.source_types = 1711;
  poor.target_types = 913;
  EXPECT_EQ(run::recipe_for(poor, {}).vocabulary, 1300);  // 1,312 by fifties
  poor.characters = 777;
  EXPECT_EQ(run::recipe_for(poor, {}).vocabulary, 1554);
}

TEST(Recipe, TheUpdatesMakeTheEpochs) {
  const run::Recipe recipe = run::recipe_for(pairs(60000), {});
  EXPECT_EQ(recipe.epochs, 10);
  EXPECT_EQ(recipe.updates, 7900);  // 600,000 words x 1.35 x 10 / 1,024 = 7,910
  EXPECT_EQ(recipe.warmup, 400);
  EXPECT_EQ(run::recipe_for(pairs(100), {}).updates, 1000);
  EXPECT_EQ(run::recipe_for(pairs(100), {}).warmup, 100);
}

TEST(Recipe, LinesWithoutBlanksAreCountedByTheirLetters) {
  data::CorpusShape chinese = pairs(60000);
  chinese.target_words = 60000;  // each line is one
  chinese.target_letters = 1000000;
  chinese.target_script = text::Script::han_and_kana;
  const run::Recipe recipe = run::recipe_for(chinese, {});
  EXPECT_EQ(recipe.epochs, 10);
  EXPECT_EQ(recipe.updates, 6800);  // 1,000,000 letters x 0.7 x 10 / 1,024 = 6,836
  data::CorpusShape english = pairs(60000);
  english.target_letters = 3000000;
  english.source_script = text::Script::han_and_kana;
  english.target_script = text::Script::latin;
  EXPECT_EQ(run::recipe_for(english, {}).updates, 7900);
}

TEST(Recipe, TheEpochsFollowFromTheWordsThatAVocabularyHasNoPieceFor) {
  data::CorpusShape shape = pairs(1800);  // a vocabulary of 1,000 pieces
  shape.target_lengths.beyond.fill(5);
  // 18,000 words of 1 + 5 / (3 x (1/8)^0.2) pieces, which is 3.526, and 1,800 ends of lines are
  // 65,271 pieces: 1,000 updates would be 15.7 epochs, and 30 epochs are 1,912 updates.
  const run::Recipe recipe = run::recipe_for(shape, {});
  EXPECT_EQ(recipe.updates, 1900);
  EXPECT_EQ(recipe.epochs, 30);
}

TEST(Recipe, TheCommentHasTheEpochsOfTheUpdates) {
  EXPECT_THAT(run::sections_of(run::recipe_for(pairs(60000), {})).text(),
              HasSubstr("# About 10 epochs.\n"));
  // 1,000 updates are the fewest: 1,024,000 pieces / (1,000 words x 1.35) = 758.5
  EXPECT_THAT(run::sections_of(run::recipe_for(pairs(100), {})).text(),
              HasSubstr("# About 759 epochs.\n"));
}

TEST(Recipe, TheNumberOfCoresChangesNothingWhereAllFits) {
  for (const int64_t count : {300, 5001, 60000, 3000000}) {
    const std::string unknown =
        run::sections_of(run::recipe_for(pairs(count), {.cores = 1})).text();
    for (const int64_t cores : {1, 3, 64})
      EXPECT_EQ(
          run::sections_of(run::recipe_for(pairs(count), {.cores = cores, .memory = 64000 * kMega}))
              .text(),
          unknown);
    EXPECT_THAT(unknown, Not(HasSubstr("that was free")));
    EXPECT_THAT(unknown, Not(HasSubstr("accumulate")));
  }
}

// 7.6 million parameters: 152 MB with gradients, moments and average, and a batch of 121 MB.
TEST(Recipe, LittleMemoryCutsTheBatchesAndLeavesTheUpdate) {
  const run::Recipe ample = run::recipe_for(pairs(60000), {.cores = 1});
  const run::Recipe little = run::recipe_for(pairs(60000), {.cores = 1, .memory = 345 * kMega});
  EXPECT_FALSE(little.is_smaller);
  EXPECT_EQ(little.network.text(), ample.network.text());
  EXPECT_EQ(little.updates, ample.updates);
  const run::Config config = read_back(little);
  EXPECT_EQ(config.training.batch_size, 512);
  EXPECT_EQ(config.training.accumulate, 2);
  EXPECT_THAT(run::sections_of(little).text(), HasSubstr("does not fit the memory that was free"));
}

// Several cores work on several batches at once, and hold gradients of each.
TEST(Recipe, OnManyCoresTheSameMemoryHoldsASmallerModel) {
  const run::Recipe recipe = run::recipe_for(pairs(60000), {.cores = 64, .memory = 345 * kMega});
  EXPECT_TRUE(recipe.is_smaller);
  EXPECT_EQ(width(recipe), 192);
  EXPECT_EQ(recipe.accumulate, 1);
  EXPECT_THAT(run::sections_of(recipe).text(), HasSubstr("# A larger model does not fit"));
}

TEST(Recipe, ASmallGpuGetsAModelThatItHolds) {
  const auto with = [](int64_t memory) {
    return run::recipe_for(pairs(300000), {.gpu = true, .cores = 2, .memory = memory});
  };
  EXPECT_EQ(width(with(16000 * kMega)), 512);
  EXPECT_EQ(with(16000 * kMega).accumulate, 1);
  const run::Recipe less = with(3300 * kMega);
  EXPECT_EQ(width(less), 512);
  EXPECT_GT(less.accumulate, 1);
  EXPECT_EQ(read_back(less).training.batch_size * less.accumulate, 8192);
  const run::Recipe little = with(2000 * kMega);
  EXPECT_EQ(width(little), 256);
  EXPECT_TRUE(little.is_smaller);
  EXPECT_EQ(little.update, 1024);
}

TEST(Recipe, WhatIsProposedFits) {
  for (const bool gpu : {false, true})
    for (const int64_t count : {300, 5001, 60000, 300000, 3000000})
      for (const int64_t cores : {1, 5, 64})
        for (const int64_t megabytes : {gpu ? 1000 : 400, 1500, 3300}) {
          const int64_t memory = megabytes * kMega;
          const run::Recipe recipe =
              run::recipe_for(pairs(count), {.gpu = gpu, .cores = cores, .memory = memory});
          const run::MemoryNeed needed =
              run::memory_of(read_back(recipe), {.source = recipe.vocabulary,
                                                 .target = recipe.vocabulary,
                                                 .cpu = !gpu,
                                                 .threads = cores});
          EXPECT_LE(needed.total(), memory) << count << " pairs, " << cores << " cores";
        }
}

TEST(Recipe, TheSmallestModelIsProposedWhereNothingFits) {
  const run::Recipe recipe = run::recipe_for(pairs(60000), {.cores = 2, .memory = 1000});
  EXPECT_EQ(width(recipe), 192);
  EXPECT_EQ(recipe.accumulate, 1);
}

TEST(Recipe, OfARunHasNeitherItsShortlistNorItsInlineTerms) {
  const TemporaryFolder folder;
  const std::string text = folder.write("text", "abcd abcd ab ab cd\n");
  text::train_vocabulary({.files = {text}, .size = 11, .algorithm = "bpe"})
      .save(folder / "joint.spm");
  run::Config base;
  base.decoding.beam_size = 7;
  base.decoding.shortlist = "old.bin";
  base.decoding.glossary = "terms.tsv";
  const auto decoding = [&] {
    return read_back(run::tuning_recipe(base, folder.path(), pairs(300), {})).decoding;
  };
  EXPECT_EQ(decoding().shortlist, "");
  EXPECT_EQ(decoding().glossary, "terms.tsv");
  EXPECT_EQ(decoding().beam_size, 7);
  base.decoding.glossary_inline = true;
  EXPECT_FALSE(decoding().glossary_inline);
  EXPECT_EQ(decoding().glossary, "");
}

}  // namespace
}  // namespace heed
