#include "eval/table.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "eval/csv.h"
#include "eval/curve.h"

namespace heed::eval {
namespace {

using Rows = std::vector<std::vector<std::string>>;

TEST(Csv, ReadsWhatItWrites) {
  const Table table{{"name", "text, quoted"}, {{"a\"b", "two\nlines"}, {"", "1"}}};
  const Rows rows = parse_csv(table_csv(table));
  EXPECT_EQ(rows, (Rows{{"name", "text, quoted"}, {"a\"b", "two\nlines"}, {"", "1"}}));
}

TEST(Csv, TakesCarriageReturnsAndALastLineWithoutItsBreak) {
  EXPECT_EQ(parse_csv("a,b\r\n1,"), (Rows{{"a", "b"}, {"1", ""}}));
  EXPECT_EQ(parse_csv(""), Rows{});
}

TEST(TableText, AlignsNamesToTheLeftAndNumbersToTheRight) {
  const Table table{{"system", "BLEU"}, {{"none", "7.5"}, {"bahdanau", "83.52"}, {"ü", "1"}}};
  EXPECT_EQ(table_text(table),
            "system     BLEU\n"
            "none        7.5\n"
            "bahdanau  83.52\n"
            "ü             1\n");
}

TEST(TableText, RefusesARowOfAnotherLength) {
  EXPECT_THROW(table_text({{"a", "b"}, {{"1"}}}), Bug);
}

TEST(FittedExponent, IsTheSlopeInLogarithms) {
  EXPECT_NEAR(fitted_exponent({1, 2, 4}, {3, 12, 48}), 2, 1e-12);
  EXPECT_NEAR(fitted_exponent({10, 1000}, {5, 5}), 0, 1e-12);
  // Least squares over x = 1, 2, 4 of y = 1, 2, 2: the slope of (0, 0), (1, 1), (2, 1).
  EXPECT_NEAR(fitted_exponent({1, 2, 4}, {1, 2, 2}), 0.5, 1e-12);
  EXPECT_THROW(fitted_exponent({3, 3}, {1, 2}), Bug);
}

TEST(ExperimentsPage, ShowsEveryTableAndPicture) {
  const std::string page = experiments_page(
      "Costs & more",
      {{"attention <cost>", {{"n"}, {{"128"}}}, {"<svg>one</svg>"}}, {"b", {}, {}}});
  EXPECT_NE(page.find("<title>Costs &amp; more</title>"), std::string::npos);
  EXPECT_NE(page.find("<h2 id=\"e1\">attention &lt;cost&gt;</h2>"), std::string::npos);
  EXPECT_NE(page.find("<svg>one</svg>"), std::string::npos);
  EXPECT_NE(page.find("<td>128</td>"), std::string::npos);
  EXPECT_NE(page.find("href=\"#e2\""), std::string::npos);
}

TEST(LogCurve, SpacesPowersOfTenEvenly) {
  const auto point = [](double value) { return std::optional(CurvePoint{value, std::nullopt}); };
  const Curve curve{.title = "cost",
                    .ticks = {"1", "2", "3"},
                    .series = {{"a", {point(0.01), point(0.1), point(1)}}},
                    .log_values = true};
  const std::string svg = draw_curve(curve);
  // The plot is 330 high from 52 on: a hundredth at its foot, a tenth in its middle, one at its
  // top.
  EXPECT_NE(svg.find("cy=\"382\""), std::string::npos);
  EXPECT_NE(svg.find("cy=\"217\""), std::string::npos);
  EXPECT_NE(svg.find("cy=\"52\""), std::string::npos);
}

TEST(LogCurve, RefusesZero) {
  const Curve curve{.title = "cost",
                    .ticks = {"1"},
                    .series = {{"a", {CurvePoint{0, std::nullopt}}}},
                    .log_values = true};
  EXPECT_THROW(draw_curve(curve), Bug);
}

}  // namespace
}  // namespace heed::eval
