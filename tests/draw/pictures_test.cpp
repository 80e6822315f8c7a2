#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <regex>

#include "base/error.h"
#include "draw/heatmap.h"
#include "draw/plot.h"
#include "draw/svg.h"
#include "draw/well_formed.h"

namespace heed::draw {
namespace {

using testing::HasSubstr;
using testing::Not;

double attribute(const std::string& svg, const std::string& name) {
  std::smatch found;
  return std::regex_search(svg, found, std::regex(name + "=\"([0-9.]+)\"")) ? std::stod(found[1])
                                                                            : NAN;
}

study::AttentionMatrix square(std::size_t size, const std::string& token) {
  return {.target = std::vector<std::string>(size, token),
          .source = std::vector<std::string>(size, token),
          .weights = std::vector<float>(size * size, 1 / static_cast<float>(size))};
}

Plot two_lines() {
  return {.title = "a < b & \"c\"",
          .x_label = "x",
          .y_label = "y",
          .lines = {{"one", {{0, 90, score::Interval{85, 95}}, {2, 50}}},
                    {"two", {{0, 91}, {1, 70}, {2, 50.5}}}},
          .ticks = {"1-10", "11-20", "> 20"},
          .notes = {"5", "6", "7"}};
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
  study::AttentionMatrix matrix = square(3, "x");
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
  study::AttentionMatrix matrix = square(2, "x");
  matrix.weights = {0.2f, 0, 0.1f, 0};
  const std::string svg = draw_heatmap(matrix);
  EXPECT_THAT(svg, HasSubstr("fill=\"" + ink(1) + "\"><title>x \u2192 x: 0.2000"));
  EXPECT_THAT(svg, HasSubstr("fill=\"" + ink(0.5) + "\"><title>x \u2192 x: 0.1000"));
  EXPECT_THAT(svg, HasSubstr("fill=\"#ffffff\"><title>x \u2192 x: 0.0000"));
}

TEST(TextWidth, CountsAnEmojiOnceAndMarksNotAtAll) {
  const double one = text_width("😀");
  EXPECT_DOUBLE_EQ(text_width("👨‍👩‍👧"), one);
  EXPECT_DOUBLE_EQ(text_width("👍🏽"), one);
  EXPECT_DOUBLE_EQ(text_width("🇩🇪"), one);
  EXPECT_DOUBLE_EQ(text_width("🇩🇪🇫🇷"), 2 * one);
  EXPECT_DOUBLE_EQ(text_width("e\u0301\u0301"), text_width("e"));
  EXPECT_DOUBLE_EQ(text_width("ที่"), text_width("ท"));
  EXPECT_DOUBLE_EQ(text_width("ते"), text_width("त"));
  EXPECT_DOUBLE_EQ(text_width("漂亮"), 2 * one);
  EXPECT_DOUBLE_EQ(text_width("\u0301"), 0);
}

TEST(Elide, CutsBetweenWhatAPersonSeesAsLetters) {
  EXPECT_EQ(elide("short", 10), "short");
  EXPECT_EQ(elide("aaaaaaaaaa", 3), "aaaa…");  // 4 * 0.6 and the ellipsis' own 0.6
  EXPECT_EQ(elide("aé\u0301👨‍👩‍👧👨‍👩‍👧", 2.9),
            "aé\u0301👨‍👩‍👧…");
  EXPECT_EQ(elide("🇩🇪🇫🇷", 1.7), "🇩🇪…");
  EXPECT_EQ(elide("漂亮", 0), "…");
}

TEST(Direction, IsThatOfTheFirstLetter) {
  for (const char* text : {"مرحبا", "\u2581שלום", "(مرحبا)", "12 كيف abc"})
    EXPECT_TRUE(is_right_to_left(text)) << text;
  for (const char* text : {"abc", "", "...", "漂亮", "привет مرحبا", "😀"})
    EXPECT_FALSE(is_right_to_left(text)) << text;
}

TEST(Heatmap, LabelSpaceGrowsWithTheTextAndTwiceAsFastForWideLetters) {
  std::string wide_word;
  for (int i = 0; i < 20; ++i) wide_word += "漂";
  const double narrow = attribute(draw_heatmap(square(3, "aaaaaaaa")), "width");
  const double longer = attribute(draw_heatmap(square(3, std::string(20, 'a'))), "width");
  const double wide = attribute(draw_heatmap(square(3, wide_word)), "width");
  EXPECT_GT(longer, narrow + 12 * 0.5 * 13);
  EXPECT_GT(wide, longer + 20 * 0.4 * 13);
}

TEST(Heatmap, LabelsRunTheirOwnWayAndEndAtTheMatrix) {
  study::AttentionMatrix matrix = square(1, "x");
  matrix.target = {"(مرحبا"};
  matrix.source = {std::string(60, 'a')};
  const std::string svg = draw_heatmap(matrix);
  // Anchored where its reading starts: its right edge, as the left-to-right ones' ends.
  EXPECT_THAT(svg, HasSubstr("direction=\"rtl\" unicode-bidi=\"embed\">(مرحبا</text>"));
  EXPECT_THAT(svg, Not(HasSubstr("text-anchor=\"end\" direction")));
  EXPECT_THAT(svg, HasSubstr("aaa…<title>" + matrix.source[0] + "</title></text>"));
  EXPECT_LT(attribute(svg, "width"), 500);
}

/// x, y and font size of each slanted label.
std::vector<std::array<double, 3>> slanted_labels(const std::string& svg) {
  std::vector<std::array<double, 3>> out;
  const std::regex label(
      R"re(<text x="([0-9.]+)" y="([0-9.]+)" font-size="([0-9.]+)"[^>]*rotate.-60)re");
  for (std::sregex_iterator at(svg.begin(), svg.end(), label), end; at != end; ++at)
    out.push_back({std::stod((*at)[1]), std::stod((*at)[2]), std::stod((*at)[3])});
  return out;
}

TEST(Heatmap, SlantedLabelsStandApartByMoreThanTheirHeight) {
  for (const std::size_t size : {2u, 12u, 24u, 60u, 100u}) {
    const study::AttentionMatrix matrix = square(size, "token");
    for (const std::string& svg : {draw_heatmap(matrix), draw_heatmap_grid({&matrix, 1})}) {
      const auto labels = slanted_labels(svg);
      ASSERT_GE(labels.size(), std::min<std::size_t>(size, 20));  // long ones are thinned
      const double apart = (labels[1][0] - labels[0][0]) * std::sin(M_PI / 3);
      EXPECT_GT(apart, 1.1 * labels[0][2]) << size;
    }
    EXPECT_GE(slanted_labels(draw_heatmap(matrix)).at(0)[2], 10) << size;  // readable
    EXPECT_EQ(slanted_labels(draw_heatmap(matrix)).size(), size);
  }
}

TEST(Heatmap, EachCellIsInTheRowAndTheColumnOfItsTokens) {
  const std::string rows = "pqr", columns = "vwxyz";
  study::AttentionMatrix matrix;
  for (const char token : rows) matrix.target.emplace_back(1, token);
  for (const char token : columns) matrix.source.emplace_back(1, token);
  for (int i = 0; i < 15; ++i) matrix.weights.push_back(0.01f * static_cast<float>(i + 1));
  const std::string svg = draw_heatmap(matrix);
  const auto labels = slanted_labels(svg);
  ASSERT_EQ(labels.size(), 5u);
  const double cell = labels[1][0] - labels[0][0];
  const std::regex rectangle(
      "<rect x=\"([0-9.]+)\" y=\"([0-9.]+)\"[^>]*><title>(.) \u2192 (.): "
      "([0-9.]+)</title>");
  int seen = 0;
  for (std::sregex_iterator at(svg.begin(), svg.end(), rectangle), end; at != end; ++at, ++seen) {
    const std::size_t row = rows.find((*at)[3].str()), column = columns.find((*at)[4].str());
    ASSERT_LT(row, 3u);
    ASSERT_LT(column, 5u);
    const double x = labels[column][0] - std::stod((*at)[1]),
                 y = text_y(svg, (*at)[3].str()) - std::stod((*at)[2]);
    EXPECT_TRUE(x > 0 && x < cell) << at->str();
    EXPECT_TRUE(y > 0 && y < cell) << at->str();
    EXPECT_NEAR(std::stod((*at)[5]), matrix.at(row, column), 1e-4);
  }
  EXPECT_EQ(seen, 15);
}

TEST(HeatmapGrid, HasARowPerLayerAndAColumnPerHeadOnOneScale) {
  std::vector<study::AttentionMatrix> matrices;
  for (const int64_t layer : {0, 2})
    for (const int64_t head : {1, 3, -1}) {
      study::AttentionMatrix matrix{.layer = layer, .head = head, .target = {"<a", "b"}};
      matrix.source = {"x", "y"};
      matrix.weights = {0, 0.25f, 0.125f, 0.25f};
      matrices.push_back(matrix);
    }
  matrices[4].weights = {0.5f, 0, 0, 0};
  const std::string svg = draw_heatmap_grid(matrices, "it's <one>");
  EXPECT_EQ(xml_fault(svg), "");
  for (const char* name : {"layer 0", "layer 2", "head 1", "head 3", "mean"})
    EXPECT_EQ(occurrences(svg, std::string(">") + name + "</text>"), 1u) << name;
  EXPECT_EQ(occurrences(svg, "<g><title>"), 6u);
  EXPECT_EQ(occurrences(svg, ">&lt;a</text>"), 2u);  // along the left of each row
  EXPECT_EQ(occurrences(svg, ">x</text>"), 3u);      // on top of each column
  EXPECT_THAT(svg,
              HasSubstr("<title>cross-attention, layer 2, head 3: at most 0.5000, &lt;a \u2192 x"));
  // Half of the largest anywhere is the middle ink, and the largest the darkest; of the others all
  // cells of one weight are one path.
  EXPECT_EQ(occurrences(svg, "<path fill=\"" + ink(0.5) + "\" d=\"M1 0h1v1h-1zM1 1h1v1h-1z\"/>"),
            5u);
  EXPECT_EQ(occurrences(svg, "<path fill=\"" + ink(1) + "\" d=\"M0 0h1v1h-1z\"/>"), 1u);
  EXPECT_THAT(svg, HasSubstr(">0.50</text>"));
}

TEST(Heatmap, NamesItsAxesAndItsModel) {
  study::AttentionMatrix matrix = square(2, "x");
  for (const std::string& svg :
       {draw_heatmap(matrix, "runs & co: " + describe(matrix)),
        draw_heatmap_grid({&matrix, 1}, "runs & co: " + describe(matrix))}) {
    EXPECT_EQ(occurrences(svg, ">target</text>"), 1u);
    EXPECT_EQ(occurrences(svg, ">source</text>"), 1u);
    EXPECT_EQ(occurrences(svg, ">runs &amp; co"), 2u);  // the name of the document is one
    EXPECT_EQ(occurrences(svg, "cross-attention, layer 0, mean of heads</text>"), 1u);
  }
  matrix.kind = study::AttentionKind::decoder;
  EXPECT_EQ(axis_names(matrix).columns, "target so far, looked at");
}

TEST(HeatmapGrid, NamesEverySecondOrThirdTokenOfALongSentence) {
  study::AttentionMatrix matrix = square(60, "");
  for (std::size_t i = 0; i < 60; ++i)
    matrix.source[i] = matrix.target[i] = "w" + std::to_string(i);
  const study::AttentionMatrix two[] = {matrix, [&] {
                                          study::AttentionMatrix other = matrix;
                                          other.head = 1;
                                          return other;
                                        }()};
  const std::string grid = draw_heatmap_grid(two), alone = draw_heatmap_grid({&matrix, 1});
  EXPECT_EQ(occurrences(grid, ">w3</text>"), 3u);  // two columns of pictures, one row
  EXPECT_EQ(occurrences(grid, ">w1</text>"), 0u);
  EXPECT_EQ(occurrences(alone, ">w2</text>"), 2u);
  EXPECT_EQ(occurrences(alone, ">w1</text>"), 0u);
  EXPECT_EQ(slanted_labels(alone).size(), 30u);
}

TEST(HeatmapGrid, RunsOfOneInkAreOneOutlineAndLongSentencesAreSmall) {
  const study::AttentionMatrix even = square(100, "token");
  const std::string svg = draw_heatmap_grid({&even, 1});
  EXPECT_THAT(svg, HasSubstr("d=\"M0 0h100v1h-100zM0 1h100v1h-100z"));
  EXPECT_LT(attribute(svg, "width"), 480);
  EXPECT_LT(svg.size(), 20000u);
}

TEST(HeatmapGrid, NeedsMatricesOfOneSize) {
  EXPECT_THROW(draw_heatmap_grid({}), Bug);
  const study::AttentionMatrix two[] = {square(2, "a"), square(3, "a")};
  EXPECT_THROW(draw_heatmap_grid(two), Bug);
}

TEST(Heatmap, SmallAndLargeMatricesHaveSizesThatFit) {
  EXPECT_LT(attribute(draw_heatmap(square(3, "tok")), "width"), 420);
  const std::string large = draw_heatmap(square(100, "token"));
  EXPECT_EQ(xml_fault(large.substr(0, large.find("<rect x")) + "</svg>"), "");
  EXPECT_GT(attribute(large, "width"), 1000);
  EXPECT_LT(attribute(large, "width"), 1550);
  EXPECT_EQ(xml_fault(draw_heatmap(square(0, ""))), "");
}

TEST(Heatmap, SaysWhichMatrixItIs) {
  study::AttentionMatrix matrix = square(1, "x");
  EXPECT_EQ(describe(matrix), "cross-attention, layer 0, mean of heads");
  matrix.kind = study::AttentionKind::encoder;
  matrix.head = 3;
  EXPECT_EQ(describe(matrix), "encoder self-attention, layer 0, head 3");
}

TEST(Curve, DrawsEachSystemItsIntervalsAndTheBucketSizes) {
  const std::string svg = draw_plot(two_lines());
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
  const std::string svg = draw_plot(two_lines());
  EXPECT_GE(std::abs(text_y(svg, "one") - text_y(svg, "two")), 18);
  Plot crowd = two_lines();
  for (PlotLine& line : crowd.lines) line.points = {{0, 0}, {1, 0}, {2, 0}};
  const std::string bottom = draw_plot(crowd);
  EXPECT_GE(std::abs(text_y(bottom, "one") - text_y(bottom, "two")), 18);
  EXPECT_LT(std::max(text_y(bottom, "one"), text_y(bottom, "two")),
            attribute(bottom, "height") - 60);
}

TEST(Curve, OfAPhoneHasItsNamesBelow) {
  Plot curve = two_lines();
  curve.ticks = {"1-10", "11-20", "more than 1,000,000 words"};
  const std::string svg = draw_plot(curve, Form::narrow);
  EXPECT_EQ(xml_fault(svg), "");
  EXPECT_EQ(attribute(svg, "width"), 360);
  EXPECT_GT(text_y(svg, "one"), kFrameTop + kFrameHeight + 50);
  EXPECT_EQ(text_y(svg, "two"), text_y(svg, "one") + 22);
  EXPECT_EQ(occurrences(svg, ">1-10</text>"), 1u);
  EXPECT_EQ(occurrences(svg, ">11-20</text>"), 0u);  // there is no room for it
  EXPECT_EQ(occurrences(svg, "<polyline"), 3u);
}

/// The least font size in pixels.
double least_letters(const std::string& svg) {
  const std::regex size("font-size=\"([0-9.]+)\""), view("viewBox=\"0 0 ([0-9.]+)");
  std::smatch width;
  std::regex_search(svg, width, view);
  double least = 1e9;
  for (std::sregex_iterator at(svg.begin(), svg.end(), size), end; at != end; ++at)
    least = std::min(least, std::stod((*at)[1]));
  return least * attribute(svg, "width") / std::stod(width[1]);
}

TEST(Slides, HaveLettersOf28PixelsOrMore) {
  const study::AttentionMatrix few = square(5, "token"), many = square(25, "token");
  const study::AttentionMatrix two[] = {many, [&] {
                                          study::AttentionMatrix other = many;
                                          other.head = 1;
                                          return other;
                                        }()};
  for (const std::string& svg :
       {draw_heatmap(few, "a: b", Form::slides), draw_heatmap(many, "a: b", Form::slides),
        draw_heatmap_grid(two, "a", Form::slides), draw_plot(two_lines(), Form::slides)}) {
    EXPECT_EQ(xml_fault(svg), "");
    EXPECT_GE(least_letters(svg), 28);
  }
  EXPECT_EQ(slanted_labels(draw_heatmap(few, "", Form::slides)).size(), 5u);
  EXPECT_EQ(slanted_labels(draw_heatmap(many, "", Form::slides)).size(), 13u);  // every second
  for (const Form form : {Form::wide, Form::narrow})
    EXPECT_GE(least_letters(draw_plot(two_lines(), form)), 14);
}

TEST(Curve, NeedsATickForEachPoint) {
  Plot curve = two_lines();
  curve.ticks.pop_back();
  EXPECT_THROW(draw_plot(curve), Bug);
}

// An element for each of 90,000 weights makes a picture of 9 MB.
TEST(Heatmap, OfManyWeightsIsAPictureOfPixels) {
  const study::AttentionMatrix large = square(300, "a<b"), small = square(128, "a<b");
  for (const std::string& svg : {draw_heatmap(large), draw_heatmap_grid({&large, 1})}) {
    EXPECT_EQ(xml_fault(svg), "");
    EXPECT_THAT(svg, HasSubstr("href=\"data:image/png;base64,"));
    EXPECT_LT(svg.size(), 200000U);
  }
  for (const std::string& svg : {draw_heatmap(small), draw_heatmap_grid({&small, 1})})
    EXPECT_THAT(svg, Not(HasSubstr("<image")));
}

}  // namespace
}  // namespace heed::draw
