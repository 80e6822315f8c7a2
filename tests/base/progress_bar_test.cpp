#include "base/progress_bar.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

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
  EXPECT_EQ(progress_line(0, fields(), 23), "[.....]  0 %  loss 2.31");
}

TEST(ProgressLine, IsBriefWhereNoMoreFieldsCanGo) {
  const std::vector<ProgressField> brief = {
      {"8k tok/s", 1}, {"loss 2.312", 0, "loss 2.31", "2.31"}, {"best 2", 0}};
  // Without cells 7 + 12 + 8 in full, 2 + 10 + 7 in brief, 2 + 5 + 7 at its briefest.
  EXPECT_EQ(progress_line(0.5, brief, 32), "[##...] 50 %  loss 2.312  best 2");
  EXPECT_EQ(progress_line(0.5, brief, 31), "[######......] loss 2.31 best 2");
  EXPECT_EQ(progress_line(0.5, brief, 23), "[##..] loss 2.31 best 2");
  EXPECT_EQ(progress_line(0.5, brief, 22), "[####....] 2.31 best 2");
  EXPECT_EQ(progress_line(0.5, brief, 16), "[#.] 2.31 best 2");
  EXPECT_EQ(progress_line(0.5, brief, 15), "2.31 best 2");
  EXPECT_EQ(progress_line(0.5, brief, 3), "2.31 best 2");  // what never goes
}

TEST(ProgressLine, CountsCharactersAndLeavesOutWhatIsEmpty) {
  EXPECT_EQ(progress_line(0, {{"äöü", 0}, {"", 0}, {"x", 1}}, 20), "[.....]  0 %  äöü  x");
  EXPECT_EQ(progress_line(0, {{"äöü", 0}, {"x", 1}}, 19), "[.......]  0 %  äöü");
}

TEST(ProgressLine, HasTheTimeThatIsLeftInThreeForms) {
  const auto forms = [](double seconds) {
    const ProgressField field = time_left_field(seconds);
    return std::vector{field.text, field.brief, field.briefest};
  };
  EXPECT_EQ(forms(0.2), (std::vector<std::string>{"1s left", "1s left", "1s"}));
  EXPECT_EQ(forms(65), (std::vector<std::string>{"1:05 left", "65s left", "65s"}));
  EXPECT_EQ(forms(7500), (std::vector<std::string>{"2:05:00 left", "2h left", "2h"}));
  EXPECT_EQ(forms(-1), (std::vector<std::string>(3)));  // not known
}

TEST(ProgressLine, TakesAnyShare) {
  EXPECT_EQ(progress_line(-1, {}, 12), "[.....]  0 %");
  EXPECT_EQ(progress_line(7, {}, 12), "[#####]100 %");
  EXPECT_EQ(progress_line(NAN, {}, 12), "[.....]  0 %");
}

}  // namespace
}  // namespace heed
