#include <gtest/gtest.h>

#include "draw/pages.h"

namespace heed::draw {
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

}  // namespace
}  // namespace heed::draw
