
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <regex>
#include <set>

#include "draw/heatmap.h"
#include "draw/page_data.h"
#include "draw/svg.h"

namespace heed::draw {
namespace {

using ::testing::HasSubstr;

constexpr double kBottom = kFrameTop + kFrameHeight;

TEST(TickStep, CoversAnyRangeWithThreeToSixSteps) {
  for (double range = 0.31; range < 1e9; range *= 1.37) {
    const double step = tick_step(range, 0.1);
    EXPECT_LE(std::ceil(range / step), 6) << range;
    EXPECT_GE(std::ceil(range / step), 3) << range;
  }
  EXPECT_EQ(tick_step(0.2, 1), 1);  // and never less than the least
}

TEST(ValueAxis, RunsFromTheBottomOfTheFrameToItsTop) {
  for (const ValueAxis& axis : {ValueAxis::from_zero(37), ValueAxis::around(-3, 12.5)}) {
    EXPECT_DOUBLE_EQ(axis.y(axis.low), kBottom);
    EXPECT_DOUBLE_EQ(axis.y(axis.high), kFrameTop);
    const std::vector<double> grid = axis.grid();
    EXPECT_NEAR(grid.front(), axis.low, 1e-9);
    EXPECT_NEAR(grid.back(), axis.high, 1e-9 * axis.high);
    for (std::size_t i = 2; i < grid.size(); ++i)  // evenly spaced
      EXPECT_NEAR(axis.y(grid[i - 1]) - axis.y(grid[i]), axis.y(grid[0]) - axis.y(grid[1]), 1e-9);
  }
}

TEST(ValueAxis, HoldsItsValues) {
  for (const auto& [low, high] : {std::pair{0.0, 0.0}, {-7.3, -7.2}, {3.0, 3.0}, {-1.0, 250.0}}) {
    const ValueAxis axis = ValueAxis::around(low, high);
    EXPECT_LE(axis.low, low);
    EXPECT_GE(axis.high, high);
    EXPECT_LT(axis.low, axis.high);
  }
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(ValueAxis::around(nan, nan).high, 1);
}

TEST(EndLabels, DoNotTouchAndStayBesideThePlot) {
  Svg svg(900, 500, "labels");
  std::vector<EndLabel> labels;
  for (std::size_t i = 0; i < 9; ++i)
    labels.push_back(
        {.series = i, .name = "n" + std::to_string(i), .from_x = 100, .y = kBottom - 3});
  draw_end_labels(svg, labels, 600);
  const std::string drawn = std::move(svg).finish();
  std::vector<double> heights;
  const std::regex text("<text x=\"[^\"]*\" y=\"([^\"]*)\"[^>]*>n[0-9]</text>");
  for (std::sregex_iterator at(drawn.begin(), drawn.end(), text), end; at != end; ++at)
    heights.push_back(std::stod((*at)[1]));
  ASSERT_EQ(heights.size(), 9U);
  EXPECT_LE(heights.back(), kBottom + 5);
  for (std::size_t i = 1; i < heights.size(); ++i) EXPECT_GE(heights[i] - heights[i - 1], 13);
}

TEST(Names, StandBelowOnAPhoneAndWhereTheyAreTooMany) {
  EXPECT_TRUE(names_below(Form::narrow, 1));
  EXPECT_FALSE(names_below(Form::wide, 16));  // 15 lines of 22 pixels in 330 and one more line
  EXPECT_TRUE(names_below(Form::wide, 17));
  EXPECT_GT(space_beside(Form::wide, {"a long name of a system"}), space_beside(Form::wide, {"a"}));
  EXPECT_EQ(space_beside(Form::narrow, {"a long name of a system"}),
            space_beside(Form::narrow, {"a"}));
  EXPECT_EQ(key_height(3) - key_height(2), key_height(2) - key_height(1));
}

TEST(Frame, LeavesOutWhatIsTooWideOfTheTitle) {
  Svg svg(400, 500, "x");
  draw_frame(svg, {}, 100, std::string(200, 'm'), "across", "up");
  const std::string drawn = std::move(svg).finish();
  EXPECT_THAT(drawn, HasSubstr("m…"));
  EXPECT_THAT(drawn, HasSubstr(">across<"));
  EXPECT_THAT(drawn, HasSubstr("rotate(-90"));
}

TEST(SeriesColors, AreDifferentAndRepeat) {
  std::set<std::string> colors;
  for (std::size_t i = 0; i < 3 * kSeriesColors; ++i) colors.insert(series_color(i));
  EXPECT_EQ(colors.size(), kSeriesColors);
}

TEST(LargestWeight, IsOneWhereAllAreZero) {
  study::AttentionMatrix matrix;
  matrix.weights = {0, 0, 0};
  EXPECT_EQ(largest_weight({&matrix, 1}), 1);
  matrix.weights = {0, 0.25F, 0.125F};
  EXPECT_EQ(largest_weight({&matrix, 1}), 0.25);
}

TEST(BottleneckDrawing, HasTheSizeThatThePagesKeepForIt) {
  for (const char* file : {"one_vector.html", "all_states.html"})
    EXPECT_THAT(render(file, PageData::object()), HasSubstr("width=\"440\" height=\"274\""));
}

}  // namespace
}  // namespace heed::draw
