#include "base/new_name.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

TEST(NewName, IsNeverTheNameOfTheOldFile) {
  EXPECT_EQ(new_name("corpus.tsv", ".tsv"), "NEW.tsv");
  EXPECT_EQ(new_name("-", ""), "NEW");
  EXPECT_EQ(new_name("a/NEW", ""), "NEW2");
  EXPECT_EQ(new_name("NEW.tsv", ".tsv"), "NEW2.tsv");
  EXPECT_EQ(new_name("NEW2.tsv.gz", ".tsv"), "NEW3.tsv");
  EXPECT_EQ(new_name("NEWS.txt", ""), "NEW");
}

}  // namespace
}  // namespace heed
