#include "draw/page_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "draw/pages.h"

namespace heed::draw {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(PageData, LinksNameAnyFile) {
  EXPECT_EQ(address_of("runs/a-1_b.c~/ä b?%#\".html"), "runs/a-1_b.c~/%C3%A4%20b%3F%25%23%22.html");
}

TEST(PageData, OfAScriptCannotEndIt) {
  EXPECT_EQ(script_data({{"a", "</script><!-- > &"}}), R"({"a":"\u003c/script>\u003c!-- > &"})");
}

// RFC 4648, section 10.
TEST(Figure, HasBothFormsAndACaptionIfThereIsOne) {
  const std::string with =
      render("figure.html", figure_data("<svg>w</svg>", "<svg>n</svg>", "a < b"));
  EXPECT_THAT(with, HasSubstr("<div class=\"broad\"><svg>w</svg></div>"));
  EXPECT_THAT(with, HasSubstr("<div class=\"slim\"><svg>n</svg></div>"));
  EXPECT_THAT(with, HasSubstr("<figcaption>a &lt; b</figcaption>"));
  EXPECT_THAT(render("figure.html", figure_data("w", "n")), Not(HasSubstr("figcaption")));
}

TEST(Table, NamesItsColumnsInEachCellAndInSmallPrint) {
  const std::string shown = render(
      "table.html", table_data({{"system"}, {"BLEU", "in %"}}, {{{"a"}, {"<1>"}}, {{"b"}, {"2"}}}));
  EXPECT_THAT(shown, HasSubstr("<th scope=\"col\">BLEU<small>in %</small></th>"));
  EXPECT_THAT(shown, HasSubstr("<th scope=\"row\" dir=\"auto\">a</th>"));
  EXPECT_THAT(shown, HasSubstr("<td data-name=\"BLEU, in %\">&lt;1&gt;</td>"));
  EXPECT_THROW(table_data({{"a"}, {"b"}}, {{{"1"}}}), Bug);
}

TEST(Table, OfMoreThanFourColumnsIsBlocksWhereThePageIsNarrow) {
  const auto shown = [](const std::vector<Column>& columns) {
    return render("table.html", table_data(columns, {}));
  };
  EXPECT_THAT(shown({{"a"}, {"b"}, {"c"}, {"d"}}), Not(HasSubstr("blocks")));
  EXPECT_THAT(shown({{"a"}, {"b"}, {"c"}, {"d"}, {"e"}}), HasSubstr("class=\"blocks\""));
}

TEST(LiveAttentionPage, IsTheWholePageWithItsTitleAlone) {
  const std::string page = live_attention_page("a < b");
  EXPECT_THAT(page, HasSubstr("<title>a &lt; b</title>"));
  EXPECT_THAT(page, Not(HasSubstr("{{")));  // every mark is filled
}

TEST(WordsData, MarksTheWordsOfThisTextAlone) {
  const auto shown = [](const std::vector<study::TextPart>& parts) {
    return render("words.html", {{"words", words_data(parts)}});
  };
  EXPECT_THAT(shown({{.text = "a < b", .common = true}, {.text = "c & d", .common = false}}),
              HasSubstr("a &lt; b <mark>c &amp; d</mark>"));
  EXPECT_THAT(shown({}), Not(HasSubstr("mark")));
}

}  // namespace
}  // namespace heed::draw
