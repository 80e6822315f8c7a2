#include "base/progress_line.h"

#include <gtest/gtest.h>

#include <cmath>

namespace heed {
namespace {

const std::vector<ProgressField>& fields() {
  static const std::vector<ProgressField> three = {
      {"loss 2.31", 0}, {"8k tok/s", 2}, {"best 2", 1}};
  return three;
}

TEST(ProgressLine, HasABarOfTheShareAndItsFields) {
  EXPECT_EQ(progress_line(0.25, {}, 80), "[######..................] 25 %");
  EXPECT_EQ(progress_line(0.5, fields(), 60),
            "[############............] 50 %  loss 2.31  8k tok/s  best 2");
}

TEST(ProgressLine, ShrinksItsBarAndThenLosesFieldsInTheirOrder) {
  // Without the bar's cells 36 columns: 7, and 11, 10 and 8 of the fields with two blanks each.
  EXPECT_EQ(progress_line(1, fields(), 41), "[#####]100 %  loss 2.31  8k tok/s  best 2");
  EXPECT_EQ(progress_line(0.5, fields(), 40), "[#######.......] 50 %  loss 2.31  best 2");
  EXPECT_EQ(progress_line(0, fields(), 31), "[.....]  0 %  loss 2.31  best 2");
  EXPECT_EQ(progress_line(0, fields(), 30), "[............]  0 %  loss 2.31");
  EXPECT_EQ(progress_line(0, fields(), 3), "[.....]  0 %  loss 2.31");  // what never goes
}

TEST(ProgressLine, CountsCharactersAndLeavesOutWhatIsEmpty) {
  EXPECT_EQ(progress_line(0, {{"äöü", 0}, {"", 0}, {"x", 1}}, 20), "[.....]  0 %  äöü  x");
  EXPECT_EQ(progress_line(0, {{"äöü", 0}, {"x", 1}}, 19), "[.......]  0 %  äöü");
}

TEST(ProgressLine, TakesAnyShare) {
  EXPECT_EQ(progress_line(-1, {}, 12), "[.....]  0 %");
  EXPECT_EQ(progress_line(7, {}, 12), "[#####]100 %");
  EXPECT_EQ(progress_line(NAN, {}, 12), "[.....]  0 %");
}

}  // namespace
}  // namespace heed
