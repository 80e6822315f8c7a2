#include "data/line_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/random.h"

namespace heed::data {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

/// Lines of 1 to 40 words with a number, and translations of the same length with that number.
struct Sides {
  std::vector<LineMarks> source, target;

  explicit Sides(int64_t lines) {
    Random random(11);
    for (int64_t i = 0; i < lines; ++i) {
      std::string words;
      for (auto left = 1 + random.next() % 40; left > 0; --left) words += "abc ";
      const std::string number = std::to_string(random.next() % 1000);
      source.push_back(marks_of(words + number + "."));
      target.push_back(marks_of(words + "x " + number + "."));
    }
  }
  void reverse(int64_t begin, int64_t end) {
    std::reverse(target.begin() + begin, target.begin() + end);
  }
  std::vector<LineRange> found() const {
    OrderCheck order;
    for (std::size_t i = 0; i < source.size(); ++i)
      order.add(static_cast<int64_t>(i), source[i], target[i]);
    return order.finish();
  }
};

TEST(OrderCheck, FindsNothingInATextInOrder) {
  EXPECT_THAT(Sides(3000).found(), IsEmpty());
  EXPECT_THAT(Sides(0).found(), IsEmpty());
}

TEST(OrderCheck, FindsPartsAtTheBeginningInTheMiddleAndAtTheEnd) {
  Sides sides(4001);
  sides.reverse(0, 333);
  sides.reverse(1000, 1200);
  sides.reverse(3700, 4001);
  const auto found = sides.found();
  ASSERT_THAT(found, SizeIs(3));
  EXPECT_NEAR(found[0].begin, 0, 4);
  EXPECT_NEAR(found[0].end, 333, 4);
  EXPECT_NEAR(found[1].begin, 1000, 4);
  EXPECT_NEAR(found[1].end, 1200, 4);
  EXPECT_NEAR(found[2].begin, 3700, 4);
  EXPECT_EQ(found[2].end, 4001);
}

TEST(OrderCheck, FindsAPartThatIsLongerThanWhatIsJudgedTogether) {
  // 8,192 pairs are judged at a time; nothing is learned from the first ones.
  Sides sides(30000);
  sides.reverse(0, 20001);
  const auto found = sides.found();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_NEAR(found[0].begin, 0, 4);
  EXPECT_NEAR(found[0].end, 20001, 4);
}

TEST(OrderCheck, FindsNothingWhereNothingIsLearned) {
  Sides sides(3000);
  sides.reverse(0, 3000);
  EXPECT_THAT(sides.found(), IsEmpty());
  OrderCheck alike;
  const LineMarks line = marks_of("a b c.");
  for (int64_t i = 0; i < 1000; ++i) alike.add(i, line, line);
  EXPECT_THAT(alike.finish(), IsEmpty());
}

}  // namespace
}  // namespace heed::data
