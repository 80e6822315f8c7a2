// The page that docs/extending.md adds: a function, an HTML file and a line of a table. Nothing
// else in this program knows its name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "draw/pages.h"
#include "guide.h"

namespace heed::draw {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(AToyPage, IsOneOfTheTableWithoutAnotherEdit) {
  const std::string page = pairs_page({"a", "</table>"}, {"x", "y"}, "Pairs & more");
  EXPECT_THAT(page, StartsWith("<!DOCTYPE html>"));
  EXPECT_THAT(page, HasSubstr("<title>Pairs &amp; more</title>"));
  EXPECT_THAT(page, HasSubstr("<h1>Pairs &amp; more</h1>\n<p class=\"headline\">2 sentences</p>"));
  EXPECT_THAT(page, HasSubstr("<td data-name=\"translation\">x</td>"));
  EXPECT_THAT(page, HasSubstr("&lt;/table&gt;"));
  EXPECT_THAT(page, HasSubstr("--paper: #ffffff"));  // the style that all pages begin with
  EXPECT_THAT(page, Not(HasSubstr("{{")));           // every mark is filled
}

TEST(AToyPage, IsThatOfTheGuide) {
  expect_in_guide("tests/draw/toy/pairs_page.cpp");
  expect_in_guide("tests/draw/toy/draw/page/pairs.html", "html");
  expect_in_guide("tests/draw/toy/draw/pages.def");
}

}  // namespace
}  // namespace heed::draw
