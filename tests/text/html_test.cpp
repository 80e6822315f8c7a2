#include "text/html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace heed::text {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// The page with its segments in capitals' place: "1", "2", ...
std::string with_numbers(const std::string& page) {
  const Html html(page);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < html.segments().size(); ++i) texts.push_back(std::to_string(i + 1));
  return html.with(texts);
}

TEST(Html, TextBetweenTagsIsSegmentsAndTagsStay) {
  const Html html("<p class=\"a\">A <b>red</b>\n  dog.<br/>It  runs.</p>\n");
  EXPECT_THAT(html.segments(), ElementsAre("A", "red", "dog.", "It runs."));
  EXPECT_EQ(html.with({"Ein", "roter", "Hund.", "Er läuft."}),
            "<p class=\"a\">Ein <b>roter</b>\n  Hund.<br/>Er läuft.</p>\n");
  EXPECT_THROW(html.with({"Ein"}), Bug);
}

TEST(Html, AttributesAreNotText) {
  EXPECT_EQ(with_numbers("<a title=\"x > y\" href='a>b' alt = \">\" d=it's>z</a>"),
            "<a title=\"x > y\" href='a>b' alt = \">\" d=it's>1</a>");
  EXPECT_EQ(with_numbers("<a href=x?q=\">z</a>"), "<a href=x?q=\">1</a>");
  EXPECT_EQ(with_numbers("<input value=>a"), "<input value=>1");
  EXPECT_EQ(with_numbers("a<img alt=\"never closed>b"), "1<img alt=\"never closed>b");
}

TEST(Html, CommentsScriptsAndStylesAreNotText) {
  for (const std::string page :
       {"<!-- a <b> c -->", "<!-->", "<!DOCTYPE html>", "<?xml version=\"1.0\"?>",
        "<![CDATA[a > b]]>", "<script>if (a < b) document.write('</b> x')</script>",
        "<STYLE type=x>p > a {}</style >", "<script>never closed </scripts>"}) {
    EXPECT_THAT(Html(page).segments(), IsEmpty()) << page;
    EXPECT_EQ(with_numbers("a" + page), "1" + page);
  }
  EXPECT_EQ(with_numbers("<script>a</script>b<style>c</style>d"),
            "<script>a</script>1<style>c</style>2");
}

TEST(Html, CharactersStandForTheirReferences) {
  const Html html("B&auml;r &amp; H&#228;hn&#xE4;r &lt;3 &ndash; 5&nbsp;&euro;");
  EXPECT_THAT(html.segments(), ElementsAre("Bär & Hähnär <3 \u2013 5\u00A0€"));
  EXPECT_EQ(html.with({"<i> & \"x\""}), "&lt;i&gt; &amp; \"x\"");
}

TEST(Html, ReferencesWithoutAMeaningHereStayAndEndASegment) {
  EXPECT_EQ(with_numbers("a &rarr; b &#0; c &#xD800; d &#99999999999; e"),
            "1 &rarr; 2 &#0; 3 &#xD800; 4 &#99999999999; 5");
}

TEST(Html, WhatIsNoMarkupIsText) {
  EXPECT_THAT(Html("AT&T: 1 < 2 &; &a b; &#; &#x; </ 3").segments(),
              ElementsAre("AT&T: 1 < 2 &; &a b; &#; &#x; </ 3"));
  EXPECT_THAT(Html("a <").segments(), ElementsAre("a <"));
  EXPECT_THAT(Html("a &").segments(), ElementsAre("a &"));
}

TEST(Html, WithoutALetterOrADigitNothingIsTranslated) {
  for (const std::string page :
       {"", " \n ", "<td>&nbsp;</td>", "<p> | &mdash; \u2022 \u00A0</p>", "<br>", "&amp;"}) {
    EXPECT_THAT(Html(page).segments(), IsEmpty()) << page;
    EXPECT_EQ(Html(page).with({}), page);
  }
}

TEST(Html, BlanksAroundASegmentStay) {
  EXPECT_EQ(with_numbers("<p>\r\n\t&nbsp; a b \u00A0</p>"), "<p>\r\n\t&nbsp; 1 \u00A0</p>");
  EXPECT_THAT(Html("a\n  b&#10;c").segments(), ElementsAre("a b c"));
}

TEST(Html, LinesOfPreStayLines) {
  EXPECT_EQ(with_numbers("a\nb<pre>c\n\n  d\n</pre>e\nf"), "1<pre>2\n\n  3\n</pre>4");
}

TEST(Html, BrokenBytesAreRepaired) {
  EXPECT_THAT(Html("<p>a\xFF</p>").segments(), ElementsAre("a\uFFFD"));
}

}  // namespace
}  // namespace heed::text
