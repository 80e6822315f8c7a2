#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "draw/page_data.h"

namespace heed::draw {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Page, ShowsTextsEscapedAndHtmlAsItIs) {
  EXPECT_EQ(render("words.html", {{"words", {{{"text", "a <b>"}}}}}), "a &lt;b&gt;");
  EXPECT_THAT(render("figure.html", {{"wide", "<svg/>"}, {"narrow", ""}, {"caption", "<c>"}}),
              HasSubstr("<div class=\"broad\"><svg/></div><div class=\"slim\"></div>"
                        "<figcaption>&lt;c&gt;</figcaption>"));
}

TEST(Page, LeavesOutWhereThereIsNothing) {
  const PageData words = {{{"text", "a"}, {"marked", true}}, {{"text", "b"}, {"follows", true}}};
  EXPECT_EQ(render("words.html", {{"words", words}}), "<mark>a</mark> b");
  EXPECT_EQ(render("words.html", {{"words", PageData::array()}}), "");
  EXPECT_EQ(render("words.html", PageData::object()), "");
  EXPECT_THAT(render("figure.html", {{"wide", ""}, {"narrow", ""}, {"caption", ""}}),
              Not(HasSubstr("figcaption")));
}

TEST(Page, LooksNamesUpInTheInnermostItemAlone) {
  const PageData cell = {
      {"text", "t"}, {"look", ""}, {"picture", ""}, {"notes", {{{"text", "n"}}}}};
  EXPECT_EQ(render("cell.html", cell), "t<small>n</small>");
  PageData styled = cell;
  styled["look"] = "better";
  styled["own_element"] = true;
  EXPECT_EQ(render("cell.html", styled), "<span class=\"better\">t</span><small>n</small>");
}

TEST(Page, OfAnotherNameOrWithoutItsTextIsABug) {
  EXPECT_THROW(render("nowhere.html", {}), Bug);
  EXPECT_THROW(render("figure.html", PageData::object()), Bug);
}

}  // namespace
}  // namespace heed::draw
