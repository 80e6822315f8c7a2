#include "text/table.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "csv.h"

namespace heed::text {
namespace {

using Rows = std::vector<std::vector<std::string>>;

TEST(Csv, QuotesOnlyWhatNeedsIt) {
  EXPECT_EQ(csv_field("plain text"), "plain text");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("say \"hi\""), "\"say \"\"hi\"\"\"");
  EXPECT_EQ(csv_field("two\nlines"), "\"two\nlines\"");
  EXPECT_EQ(csv_field("\r"), "\"\r\"");
  EXPECT_EQ(csv_field(""), "");
}

TEST(Csv, ReadsWhatItWrites) {
  const Table table{{"name", "text, quoted"}, {{"a\"b", "two\nlines"}, {"", "1"}}};
  const Rows rows = parse_csv(table_csv(table));
  EXPECT_EQ(rows, (Rows{{"name", "text, quoted"}, {"a\"b", "two\nlines"}, {"", "1"}}));
}

TEST(TableText, AlignsNamesToTheLeftAndNumbersToTheRight) {
  const Table table{{"system", "BLEU"}, {{"none", "7.5"}, {"bahdanau", "83.52"}, {"ü", "1"}}};
  EXPECT_EQ(table_text(table),
            "system     BLEU\n"
            "none        7.5\n"
            "bahdanau  83.52\n"
            "ü             1\n");
}

TEST(TableText, RefusesARowOfAnotherLength) {
  EXPECT_THROW(table_text({{"a", "b"}, {{"1"}}}), Bug);
}

}  // namespace
}  // namespace heed::text
