#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "document/tables.h"

namespace heed::document {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(CsvTable, AColumnByNameIsTranslatedAndAllElseStays) {
  const std::string text =
      "\uFEFFid,text,note\r\n1,The dog sleeps. It dreams.,x\r\n\r\n2,\"Red, \"\"blue\"\"\",\"y, "
      "z\"\r\n"
      "3,,w\r\n4";
  EXPECT_THAT(cells_in(text, "csv", {"text"}),
              ElementsAre("The dog sleeps.", "It dreams.", "Red, \"blue\""));
  EXPECT_EQ(with_cells(text, "csv", {"text"}, "ab"),
            "\uFEFFid,text,note\r\n1,ab ab,x\r\n\r\n2,\"ab\",\"y, z\"\r\n3,,w\r\n4");
  EXPECT_EQ(with_same_cells(text, "csv", {"text", "note"}), text);
}

TEST(CsvTable, FormulasOfSpreadsheetsStay) {
  EXPECT_THAT(cells_in("a;b\n=SUM(A1:A3);one\n=A1+B2;two\n\"=IF(A1;\"\"x\"\";2)\";three\n"
                       "= so;four\n=) it;five\n",
                       "csv", {"a"}),
              ElementsAre("= so", "=) it"));
}

TEST(CsvTable, ACellIsQuotedWhereItMustBe) {
  const std::string text = "a,b\nOne,Two\n";
  EXPECT_EQ(with_cells(text, "csv", {"a"}, "x, y"), "a,b\n\"x, y\",Two\n");
  EXPECT_EQ(with_cells(text, "csv", {"b"}, "x \"y\""), "a,b\nOne,\"x \"\"y\"\"\"\n");
  EXPECT_EQ(with_cells(text, "csv", {"a", "b"}, "x; y"), "a,b\nx; y,x; y\n");
  EXPECT_EQ(with_cells("a;b\n One;Two\n", "csv", {"a"}, "x; y"), "a;b\n\" x; y\";Two\n");
  EXPECT_EQ(with_cells("a,b\n\"One\",Two\n", "csv", {"a"}, "\"x\""), "a,b\n\"\"\"x\"\"\",Two\n");
  EXPECT_EQ(with_cells("text\nOne\n", "csv", {"text"}, "x, y"), "text\n\"x, y\"\n");
  // A quote inside a cell without quotes is a character.
  EXPECT_EQ(with_same_cells("a,b\n5\" pipe,Two\n", "csv", {"a"}), "a,b\n5\" pipe,Two\n");
  EXPECT_THAT(cells_in("a,b\n5\" pipe,Two\n", "csv", {"a"}), ElementsAre("5\" pipe"));
}

TEST(CsvTable, LinesOfACellAreReadByThemselves) {
  const std::string text = "id,text\n1,\"One two\n\nthree. \"\"Four\"\"\r\n  five\"\n2,six\n";
  EXPECT_THAT(cells_in(text, "csv", {"text"}),
              ElementsAre("One two", "three.", "\"Four\"", "five", "six"));
  EXPECT_EQ(with_cells(text, "csv", {"text"}, "z"), "id,text\n1,\"z\n\nz z\r\n  z\"\n2,z\n");
  EXPECT_THAT(table(text, "csv", {"text"}).lines(), ElementsAre(2, 4, 4, 5, 6));
}

TEST(CsvTable, NumbersOfListsStay) {
  const std::string text =
      "a,b\n\"Steps:\n  1) One\n  2) Two\n4) Four\",x\n\"1. One\n2. Two\n4. May\",x\n3) One,x\n3. "
      "May,x\n";
  EXPECT_THAT(cells_in(text, "csv", {"a"}),
              ElementsAre("Steps:", "One", "Two", "Four", "One", "Two", "4. May", "One", "3. May"));
  EXPECT_EQ(with_cells(text, "csv", {"a"}, "z"),
            "a,b\n\"z\n  1) z\n  2) z\n4) z\",x\n\"1. z\n2. z\nz\",x\n3) z,x\nz,x\n");
}

TEST(CsvTable, TheSeparatorIsFound) {
  EXPECT_THAT(cells_in("id;text\n1;One, two, three\n", "csv", {"text"}),
              ElementsAre("One, two, three"));
  EXPECT_THAT(cells_in("id\ttext\n1\tOne, two; three\n", "csv", {"text"}),
              ElementsAre("One, two; three"));
  EXPECT_THAT(cells_in("sep=;\r\na,b;text\r\n1;One, two\r\n", "csv", {"text"}),
              ElementsAre("One, two"));
  EXPECT_EQ(with_cells("sep=;\r\na;b\r\n1;One\r\n", "csv", {"b"}, "x;"),
            "sep=;\r\na;b\r\n1;\"x;\"\r\n");
  // Without names the rows decide.
  EXPECT_THAT(cells_in("1;One, two, three\n2;four\n", "csv", {"2"}),
              ElementsAre("One, two, three", "four"));
  EXPECT_THAT(cells_in("a, b;c, d\n1;two\n", "csv", {"c, d"}), ElementsAre("two"));
}

TEST(CsvTable, ANameMeansAHeaderAndANumberNone) {
  const std::string text = "first,second\nOne,Two\n";
  EXPECT_THAT(cells_in(text, "csv", {"second"}), ElementsAre("Two"));
  EXPECT_THAT(cells_in(text, "csv", {"2"}), ElementsAre("second", "Two"));
  EXPECT_THAT(cells_in(text, "csv", {"2", "first"}), ElementsAre("One", "Two"));
  EXPECT_THAT(cells_in("\" first \",b\nOne,Two\n", "csv", {"first"}), ElementsAre("One"));
  EXPECT_THAT(cells_in("", "csv", {"text"}), IsEmpty());
}

TEST(CsvTable, MistakesNameColumnsAndLines) {
  EXPECT_EQ(mistake_in("id,text\n1,a\n", "csv", {"txt"}),
            "--column txt: no column has this name; there are: id, text");
  EXPECT_EQ(mistake_in("id,text\n1,a\n", "csv", {"3"}),
            "--column 3: columns are counted from 1 to 2");
  EXPECT_THAT(mistake_in("id,text\n1,a\n", "csv", {"0"}), HasSubstr("from 1 to 2"));
  EXPECT_THAT(mistake_in("id,text\n1,a\n", "csv", {}), HasSubstr("there are: id, text"));
  EXPECT_THAT(mistake_in("a,a\n1,2\n", "csv", {"a"}), HasSubstr("several columns"));
  EXPECT_THAT(mistake_in("id,text\n1,a\n2,b, c\n", "csv", {"text"}),
              HasSubstr("line 3: 3 cells, and the first row has 2"));
  EXPECT_EQ(mistake_in("id,text\n1,a,\n", "csv", {"text"}), "");
  EXPECT_THAT(mistake_in("id,text\n1,a\n2,\"b\n", "csv", {"text"}),
              HasSubstr("line 3: the quote at the beginning of a cell has no end"));
  EXPECT_THAT(mistake_in("id,text\n1,\"a\" b\n", "csv", {"text"}),
              HasSubstr("line 2: characters follow the quote"));
}

TEST(CsvTable, KeptItemsStayAndQuotesAroundThemAreDoubled) {
  const std::string text =
      "id,text\n1,\"Press <x id=\"\"1\"\"/> in {name}, please\"\n2,{a} b {c}\n";
  const auto kept = text::kept_of({"placeholders"});
  EXPECT_EQ(with_cells(text, "csv", {"text"}, "z", kept).substr(0, 8), "id,text\n");
  EXPECT_THAT(with_cells(text, "csv", {"text"}, "z", kept), HasSubstr("{name}"));
  EXPECT_THAT(cells_in("a\n\"say \"\"{name}\"\" now\"\n", "csv", {"a"}, kept),
              ElementsAre("say \"X1\" now"));
  EXPECT_EQ(with_cells("a\n\"say \"\"{name}\"\" now\"\n", "csv", {"a"}, "x \"X1\" y", kept),
            "a\n\"x \"\"{name}\"\" y\"\n");
}

}  // namespace
}  // namespace heed::document
