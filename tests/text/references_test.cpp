#include "text/references.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heed::text {
namespace {

/// The characters of the reference that the text begins with, and its bytes.
std::string read(std::string_view text) {
  const auto reference = reference_at(text, 0);
  return reference ? reference->text() + " " + std::to_string(reference->bytes) : "none";
}

std::string read_html(std::string_view text, bool is_in_attribute = false) {
  const auto reference = html_reference_at(text, 0, is_in_attribute);
  return reference ? reference->text() + " " + std::to_string(reference->bytes) : "none";
}

TEST(References, NamesAreThoseOfHtml) {
  EXPECT_EQ(read("&amp;a"), "& 5");
  EXPECT_EQ(read("&Aacute;"), "\u00C1 8");
  EXPECT_EQ(read("&rarr;"), "\u2192 6");
  EXPECT_EQ(read("&zwnj;"), "\u200C 6");
  EXPECT_EQ(read("&CounterClockwiseContourIntegral;"), "\u2233 33");
  EXPECT_EQ(read("&NotEqualTilde;"), "\u2242\u0338 15");
  EXPECT_EQ(read("&nosuch;"), " 8");
  EXPECT_EQ(read("&AMP"), "none");
  EXPECT_EQ(read("& amp;"), "none");
}

TEST(References, NumbersAreWhatHtmlSays) {
  EXPECT_EQ(read("&#228;"), "\u00E4 6");
  EXPECT_EQ(read("&#xE4;"), "\u00E4 6");
  EXPECT_EQ(read("&#128;"), "\u20AC 6");
  EXPECT_EQ(read("&#x9f;"), "\u0178 6");
  EXPECT_EQ(read("&#150;"), "\u2013 6");
  EXPECT_EQ(read("&#129;"), "\u0081 6");  // has no character in Windows-1252
  EXPECT_EQ(read("&#0;"), " 4");
  EXPECT_EQ(read("&#xD800;"), " 8");
  EXPECT_EQ(read("&#99999999999;"), " 14");
  EXPECT_EQ(read("&#;"), "none");
}

TEST(References, OfHtmlMayLackTheirSemicolon) {
  EXPECT_EQ(read_html("&copy 2001"), "\u00A9 5");
  EXPECT_EQ(read_html("&notit;"), "\u00AC 4");
  EXPECT_EQ(read_html("&notin;"), "\u2209 7");
  EXPECT_EQ(read_html("&#8364 5"), "\u20AC 6");
  EXPECT_EQ(read_html("&#x20acg"), "\u20AC 7");
  EXPECT_EQ(read_html("&rarr 5"), "none");
  EXPECT_EQ(read_html("&nosuch;"), " 8");
  EXPECT_EQ(read_html("&"), "none");
  EXPECT_EQ(read_html("&#"), "none");
  EXPECT_EQ(read_html("&copy=2", /*is_in_attribute=*/true), "none");
  EXPECT_EQ(read_html("&copy2", /*is_in_attribute=*/true), "none");
  EXPECT_EQ(read_html("&copy 2", /*is_in_attribute=*/true), "\u00A9 5");
}

TEST(References, AreWrittenWhereACharacterWouldBeMarkup) {
  EXPECT_EQ(with_references("a & <b> \"'"), "a &amp; &lt;b&gt; \"'");
  EXPECT_EQ(with_references_in_quotes("a & \"b\" 'c'"), "a &amp; &quot;b&quot; &#39;c&#39;");
  EXPECT_EQ(with_references_unquoted("a b=`c/"), "a&#32;b&#61;&#96;c&#47;");
}

}  // namespace
}  // namespace heed::text
