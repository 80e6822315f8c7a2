#include "base/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <vector>

namespace heed {
namespace {

TEST(Random, SplitmixGivesItsPublishedNumbers) {
  uint64_t state = 1234567;  // the published test vector
  EXPECT_EQ(splitmix64(state), 6457827717110365317U);
  EXPECT_EQ(splitmix64(state), 3203168211198807973U);
  EXPECT_EQ(splitmix64(state), 9817491932198370423U);
}

TEST(Random, XoshiroGivesItsPublishedNumbers) {
  Random random(Random::State{1, 2, 3, 4});
  EXPECT_EQ(random.next(), 11520U);
  EXPECT_EQ(random.next(), 0U);
  EXPECT_EQ(random.next(), 1509978240U);
  EXPECT_EQ(random.next(), 1215971899390074240U);
}

TEST(Random, TheSameSeedGivesTheSameNumbersAndAnotherDoesNot) {
  EXPECT_EQ(Random(7).next(), Random(7).next());
  EXPECT_NE(Random(7).next(), Random(8).next());
  EXPECT_NE(Random(7, 0).next(), Random(7, 1).next());
  EXPECT_NE(Random(7, 1).next(), Random(8, 0).next());
}

TEST(Random, ASavedStateGoesOn) {
  Random random(3);
  random.next();
  Random resumed(random.state());
  for (int i = 0; i < 5; ++i) EXPECT_EQ(resumed.next(), random.next());
}

TEST(Random, UniformStaysInItsRangeWithTheRightMean) {
  Random random(5);
  double sum = 0;
  for (int i = 0; i < 20000; ++i) {
    const double value = random.uniform();
    ASSERT_GE(value, 0.0);
    ASSERT_LT(value, 1.0);
    sum += value;
  }
  EXPECT_NEAR(sum / 20000, 0.5, 0.01);
}

TEST(Random, BelowIsFair) {
  Random random(11);
  std::array<int, 7> counts{};
  for (int i = 0; i < 70000; ++i) ++counts.at(random.below(7));
  for (const int count : counts) EXPECT_NEAR(count, 10000, 400);
  EXPECT_EQ(random.below(1), 0U);
}

TEST(Random, ShufflesAreFairPermutations) {
  Random random(13);
  std::map<std::vector<int>, int> counts;
  for (int i = 0; i < 6000; ++i) {
    std::vector<int> items = {1, 2, 3};
    random.shuffle(items);
    ++counts[items];
  }
  EXPECT_EQ(counts.size(), 6U);
  for (const auto& [order, count] : counts) EXPECT_NEAR(count, 1000, 150);
}

TEST(Random, AShuffleIsTheSameOnEveryMachine) {
  std::vector<int> items(7);
  std::iota(items.begin(), items.end(), 0);
  Random(42).shuffle(items);
  Random again(42);
  std::vector<int> expected = {0, 1, 2, 3, 4, 5, 6};
  for (std::size_t left = 7; left > 1; --left)
    std::swap(expected[left - 1], expected[again.next() % left]);  // no redraw at such bounds
  EXPECT_EQ(items, expected);
  std::vector<int> none;
  again.shuffle(none);
  EXPECT_TRUE(none.empty());
}

}  // namespace
}  // namespace heed
