#include "data/batches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/error.h"
#include "data/corpus_reader.h"
#include "data/example.h"
#include "data/examples.h"
#include "message.h"
#include "temporary_folder.h"

namespace heed::data {
namespace {

using testing::ElementsAre;

std::vector<StreamedBatch> all(BatchStream stream) {
  std::vector<StreamedBatch> steps;
  while (auto step = stream.next()) steps.push_back(std::move(*step));
  return steps;
}

/// How often each pair is read in an epoch.
std::map<int64_t, int> reads(const std::vector<StreamedBatch>& steps, int64_t epoch) {
  std::map<int64_t, int> counts;
  for (const StreamedBatch& step : steps)
    if (step.epoch == epoch)
      for (const Origin& origin : step.batch.origins) ++counts[origin.index];
  return counts;
}

std::vector<int64_t> indices(const Batch& batch) {
  std::vector<int64_t> out;
  for (const Origin& origin : batch.origins) out.push_back(origin.index);
  return out;
}

std::vector<std::vector<int64_t>> sequence(const std::vector<StreamedBatch>& steps) {
  std::vector<std::vector<int64_t>> out;
  for (const StreamedBatch& step : steps) out.push_back(indices(step.batch));
  return out;
}

TEST(BatchStream, ReadsEverySentenceOnceAnEpoch) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    const auto corpus = corpus_of({realistic(1013, seed)});
    for (const int64_t pool : {1, 7, 100, 100000}) {
      const auto steps =
          all(BatchStream(corpus, {.batch_size = 300, .pool = pool, .seed = seed, .epochs = 3}));
      for (int64_t epoch = 0; epoch < 3; ++epoch) {
        const auto counts = reads(steps, epoch);
        ASSERT_EQ(counts.size(), 1013U);
        for (const auto& [pair, count] : counts) ASSERT_EQ(count, 1) << pair;
      }
    }
  }
}

TEST(BatchStream, KeepsWithinTheBudgetOfTokens) {
  const auto steps =
      all(BatchStream(corpus_of({realistic(2003, 3)}), {.batch_size = 257, .epochs = 1}));
  for (const StreamedBatch& step : steps) {
    EXPECT_LE(step.batch.size * step.batch.target_length, 257);
    EXPECT_LE(step.batch.size * step.batch.source_length, 2 * 257);
  }
}

TEST(BatchStream, CutsBySentencesWhereToldTo) {
  const auto steps = all(
      BatchStream(corpus_of({realistic(23, 3)}), {.batch_size = 5, .tokens = false, .epochs = 1}));
  std::vector<int64_t> sizes;
  for (const StreamedBatch& step : steps) sizes.push_back(step.batch.size);
  std::sort(sizes.begin(), sizes.end());
  EXPECT_THAT(sizes, ElementsAre(3, 5, 5, 5, 5));
}

TEST(BatchStream, ASentenceLongerThanTheBatchMakesItsOwn) {
  std::vector<Example> examples = realistic(9, 1);
  examples[4].target.assign(500, 6);
  const auto steps = all(BatchStream(corpus_of({examples}), {.batch_size = 64, .epochs = 1}));
  EXPECT_EQ(reads(steps, 0).size(), 9U);
  int alone = 0;
  for (const StreamedBatch& step : steps) {
    if (step.batch.target_length <= 64) continue;
    EXPECT_THAT(indices(step.batch), ElementsAre(4));
    ++alone;
  }
  EXPECT_EQ(alone, 1);
}

TEST(BatchStream, OrderIsDecidedBySeedAndEpoch) {
  const auto corpus = corpus_of({realistic(701, 2)});
  const BatchOptions options{.batch_size = 200, .pool = 300, .seed = 4, .epochs = 2};
  BatchOptions other = options;
  other.seed = 5;
  const auto a = sequence(all(BatchStream(corpus, options)));
  EXPECT_EQ(a, sequence(all(BatchStream(corpus, options))));
  EXPECT_NE(a, sequence(all(BatchStream(corpus, other))));
  const auto half = static_cast<std::ptrdiff_t>(a.size() / 2);
  EXPECT_NE(std::vector(a.begin(), a.begin() + half), std::vector(a.begin() + half, a.end()));
}

TEST(BatchStream, GoesOnFromEveryPositionAsItWould) {
  const auto corpus = corpus_of({realistic(211, 2), realistic(90, 3)}, {1, 1.5});
  const BatchOptions options{.batch_size = 150, .pool = 100, .seed = 9, .epochs = 3};
  const auto steps = all(BatchStream(corpus, options));
  ASSERT_GT(steps.size(), 50U);
  for (std::size_t i = 0; i < steps.size(); i += 3) {
    BatchStream resumed(corpus, options);
    resumed.seek(Position::from_json(steps[i].after.to_json()));
    for (std::size_t j = i + 1; j < std::min(i + 5, steps.size()); ++j) {
      const auto step = resumed.next();
      ASSERT_TRUE(step);
      EXPECT_EQ(step->batch.source, steps[j].batch.source);
      EXPECT_EQ(step->batch.target_output, steps[j].batch.target_output);
      EXPECT_EQ(step->after, steps[j].after);
    }
  }
  BatchStream ended(corpus, options);
  ended.seek(steps.back().after);
  EXPECT_FALSE(ended.next());
}

TEST(BatchStream, IsEndlessWithoutALimit) {
  BatchStream stream(corpus_of({realistic(3, 1)}), {.batch_size = 1000});
  for (int64_t i = 0; i < 20; ++i) {
    const auto step = stream.next();
    ASSERT_TRUE(step);
    EXPECT_EQ(step->epoch, i);
    EXPECT_EQ(step->after.epoch, i + 1);
  }
}

TEST(BatchStream, RefusesAPositionOfOtherData) {
  const BatchOptions options{.batch_size = 150};
  BatchStream a(corpus_of({realistic(50, 1)}), options), b(corpus_of({realistic(50, 2)}), options);
  EXPECT_EQ(message_of<UserError>([&] { b.seek(a.position()); }),
            "the saved place in the training data is of other data, another seed or other batch "
            "settings (data, seed, training.batch_size); go on with those it was made with");
  Position nowhere = a.position();
  nowhere.batch = 100000;
  EXPECT_THROW(a.seek(nowhere), UserError);
  EXPECT_TRUE(a.next());
}

TEST(BatchStream, CountsTheBatchesOfAnEpoch) {
  const auto corpus = corpus_of({realistic(500, 8)});
  const BatchOptions options{.batch_size = 200, .pool = 120, .epochs = 1};
  EXPECT_EQ(BatchStream(corpus, options).batches_in_epoch(0),
            static_cast<int64_t>(all(BatchStream(corpus, options)).size()));
}

TEST(BatchStream, WeightsSayHowOftenAPartIsRead) {
  const auto corpus =
      corpus_of({realistic(30, 1), realistic(41, 2), realistic(20, 3)}, {2, 0.5, 1.25});
  const auto steps = all(BatchStream(corpus, {.batch_size = 200, .epochs = 4}));
  std::set<std::vector<int64_t>> halves;
  for (int64_t epoch = 0; epoch < 4; ++epoch) {
    std::vector<int64_t> half;
    int twice = 0;
    for (const auto& [pair, count] : reads(steps, epoch)) {
      if (pair < 30) {
        EXPECT_EQ(count, 2);
      } else if (pair < 71) {
        EXPECT_EQ(count, 1);
        half.push_back(pair);
      } else {
        twice += count == 2;
      }
    }
    EXPECT_EQ(half.size(), 21U);  // 20.5, rounded
    EXPECT_EQ(twice, 5);
    halves.insert(half);
  }
  EXPECT_EQ(halves.size(), 4U);
}

TEST(BatchStream, AWeightThatLeavesNothingOfItsPartIsAUserError) {
  EXPECT_THROW(BatchStream(corpus_of({realistic(3, 1)}, {0.01}), {}), UserError);
  EXPECT_THROW(BatchStream(corpus_of({realistic(7, 1), realistic(3, 2)}, {1, 0.1}), {}), UserError);
  EXPECT_EQ(pairs_in_epoch(3, 0.1), 0);
  EXPECT_EQ(pairs_in_epoch(5, 0.1), 1);
  EXPECT_EQ(pairs_in_epoch(41, 2.5), 103);  // 82 and 20.5, rounded
}

TEST(BatchStream, PadsLittleOnSentencesOfRealLengths) {
  const auto corpus = corpus_of({realistic(29000, 1)});
  int64_t tokens = 0, padded = 0;
  for (const StreamedBatch& step : all(BatchStream(corpus, {.batch_size = 4096, .epochs = 1}))) {
    const Batch& batch = step.batch;
    tokens += batch.source_tokens() + batch.target_tokens();
    padded += batch.size * (batch.source_length + batch.target_length);
  }
  const double padding = 1 - static_cast<double>(tokens) / static_cast<double>(padded);
  EXPECT_LT(padding, 0.06);
  EXPECT_GT(padding, 0);
}

TEST(BatchStream, ShufflesTheBatchesOfAPool) {
  const auto steps =
      all(BatchStream(corpus_of({realistic(3000, 1)}), {.batch_size = 500, .epochs = 1}));
  int longer = 0;
  for (std::size_t i = 1; i < steps.size(); ++i)
    longer += steps[i].batch.target_length > steps[i - 1].batch.target_length;
  EXPECT_GT(longer, static_cast<int>(steps.size()) / 4);
  EXPECT_LT(longer, static_cast<int>(steps.size()) * 3 / 4);
}

TEST(BatchStream, DrawsPiecesAnewInEveryEpochOnAnyNumberOfThreads) {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 40; ++i) text += "abcab abcab abc" + std::string(i % 3, 'a') + "\n";
  CorpusFiles files;
  files.source = files.target = folder.write("text", text);
  const auto vocabulary =
      text::train_vocabulary({.files = {files.source}, .size = 14, .algorithm = "bpe"});
  const auto corpus = std::make_shared<const Corpus>(
      read_corpus({files}, vocabulary, vocabulary, {.keep_text = true}));
  BatchOptions options{.batch_size = 300, .epochs = 2, .sampling = 0.3};
  const auto one = all(BatchStream(corpus, options));
  options.threads = 3;
  const auto three = all(BatchStream(corpus, options));
  ASSERT_EQ(one.size(), three.size());
  std::map<int64_t, std::set<std::vector<int64_t>>> draws;
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].batch.source, three[i].batch.source);
    const Batch& batch = one[i].batch;
    for (int64_t row = 0; row < batch.size; ++row) {
      const auto begin = batch.source.begin() + row * batch.source_length;
      draws[batch.origins[row].index].emplace(begin, begin + batch.source_lengths[row]);
    }
  }
  // What a schedule goes by is the number of batches that are drawn.
  const auto first =
      std::ranges::count_if(one, [](const StreamedBatch& step) { return step.epoch == 0; });
  EXPECT_EQ(BatchStream(corpus, options).batches_in_epoch(0), first);
  ASSERT_EQ(draws.size(), 40U);
  int changed = 0;
  for (const auto& [pair, variants] : draws) changed += variants.size() == 2;
  EXPECT_GT(changed, 30);
}

TEST(Position, IsReadBackInAnySpacing) {
  const Position position{12, 3, 45, 0xFEDCBA9876543210};
  EXPECT_EQ(position.to_json(), R"({"epoch":12,"pool":3,"batch":45,"order":"fedcba9876543210"})");
  EXPECT_EQ(Position::from_json(position.to_json()), position);
  EXPECT_EQ(Position::from_json(
                R"({ "batch": 45, "epoch": 12, "order": "fedcba9876543210", "pool": 3 })"),
            position);
  EXPECT_EQ(message_of<UserError>([] { Position::from_json(R"({"epoch":12)"); }),
            R"(a damaged place in the training data: '{"epoch":12')");
}

TEST(FixedBatches, CoverEverythingOnceWithItsIndex) {
  const auto examples = realistic(533, 6);
  std::set<int64_t> seen;
  for (const Batch& batch : fixed_batches(CorpusOfIds::of({examples}), 400)) {
    EXPECT_LE(batch.size * batch.target_length, 400);
    for (int64_t row = 0; row < batch.size; ++row) {
      const int64_t index = batch.origins[row].index;
      EXPECT_TRUE(seen.insert(index).second);
      EXPECT_EQ(batch.target_output[row * batch.target_length], 100 + index);
    }
  }
  EXPECT_EQ(seen.size(), 533U);
}

}  // namespace
}  // namespace heed::data
