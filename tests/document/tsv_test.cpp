#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "document/tables.h"

namespace heed::document {
namespace {

using testing::ElementsAre;

TEST(TsvTable, QuotesAreCharacters) {
  const std::string text = "\"Yes\", she said.\tx\n\"No.\ty\n";
  EXPECT_THAT(cells_in(text, "tsv", {"1"}), ElementsAre("\"Yes\", she said.", "\"No."));
  EXPECT_EQ(with_cells(text, "tsv", {"1"}, "a, \"b\""), "a, \"b\"\tx\na, \"b\"\ty\n");
  EXPECT_EQ(with_cells("a\tb\nOne\tTwo\n", "tsv", {"a"}, "x\ty\nz"), "a\tb\nx y z\tTwo\n");
  // Quotes that happen to make cells, of even rows, are characters, too.
  EXPECT_THAT(cells_in("\"One\ttwo\nthree\tfour\"\n", "tsv", {"1"}), ElementsAre("\"One", "three"));
}

TEST(TsvTable, QuotesAreAroundCellsWhereTheTableShowsIt) {
  const std::string text = "id\ttext\n1\t\"One\ttwo\nthree\"\n2\tfour\n";
  EXPECT_THAT(cells_in(text, "tsv", {"text"}), ElementsAre("One\ttwo", "three", "four"));
  EXPECT_EQ(with_cells(text, "tsv", {"text"}, "a\tb"),
            "id\ttext\n1\t\"a\tb\na\tb\"\n2\t\"a\tb\"\n");
  EXPECT_THAT(cells_in("id\ttext\n1\t\"say \"\"One\"\"\"\n", "tsv", {"text"}),
              ElementsAre("say \"One\""));
}

TEST(TsvTable, CellsThatAreNotThereStayAway) {
  const std::string text = "a\tb\tc\n1\tOne\n\n2\tTwo\tThree\n";
  EXPECT_THAT(cells_in(text, "tsv", {"c"}), ElementsAre("Three"));
  EXPECT_EQ(with_same_cells(text, "tsv", {"b", "c"}), text);
  EXPECT_EQ(mistake_in("a\tb\n1\t2\t3\n", "tsv", {"b"}),
            "line 2: 3 cells, and the first row has 2; a cell with a separator in it stands in "
            "quotes");
}

}  // namespace
}  // namespace heed::document
