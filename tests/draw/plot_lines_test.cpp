#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "draw/plot.h"
#include "draw/svg.h"
#include "draw/well_formed.h"

namespace heed::draw {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// The axis ends at 4: the first 9 is in the steep part.
Plot two_drawn_lines() {
  return {.title = "t",
          .x_label = "updates",
          .y_label = "loss",
          .lines = {{"one", {{0, 9}, {50, 4}, {100, 2}}, 0, false},
                    {"two <&>", {{50, 3}, {100, 1}}, 1, true}}};
}

TEST(TickStep, IsOneTwoOrFiveTimesAPowerOfTen) {
  EXPECT_DOUBLE_EQ(tick_step(100, 0.1), 20);
  EXPECT_DOUBLE_EQ(tick_step(60, 0.1), 10);
  EXPECT_DOUBLE_EQ(tick_step(61, 0.1), 20);
  EXPECT_DOUBLE_EQ(tick_step(0.2, 0.1), 0.1);
  EXPECT_DOUBLE_EQ(tick_step(0.2, 0.01), 0.05);
}

TEST(ValueAxis, EndsAtWholeSteps) {
  const ValueAxis axis = ValueAxis::around(1.2, 4);
  EXPECT_DOUBLE_EQ(axis.low, 1);
  EXPECT_DOUBLE_EQ(axis.high, 4);
  EXPECT_THAT(axis.grid(), ElementsAre(1, 1.5, 2, 2.5, 3, 3.5, 4));
  EXPECT_DOUBLE_EQ(axis.y(4), kFrameTop);
  EXPECT_DOUBLE_EQ(axis.y(1), kFrameTop + kFrameHeight);
  EXPECT_DOUBLE_EQ(ValueAxis::from_zero(83).high, 100);
  const ValueAxis flat = ValueAxis::around(3, 3);
  EXPECT_LT(flat.low, flat.high);
}

TEST(Lines, StandWhereTheirNumbersSay) {
  const std::string svg = draw_plot(two_drawn_lines());
  EXPECT_EQ(xml_fault(svg), "");
  EXPECT_THAT(svg, HasSubstr("points=\"64,-498 384,52 704,272 \" fill=\"none\" stroke=\"" +
                             series_color(0) + "\""));
  EXPECT_THAT(svg, HasSubstr("points=\"384,162 704,382 \" fill=\"none\" stroke=\"" +
                             series_color(1) + "\""));
  EXPECT_EQ(occurrences(svg, "stroke-dasharray"), 1u);
  EXPECT_THAT(svg, HasSubstr("two &lt;&amp;&gt;</text>"));
  EXPECT_THAT(svg, HasSubstr(">80</text>"));
}

TEST(Lines, TicksOfALongAxisHaveOneUnit) {
  Plot lines = two_drawn_lines();
  lines.lines[1].points.back().x = 24000;
  const std::string svg = draw_plot(lines);
  for (const char* tick : {">0</text>", ">5k</text>", ">10k</text>", ">20k</text>"})
    EXPECT_THAT(svg, HasSubstr(tick));
  lines.lines[1].points.back().x = 12500000;
  EXPECT_THAT(draw_plot(lines), HasSubstr(">5M</text>"));
}

TEST(Lines, StandWhereTheirNumbersSayInATerminalToo) {
  EXPECT_EQ(plot_text(two_drawn_lines(), 4, 4),
            "t (loss)\n"
            "4 | a  \n"
            "  | ba \n"
            "  |  ba\n"
            "1 |   b\n"
            "  +----\n"
            "   0 100 updates\n"
            "a  one\n"
            "b  two <&>\n");
}

TEST(Lines, OfAPhoneHaveTheirNamesBelow) {
  const std::string svg = draw_plot(two_drawn_lines(), Form::narrow);
  EXPECT_EQ(xml_fault(svg), "");
  EXPECT_THAT(svg, HasSubstr("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"360\""));
  EXPECT_THAT(svg, HasSubstr("points=\"64,-498 206,52 348,272 \""));
  EXPECT_THAT(svg, HasSubstr("<text x=\"82\" y=\"454\" font-size=\"16\" fill=\"#222222\">one"));
}

TEST(Lines, OfManyNamesHaveThemBelowToo) {
  Plot lines = two_drawn_lines();
  for (int i = 2; i < 22; ++i)
    lines.lines.push_back({"run " + std::to_string(i), {{0, 2}, {100, 1}}, std::size_t(i), false});
  const std::string svg = draw_plot(lines);
  EXPECT_EQ(xml_fault(svg), "");
  EXPECT_EQ(occurrences(svg, "y=\"-"), 0u);
  EXPECT_THAT(svg, HasSubstr(">one<"));
  lines.lines.resize(18);  // as many as fit beside the plot
  EXPECT_EQ(occurrences(draw_plot(lines), "y=\"-"), 0u);
}

TEST(Lines, BelowZeroHaveTheirNumbers) {
  Plot lines = two_drawn_lines();
  lines.lines = {{"minus", {{0, -0.5}, {50, -0.2}, {100, 0.3}}, 0, false}};
  const std::string svg = draw_plot(lines);
  EXPECT_THAT(svg, HasSubstr(">-0.1</text>"));
  EXPECT_EQ(occurrences(svg, ">1e"), 0u);
}

TEST(Marker, OfTheNextSeriesOfAColourHasAnotherShape) {
  for (std::size_t series = 0; series < kSeriesColors; ++series) {
    EXPECT_EQ(series_color(series), series_color(series + kSeriesColors));
    EXPECT_NE(marker(series, 50, 50), marker(series + kSeriesColors, 50, 50));
  }
}

TEST(Lines, WithoutANameHaveNoLabel) {
  Plot lines = two_drawn_lines();
  const std::size_t texts = occurrences(draw_plot(lines), "<text");
  lines.lines[1].name = "";
  EXPECT_EQ(occurrences(draw_plot(lines), "<text"), texts - 1);
  EXPECT_EQ(occurrences(draw_plot(lines), "<polyline"), 2u);
}

TEST(Lines, OfOnePointAndOfNoneAreDrawn) {
  for (const PlotLine& line :
       {PlotLine{"one", {{7, 3}}, 0, false}, PlotLine{"none", {}, 0, false}}) {
    const Plot lines{.title = "t", .x_label = "x", .y_label = "y", .lines = {line}};
    EXPECT_EQ(xml_fault(draw_plot(lines)), "") << line.name;
    EXPECT_THAT(plot_text(lines), HasSubstr(line.name));
    // A polyline of one point would not be seen.
    EXPECT_EQ(occurrences(draw_plot(lines), "<circle cx=\"704\""), line.points.size());
    EXPECT_EQ(occurrences(draw_plot(lines), "<polyline"), 0u);
  }
}

}  // namespace
}  // namespace heed::draw
