#include "benchmarks/bench/page.h"

#include <gtest/gtest.h>

namespace heed::bench {
namespace {

TEST(ExperimentsPage, ShowsEveryTableAndPicture) {
  const std::string page = experiments_page(
      "Costs & more",
      {{"attention <cost>", {{"n", "<ms>"}, {{"128", "< 7"}}}, {"<svg>one</svg>"}}, {"b", {}, {}}});
  EXPECT_NE(page.find("<title>Costs &amp; more</title>"), std::string::npos);
  EXPECT_NE(page.find("<h2 id=\"e1\">attention &lt;cost&gt;</h2>"), std::string::npos);
  EXPECT_NE(page.find("<svg>one</svg>"), std::string::npos);
  EXPECT_NE(page.find(">128</th><td data-name=\"&lt;ms&gt;\">&lt; 7</td>"), std::string::npos);
  EXPECT_NE(page.find("href=\"#e2\""), std::string::npos);
}

// Other tables of the folder are shown, too, whatever is in them.
TEST(ExperimentsPage, TextStaysText) {
  const std::string markup = "</h2><script>alert(1)</script>\" onload='x' {{name}} {{> a}}";
  const std::string page =
      experiments_page(markup, {{markup, {{markup, "b"}, {{markup, "a&b"}}}, {}}});
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_EQ(page.find("\" onload"), std::string::npos);
  EXPECT_NE(page.find("&lt;/h2&gt;&lt;script&gt;alert(1)"), std::string::npos);
  EXPECT_NE(page.find("{{name}}"), std::string::npos);
}

}  // namespace
}  // namespace heed::bench
