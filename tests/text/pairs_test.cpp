// Long files of pairs are read in chunks.
#include "text/pairs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heed::text {
namespace {

using ::testing::ElementsAre;

std::vector<std::size_t> begins(const Pairs& pairs, std::size_t lines) {
  std::vector<std::size_t> begins;
  std::size_t next = 0;
  for (const PairChunk& chunk : chunks_of(pairs, lines)) {
    begins.push_back(chunk.first);
    for (const std::string& source : chunk.pairs.source) EXPECT_EQ(source, pairs.source[next++]);
    EXPECT_EQ(chunk.pairs.source.size(), chunk.pairs.target.size());
  }
  EXPECT_EQ(next, pairs.source.size());
  return begins;
}

TEST(PairChunks, HoldSoManyLines) {
  const Pairs pairs{{"a", "b", "c", "d", "e"}, {"1", "2", "3", "4", "5"}};
  EXPECT_THAT(begins(pairs, 2), ElementsAre(0, 2, 4));
  EXPECT_THAT(begins(pairs, 7), ElementsAre(0));
  EXPECT_THAT(begins({}, 3), ElementsAre());
}

// Three lines may have 3 x 512^2 bytes squared: two of 600 fit, three do not.
TEST(PairChunks, HoldFewerLongLines) {
  const std::string long_one(600, 'a'), longest(5000, 'a');
  const Pairs pairs{{long_one, "b", "c", "d", longest, "f", "g"},
                    {"1", long_one, long_one, "4", "5", "6", "7"}};
  EXPECT_THAT(begins(pairs, 3), ElementsAre(0, 2, 4, 5));
}

}  // namespace
}  // namespace heed::text
