#include "data/prefetcher.h"

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <thread>

#include "data/examples.h"

namespace heed::data {
namespace {

const BatchOptions kOptions{.batch_size = 200, .pool = 300, .seed = 3, .epochs = 2};

TEST(Prefetcher, GivesTheStreamUnchanged) {
  const auto corpus = corpus_of({realistic(700, 2)});
  for (const std::size_t depth : {1, 3, 1000}) {
    BatchStream stream(corpus, kOptions);
    Prefetcher prefetcher(BatchStream(corpus, kOptions), 1, depth);
    while (const auto expected = stream.next()) {
      const auto step = prefetcher.next();
      ASSERT_TRUE(step);
      EXPECT_EQ(step->parts.at(0).source, expected->batch.source);
      EXPECT_EQ(step->epoch, expected->epoch);
      EXPECT_EQ(prefetcher.position(), expected->after);
    }
    EXPECT_FALSE(prefetcher.next());
    EXPECT_FALSE(prefetcher.next());
    EXPECT_GT(prefetcher.waited(), 0);
  }
}

TEST(Prefetcher, CutsBatchesIntoParts) {
  const auto corpus = corpus_of({realistic(700, 2)});
  BatchStream stream(corpus, kOptions);
  Prefetcher prefetcher(BatchStream(corpus, kOptions), 3);
  while (const auto expected = stream.next()) {
    const auto batch = prefetcher.next();
    const auto parts = parts_of(expected->batch, 3);
    ASSERT_EQ(batch->parts.size(), parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i)
      EXPECT_EQ(batch->parts[i].target_output, parts[i].target_output);
  }
}

TEST(Prefetcher, JoinsBatchesAndTheRestOfThem) {
  const auto corpus = corpus_of({realistic(700, 2)});
  BatchStream stream(corpus, kOptions);
  Prefetcher prefetcher(BatchStream(corpus, kOptions), 2);
  int64_t rests = 0;
  while (const auto joined = prefetcher.next(3)) {
    std::size_t part = 0;
    int64_t batches = 0;
    for (; batches < 3; ++batches) {
      const auto one = stream.next();
      if (!one) break;
      for (const Batch& expected : parts_of(one->batch, 2))
        EXPECT_EQ(joined->parts.at(part++).source, expected.source);
      EXPECT_GE(joined->epoch, one->epoch);
    }
    EXPECT_EQ(part, joined->parts.size());
    if (batches == 3) {
      EXPECT_EQ(prefetcher.position(), stream.position());
    }
    rests += batches < 3;
  }
  EXPECT_FALSE(stream.next());
  EXPECT_LE(rests, 1);
}

TEST(Prefetcher, SavesThePositionOfWhatWasUsed) {
  const auto corpus = corpus_of({realistic(700, 2)});
  Prefetcher prefetcher(BatchStream(corpus, kOptions));
  BatchStream stream(corpus, kOptions);
  EXPECT_EQ(prefetcher.position(), stream.position());
  for (int i = 0; i < 5; ++i) prefetcher.next();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // it runs ahead meanwhile
  BatchStream resumed(corpus, kOptions);
  resumed.seek(prefetcher.position());
  EXPECT_EQ(resumed.next()->batch.source, prefetcher.next()->parts.at(0).source);
}

TEST(Prefetcher, StopsWhenNobodyReads) {
  const auto corpus = corpus_of({realistic(700, 2)});
  for (int i = 0; i < 20; ++i) {
    Prefetcher prefetcher(BatchStream(corpus, {.batch_size = 100}), 1, 2);
    if (i % 2 == 0) prefetcher.next();
  }
}

TEST(Prefetcher, WaitsForNothingWhenItIsAhead) {
  Prefetcher prefetcher(BatchStream(corpus_of({realistic(700, 2)}), kOptions));
  prefetcher.next();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  const double before = prefetcher.waited();
  for (int i = 0; i < 8; ++i) prefetcher.next();
  EXPECT_LT(prefetcher.waited() - before, 0.1);
}

}  // namespace
}  // namespace heed::data
