#include "draw/html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "draw/attention_page.h"
#include "draw/marked.h"

namespace heed::draw {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Html, ElementsEndWithTheirNameAlone) {
  EXPECT_EQ(element("p", "<b>x</b>"), "<p><b>x</b></p>");
  EXPECT_EQ(element("div class=\"wide\"", "x", "id=\"y\""), "<div class=\"wide\" id=\"y\">x</div>");
  EXPECT_EQ(text_element("p", "a < b & \"c\""), "<p>a &lt; b &amp; &quot;c&quot;</p>");
}

TEST(Html, LinksNameAnyFile) {
  EXPECT_EQ(file_link("ä & b", "runs/a-1_b.c~/ä b?%#\".html"),
            "<a href=\"runs/a-1_b.c~/%C3%A4%20b%3F%25%23%22.html\">ä &amp; b</a>");
}

TEST(Html, DataOfAScriptCannotEndIt) {
  EXPECT_EQ(script_data(R"({"a": "</script><!-- > &"})"),
            R"({"a": "\u003c/script>\u003c!-- > &"})");
}

// RFC 4648, section 10.
TEST(Base64, IsThatOfTheStandard) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foob"), "Zm9vYg==");
  EXPECT_EQ(base64("fooba"), "Zm9vYmE=");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64(std::string_view("\xff\xfe\0\xfb", 4)), "//4A+w==");
}

TEST(Figure, HasBothFormsAndACaptionIfThereIsOne) {
  const std::string with = figure("<svg>w</svg>", "<svg>n</svg>", "a < b");
  EXPECT_THAT(with, HasSubstr("<div class=\"broad\"><svg>w</svg></div>"));
  EXPECT_THAT(with, HasSubstr("<div class=\"slim\"><svg>n</svg></div>"));
  EXPECT_THAT(with, HasSubstr("<figcaption>a &lt; b</figcaption>"));
  EXPECT_THAT(figure("w", "n"), Not(HasSubstr("figcaption")));
}

TEST(Table, NamesItsColumnsInEachCellAndInSmallPrint) {
  const std::string shown = table({{"system"}, {"BLEU", "in %"}}, {{"a", "<b>1</b>"}, {"b", "2"}});
  EXPECT_THAT(shown, HasSubstr("<th scope=\"col\">BLEU<small>in %</small></th>"));
  EXPECT_THAT(shown, HasSubstr("<th scope=\"row\" dir=\"auto\">a</th>"));
  EXPECT_THAT(shown, HasSubstr("<td data-name=\"BLEU, in %\"><b>1</b></td>"));
  EXPECT_THROW(table(columns_of({"a", "b"}), {{"1"}}), Bug);
}

TEST(Table, OfMoreThanFourColumnsIsBlocksWhereThePageIsNarrow) {
  EXPECT_THAT(table(columns_of({"a", "b", "c", "d"}), {}), Not(HasSubstr("blocks")));
  EXPECT_THAT(table(columns_of({"a", "b", "c", "d", "e"}), {}), HasSubstr("class=\"blocks\""));
}

TEST(LiveAttentionPage, IsTheWholePageWithItsTitleAlone) {
  const std::string page = live_attention_page("a < b");
  EXPECT_THAT(page, HasSubstr("<title>a &lt; b</title>"));
  EXPECT_THAT(page, Not(::testing::ContainsRegex("@[a-z_]+@")));  // every mark is filled
}

TEST(Marked, AreTheWordsOfThisTextAlone) {
  EXPECT_EQ(marked({{.text = "a < b", .common = true}, {.text = "c & d", .common = false}}),
            "a &lt; b <mark>c &amp; d</mark>");
  EXPECT_EQ(marked({}), "");
}

}  // namespace
}  // namespace heed::draw
