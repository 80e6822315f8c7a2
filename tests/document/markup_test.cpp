#include "document/markup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace heed::document {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// The texts of the segments.
std::vector<std::string> texts_of(const std::string& page, MarkupKind kind = MarkupKind::html,
                                  const text::KeepOptions& kept = {}) {
  const SegmentedText markup = read_markup(page, kind, kept);
  std::vector<std::string> texts;
  for (const Segment& segment : markup.segments()) texts.push_back(segment.text);
  return texts;
}

/// The page with "1", "2", ... for its segments.
std::string with_numbers(const std::string& page) {
  const SegmentedText markup = read_markup(page);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < markup.segments().size(); ++i) texts.push_back(std::to_string(i + 1));
  return markup.with(texts);
}

/// "<b>|</b> of 2..5", one for each inlay of the only segment.
std::vector<std::string> inlays_of(const std::string& page, MarkupKind kind = MarkupKind::html,
                                   const text::KeepOptions& kept = {}) {
  const SegmentedText markup = read_markup(page, kind, kept);
  std::vector<std::string> out;
  for (const Inlay& inlay : markup.segments().at(0).inlays) {
    const bool is_element = inlay.kind == Inlay::Kind::element;
    out.push_back(inlay.before + (is_element ? "|" + inlay.after : "") + " " +
                  std::to_string(inlay.begin) +
                  (is_element ? ".." + std::to_string(inlay.end) : "") +
                  (inlay.parent == Inlay::kNone ? "" : " in " + std::to_string(inlay.parent)));
  }
  return out;
}

TEST(Markup, InlineTagsAreInASegmentAndBlocksAroundIt) {
  const std::string page = "<p class=\"a\">A <b>red</b>\n  dog.<br/>It <i>runs</i>.</p>\n";
  EXPECT_THAT(texts_of(page), ElementsAre("A red dog.", "It runs."));
  EXPECT_EQ(with_numbers(page), "<p class=\"a\">1<br/>2</p>\n");
  EXPECT_THROW(read_markup(page).with({"Ein"}), Bug);
  EXPECT_THAT(inlays_of("A <b>red <i>big</i></b> dog"),
              ElementsAre("<b>|</b> 1..9", "<i>|</i> 5..9 in 0"));
}

TEST(Markup, TagsWithoutTheirOtherHalfAreInlaysByThemselves) {
  EXPECT_THAT(inlays_of("A <b>red dog"), ElementsAre("<b> 1"));
  EXPECT_THAT(inlays_of("A red</b> dog"), ElementsAre("</b> 5"));
  EXPECT_THAT(inlays_of("A <i><b>red</i></b> dog"),
              ElementsAre("<i>|</i> 1..5", "<b> 1 in 0", "</b> 5"));
  // The contents of an element without an end are in the one around.
  EXPECT_THAT(inlays_of("<i>A <b><u>red</u></i> dog"),
              ElementsAre("<i>|</i> 0..5", "<b> 1 in 0", "<u>|</u> 1..5 in 0"));
}

TEST(Markup, WhatIsWholeStandsForItself) {
  for (const std::string item :
       {"<img src=x>", "<x id=\"1\"/>", "<!-- a <b> c -->", "<?php a ?>", "<script>'</b>'</script>",
        "<span translate=\"no\">b <span>c</span></span>", "<b translate=NO>x</b>", "&nosuch;",
        "<code>b</code>", "<svg><title>b</title></svg>", "<i class=\"a notranslate\">b</i>",
        "&#0;"}) {
    EXPECT_THAT(texts_of("a " + item + " b"), ElementsAre("a b")) << item;
    EXPECT_THAT(inlays_of("a " + item + " b"), ElementsAre(item + " 1"));
  }
  EXPECT_THAT(texts_of("<b title=\"translate=no\">x</b>"), ElementsAre("x"));
  EXPECT_EQ(with_numbers("a<p translate=no>b <b>c</b></p>d"), "1<p translate=no>b <b>c</b></p>2");
  EXPECT_THAT(inlays_of("a <img><img> b"), ElementsAre("<img><img> 1"));
  // Code without an end tag, or that is to be translated, is text.
  EXPECT_THAT(texts_of("a <code>b"), ElementsAre("a b"));
  EXPECT_THAT(texts_of("a <code translate=yes>b</code>"), ElementsAre("a b"));
}

TEST(Markup, AttributesAreNotText) {
  EXPECT_EQ(with_numbers("<p title=\"x > y\" href='a>b' alt = \">\" d=it's>z</p>"),
            "<p title=\"x > y\" href='a>b' alt = \">\" d=it's>1</p>");
  EXPECT_EQ(with_numbers("<p href=x?q=\">z</p>"), "<p href=x?q=\">1</p>");
  EXPECT_THAT(texts_of("<input value=>a"), ElementsAre("a"));
  EXPECT_THAT(inlays_of("a<img alt=\"never closed>b"), ElementsAre("<img alt=\"never closed>b 1"));
}

TEST(Markup, CommentsScriptsAndStylesAloneAreNoSegments) {
  for (const std::string page :
       {"<!-- a <b> c -->", "<!-->", "<!DOCTYPE html>", "<?xml version=\"1.0\"?>",
        "<![CDATA[a > b]]>", "<script>if (a < b) document.write('</b> x')</script>",
        "<STYLE type=x>p > a {}</style >", "<script>never closed </scripts>"}) {
    EXPECT_THAT(texts_of(page), IsEmpty()) << page;
    EXPECT_EQ(with_numbers("a<p>" + page), "1<p>" + page);
  }
}

// A megabyte; what reads to its end again and again takes an hour.
TEST(Markup, CodeIsReadOnce) {
  std::string page = "<script>";
  for (int i = 0; i < 100000; ++i) page += "</scripta ";
  EXPECT_THAT(texts_of(page + "</script>a"), ElementsAre("a"));
}

TEST(Markup, DeclarationsOfXmlMayHoldTheirOwnEnd) {
  using enum MarkupKind;
  for (const std::string other :
       {"<?pi a=\"x>y\"?>", "<!DOCTYPE x [<!ENTITY a \"b>\"> <!-- don't ]> -->]>", "<!--> b -->"}) {
    EXPECT_THAT(inlays_of(other + "a", xml), ElementsAre(other + " 0"));
    EXPECT_THAT(texts_of(other + "a", xml), ElementsAre("a"));
  }
  EXPECT_THAT(texts_of("<!--> a", html), ElementsAre("a"));
  EXPECT_THAT(texts_of("<?php if ($b->c) ?> a", html), ElementsAre("a"));
}

TEST(Markup, CharactersStandForTheirReferences) {
  EXPECT_THAT(texts_of("B&auml;r &amp; H&#228;hn&#xE4;r &lt;3 &ndash; 5&nbsp;&euro;"),
              ElementsAre("Bär & Hähnär <3 \u2013 5\u00A0€"));
}

TEST(Markup, WhatIsNoMarkupIsText) {
  EXPECT_THAT(texts_of("AT&T: 1 < 2 &; &a b; &#; &#x; </ 3"),
              ElementsAre("AT&T: 1 < 2 &; &a b; &#; &#x; </ 3"));
  EXPECT_THAT(texts_of("a <"), ElementsAre("a <"));
  EXPECT_THAT(texts_of("a &"), ElementsAre("a &"));
}

TEST(Markup, WhatHasNoEndIsNamed) {
  using enum MarkupKind;
  const auto open = [](std::string_view page, MarkupKind kind = html) {
    return unclosed_markup(page, kind).value_or("");
  };
  EXPECT_EQ(open("a <!-- b"), "the comment that begins with '<!-- b'");
  EXPECT_EQ(open("<p>a</p><a\nhref=\"b\""), "the tag that begins with '<a'");
  EXPECT_EQ(open("<a href=\"b>c</a> d"), "the tag that begins with '<a href=\"b>c</a> d'");
  EXPECT_EQ(open("<style>\np { }"), "the element that begins with '<style>'");
  EXPECT_EQ(open("<script>a</scrip>"), "the element that begins with '<script>a</scrip>'");
  EXPECT_EQ(open("<p translate=no>a<p>b</p>"),
            "the element that begins with '<p translate=no>a<p>b</p>'");
  EXPECT_EQ(open("<![CDATA[ a ]>", xml), "the CDATA section that begins with '<![CDATA[ a ]>'");
  EXPECT_EQ(open("<!DOCTYPE a [ <b>", xml), "the declaration that begins with '<!DOCTYPE a [ <b>'");
  EXPECT_EQ(open("<?a", xml), "the instruction that begins with '<?a'");
  EXPECT_EQ(open("</a", xml), "the tag that begins with '</a'");
  EXPECT_EQ(open("<" + std::string(50, 'a')),
            "the tag that begins with '<" + std::string(39, 'a') + "...'");
  for (const std::string_view page :
       {"", "a", "a < b <3 </ &", "<", "<b>a", "<p>a</p>\n", "<!-- a -->", "<!---->",
        "<style>a</style>", "<pre>a", "<a href='>'>b", "<br", "<br/>\n"})
    EXPECT_EQ(open(page), page == "<br" ? "the tag that begins with '<br'" : "") << page;
  EXPECT_EQ(open("<!-- a", none), "");
  // Elements of a page end without an end tag.
  EXPECT_EQ(unclosed_markup("<p translate=no>a", html, /*is_page=*/true), std::nullopt);
  EXPECT_EQ(unclosed_markup("<p>a<script>b", html, /*is_page=*/true),
            "the element that begins with '<script>b'");
  EXPECT_EQ(unclosed_markup("<p>a <!-- b", html, /*is_page=*/true),
            "the comment that begins with '<!-- b'");
}

TEST(Markup, WithoutALetterOrADigitNothingIsTranslated) {
  for (const std::string page : {"\n \n ", "<td>&nbsp;</td>", "<p> | &mdash; \u2022 \u00A0</p>",
                                 "<br>", "&amp;", "<b></b>"}) {
    EXPECT_THAT(texts_of(page), IsEmpty()) << page;
    EXPECT_EQ(read_markup(page).with({}), page);
  }
}

TEST(Markup, ALineWithoutMarkupIsOneSegmentAsItStands) {
  for (const std::string line : {"", " a  b ", "...", "a > b"})
    for (const MarkupKind kind : {MarkupKind::none, MarkupKind::html, MarkupKind::xml})
      EXPECT_THAT(texts_of(line, kind), ElementsAre(line));
  EXPECT_THAT(texts_of("a <b>&amp;</b>", MarkupKind::none), ElementsAre("a <b>&amp;</b>"));
}

TEST(Markup, BlanksAroundASegmentStay) {
  EXPECT_EQ(with_numbers("<p>\r\n\t&nbsp; a b \u00A0</p>"), "<p>\r\n\t&nbsp; 1 \u00A0</p>");
  EXPECT_THAT(texts_of("a\n  b&#10;c"), ElementsAre("a b c"));
}

TEST(Markup, LinesOfPreStayLines) {
  EXPECT_EQ(with_numbers("a\nb<pre>c\n\n  d\n</pre>e\nf"), "1<pre>2\n\n  3\n</pre>4");
}

TEST(Markup, BrokenBytesAreRepaired) {
  EXPECT_THAT(texts_of("<p>a\xFF<b>c</b></p>"), ElementsAre("a\uFFFDc"));
  EXPECT_THAT(texts_of("a\xFF"), ElementsAre("a\uFFFD"));
}

TEST(Markup, XmlHasNoBlocksAndTellsCapitalsApart) {
  EXPECT_THAT(texts_of("<p>A <br>red</br></p> dog", MarkupKind::xml), ElementsAre("A red dog"));
  EXPECT_THAT(inlays_of("<p>A</P>", MarkupKind::xml), ElementsAre("<p> 0", "</P> 1"));
  EXPECT_THAT(inlays_of("<P>A</P><_x:y>b</_x:y>", MarkupKind::xml),
              ElementsAre("<P>|</P> 0..1", "<_x:y>|</_x:y> 1..2"));
}

TEST(Markup, ElementsInVeryManyElementsAreHalves) {
  std::string page;
  const std::size_t depth = kDeepestInlay + 2;
  for (std::size_t i = 0; i < depth; ++i) page += "<b>";
  page += "x";
  for (std::size_t i = 0; i < depth; ++i) page += "</b>";
  const SegmentedText markup = read_markup(page);
  std::size_t halves = 0;
  for (const Inlay& inlay : markup.segments()[0].inlays)
    halves += inlay.kind != Inlay::Kind::element;
  EXPECT_EQ(halves, 4U);
}

TEST(Markup, AddressesEndAtReferencesAndAreNoTags) {
  const text::KeepOptions urls = text::kept_of({"urls"}),
                          placeholders = text::kept_of({"placeholders"});
  using enum MarkupKind;
  EXPECT_THAT(inlays_of("a &lt;https://x.org&gt; b", html, urls),
              ElementsAre("&lt;https://x.org&gt; 1"));
  EXPECT_THAT(texts_of("see https://x.org.&nbsp;and", html, urls), ElementsAre("see.\u00A0and"));
  EXPECT_THAT(inlays_of("a {b&nbsp;c} d", html, placeholders), ElementsAre("{b&nbsp;c} 1"));
  EXPECT_THAT(inlays_of("a https://x.org?b=1&amp;c=2 d", html, urls),
              ElementsAre("https://x.org?b=1&amp;c=2 1"));
  EXPECT_THAT(inlays_of("a <a href=/x/>b</a>", html, placeholders),
              ElementsAre("<a href=/x/>|</a> 1..3"));
}

TEST(Markup, NumbersThatStayAreThoseOfThePage) {
  const SegmentedText page =
      read_markup("10<sup>2</sup> dogs", MarkupKind::html, text::kept_of({"numbers"}));
  const auto& staying = page.segments().at(0).staying;
  EXPECT_EQ(page.segments()[0].text, "102 dogs");
  EXPECT_THAT(staying, ElementsAre(std::pair("10", 1), std::pair("2", 1)));
}

TEST(Markup, WhatIsKeptLeavesTheTextButNumbersStay) {
  const text::KeepOptions all = text::kept_of(text::kKeptNames);
  EXPECT_THAT(texts_of("Hallo {name}, 5 Mails", MarkupKind::none, all),
              ElementsAre("Hallo, 5 Mails"));
  EXPECT_THAT(inlays_of("Hallo {name}, 5 Mails", MarkupKind::none, all), ElementsAre("{name} 5"));
  text::KeepOptions taken = all;
  taken.taken = {"5"};
  EXPECT_THAT(texts_of("<b>5</b> Mails, 55", MarkupKind::html, taken), ElementsAre("Mails, 55"));
  // References are none.
  EXPECT_THAT(inlays_of("a&#228; http://x.de/?a&amp;b<i>c</i>", MarkupKind::html, all),
              ElementsAre("http://x.de/?a&amp;b 3", "<i>|</i> 3..5"));
}

}  // namespace
}  // namespace heed::document
