#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <regex>

#include "base/error.h"
#include "eval/curve.h"
#include "eval/heatmap.h"
#include "eval/palette.h"
#include "eval/svg.h"
#include "eval/unicode.h"
#include "eval/well_formed.h"

namespace heed::eval {
namespace {

using testing::HasSubstr;

double attribute(const std::string& svg, const std::string& name) {
  std::smatch found;
  return std::regex_search(svg, found, std::regex(name + "=\"([0-9.]+)\"")) ? std::stod(found[1])
                                                                            : NAN;
}

AttentionMatrix square(std::size_t size, const std::string& token) {
  return {.target = std::vector<std::string>(size, token),
          .source = std::vector<std::string>(size, token),
          .weights = std::vector<float>(size * size, 1 / static_cast<float>(size))};
}

Curve two_lines() {
  return {.title = "a < b & \"c\"",
          .x_label = "x",
          .y_label = "y",
          .ticks = {"1-10", "11-20", "> 20"},
          .notes = {"5", "6", "7"},
          .series = {{"one", {CurvePoint{90, Interval{85, 95}}, std::nullopt, CurvePoint{50}}},
                     {"two", {CurvePoint{91}, CurvePoint{70}, CurvePoint{50.5}}}}};
}

// y of the text element that holds exactly this.
double text_y(const std::string& svg, const std::string& text) {
  std::smatch found;
  const std::regex element("<text x=\"[0-9.]+\" y=\"([0-9.]+)\"[^>]*>" + text + "</text>");
  return std::regex_search(svg, found, element) ? std::stod(found[1]) : NAN;
}

TEST(Xml, TheCheckerKnowsGoodFromBad) {
  EXPECT_EQ(xml_fault("<a b=\"1\"><c/>x &amp; y</a>"), "");
  for (const char* bad : {"<a><b></a></b>", "<a", "<a>&</a>", "<a b=1/>", "<a>", "x", "<a/><b/>",
                          "<a b=\"<\"/>", "<a>\x01</a>"}) {
    EXPECT_NE(xml_fault(bad), "") << bad;
  }
}

TEST(Xml, EscapesMarkupAndWhatXmlForbids) {
  EXPECT_EQ(xml_escape("<a href=\"x\">'&\x01\xff"),
            "&lt;a href=&quot;x&quot;&gt;&#39;&amp;\uFFFD\uFFFD");
}

TEST(ShortNumber, HasNoUselessZeros) {
  EXPECT_EQ(short_number(12), "12");
  EXPECT_EQ(short_number(-0.001), "0");
  EXPECT_EQ(short_number(2.5), "2.5");
  EXPECT_EQ(short_number(100), "100");
  EXPECT_EQ(short_number(1.239), "1.24");
}

TEST(Ink, DarkensWithTheWeight) {
  EXPECT_EQ(ink(0), "#ffffff");
  EXPECT_EQ(ink(1), "#081d58");
  EXPECT_EQ(ink(7), ink(1));
  EXPECT_EQ(ink(NAN), ink(0));
  int before = 256 * 3;
  for (int i = 0; i <= 20; ++i) {
    const std::string color = ink(i / 20.0);
    int light = 0;
    for (const int at : {1, 3, 5})
      light += std::stoi(color.substr(static_cast<std::size_t>(at), 2), nullptr, 16);
    EXPECT_LT(light, before) << color;
    before = light;
  }
}

TEST(Heatmap, IsWellFormedWithATooltipPerCellForAnyTokens) {
  AttentionMatrix matrix = square(3, "x");
  matrix.target = {"<&\"'>", "مرحبا", "\u2581漂亮"};
  matrix.source = {"\x02", "😀", "</s>"};
  matrix.weights[0] = 0.12345f;
  const std::string svg = draw_heatmap(matrix, "it's <sentence> 1");
  EXPECT_EQ(xml_fault(svg), "");
  EXPECT_EQ(occurrences(svg, "<title>"), 1u + 9u);
  EXPECT_THAT(svg, HasSubstr("<title>&lt;&amp;&quot;&#39;&gt; \u2192 \uFFFD: 0.1235</title>"));
  EXPECT_THAT(svg, HasSubstr("مرحبا</text>"));
}

TEST(Heatmap, GivesTheLargestWeightTheDarkestInk) {
  AttentionMatrix matrix = square(2, "x");
  matrix.weights = {0.2f, 0, 0.1f, 0};
  const std::string svg = draw_heatmap(matrix);
  EXPECT_THAT(svg, HasSubstr("fill=\"" + ink(1) + "\"><title>x \u2192 x: 0.2000"));
  EXPECT_THAT(svg, HasSubstr("fill=\"" + ink(0.5) + "\"><title>x \u2192 x: 0.1000"));
  EXPECT_THAT(svg, HasSubstr("fill=\"#ffffff\"><title>x \u2192 x: 0.0000"));
}

TEST(Heatmap, LabelSpaceGrowsWithTheTextAndTwiceAsFastForWideLetters) {
  const double narrow = attribute(draw_heatmap(square(3, "aaaaaaaa")), "width");
  const double longer = attribute(draw_heatmap(square(3, std::string(32, 'a'))), "width");
  const double wide = attribute(draw_heatmap(square(3,
                                                    "漂漂漂漂漂漂漂漂漂漂漂漂漂漂漂漂"
                                                    "漂漂漂漂漂漂漂漂漂漂漂漂漂漂漂漂")),
                                "width");
  EXPECT_GT(longer, narrow + 24 * 0.5 * 13);
  EXPECT_GT(wide, longer + 32 * 0.4 * 13);
  EXPECT_DOUBLE_EQ(text_width("e\u0301\u0301"), text_width("e"));
}

TEST(Heatmap, SmallAndLargeMatricesHaveSizesThatFit) {
  EXPECT_LT(attribute(draw_heatmap(square(3, "tok")), "width"), 420);
  const std::string large = draw_heatmap(square(100, "token"));
  EXPECT_EQ(xml_fault(large.substr(0, large.find("<rect x")) + "</svg>"), "");
  EXPECT_GT(attribute(large, "width"), 1000);
  EXPECT_LT(attribute(large, "width"), 1300);
  EXPECT_EQ(xml_fault(draw_heatmap(square(0, ""))), "");
}

TEST(Heatmap, SaysWhichMatrixItIs) {
  AttentionMatrix matrix = square(1, "x");
  EXPECT_EQ(describe(matrix), "cross-attention, layer 0, mean of heads");
  matrix.kind = "encoder";
  matrix.head = 3;
  EXPECT_EQ(describe(matrix), "encoder self-attention, layer 0, head 3");
}

TEST(Curve, DrawsEachSystemItsIntervalsAndTheBucketSizes) {
  const std::string svg = draw_curve(two_lines());
  EXPECT_EQ(xml_fault(svg), "");
  EXPECT_THAT(svg, HasSubstr("a &lt; b &amp; &quot;c&quot;"));
  EXPECT_THAT(svg, HasSubstr("one, 1-10: 90.00 (85.00 to 95.00)"));
  // "one" is in two pieces, for its middle bucket is empty; "two" in one.
  EXPECT_EQ(occurrences(svg, "<polyline"), 3u);
  EXPECT_EQ(occurrences(svg, "fill-opacity"), 1u);
  EXPECT_EQ(occurrences(svg, "<g><title>"), 5u);
  for (const char* note : {">5</text>", ">6</text>", ">7</text>"})
    EXPECT_THAT(svg, HasSubstr(note));
}

TEST(Curve, NamesOfLinesThatEndTogetherDoNotTouch) {
  const std::string svg = draw_curve(two_lines());
  EXPECT_GE(std::abs(text_y(svg, "one") - text_y(svg, "two")), 18);
  Curve crowd = two_lines();
  for (CurveSeries& series : crowd.series)
    series.points = {CurvePoint{0}, CurvePoint{0}, CurvePoint{0}};
  const std::string bottom = draw_curve(crowd);
  EXPECT_GE(std::abs(text_y(bottom, "one") - text_y(bottom, "two")), 18);
  EXPECT_LT(std::max(text_y(bottom, "one"), text_y(bottom, "two")),
            attribute(bottom, "height") - 60);
}

TEST(Curve, NeedsAPointPerTick) {
  Curve curve = two_lines();
  curve.series[0].points.pop_back();
  EXPECT_THROW(draw_curve(curve), Bug);
}

}  // namespace
}  // namespace heed::eval
