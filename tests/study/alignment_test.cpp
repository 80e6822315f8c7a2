#include "study/alignment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "message.h"

namespace heed::study {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Pharaoh, ReadsSureAndPossibleLinksAndWritesThemSorted) {
  const GoldAlignment gold = parse_pharaoh("10-2 0-0  1?1 2p3\t0-1\r", "gold:1");
  EXPECT_EQ(pharaoh(gold.sure), "0-0 0-1 10-2");
  EXPECT_EQ(pharaoh(gold.possible), "0-0 0-1 1-1 2-3 10-2");
  EXPECT_TRUE(parse_pharaoh("", "gold:2").possible.empty());
}

TEST(Pharaoh, MayCountFromOne) {
  const GoldAlignment gold = parse_pharaoh("1-1 3?2", "gold:1", 1);
  EXPECT_EQ(pharaoh(gold.possible), "0-0 2-1");
  EXPECT_THAT(message_of<UserError>([] { parse_pharaoh("1-1 0-2", "gold:1", 1); }),
              HasSubstr("gold:1: '0-2' is no alignment link"));
}

TEST(Pharaoh, NamesThePlaceOfAMalformedLink) {
  for (const char* bad : {"0-0 x", "1-", "-1", "1-2-3", "1:2", "a-b", "0--1"}) {
    try {
      parse_pharaoh(bad, "gold.align:12");
      ADD_FAILURE() << bad;
    } catch (const UserError& error) {
      EXPECT_THAT(error.what(), HasSubstr("gold.align:12: '"));
    }
  }
}

TEST(Pharaoh, QuotesNoMoreOfAMalformedLinkThanALine) {
  EXPECT_EQ(message_of<UserError>([] { parse_pharaoh("\x01" + std::string(999, 'x'), "gold:1"); }),
            "gold:1: '\\x01" + std::string(79, 'x') +
                "...' is no alignment link; write i-j (or i?j where it is only possible), counting "
                "from 0");
}

TEST(Alignment, LinksEachTargetToWhatItLooksAtMost) {
  const AttentionMatrix matrix{.target = {"a", "b", "c", "</s>"},
                               .source = {"x", "y", "</s>"},
                               .weights = {0.2f, 0.7f, 0.1f,  //
                                           0.4f, 0.4f, 0.2f,  //
                                           0.1f, 0.2f, 0.7f,  //
                                           1.0f, 0.0f, 0.0f}};
  EXPECT_EQ(pharaoh(hard_alignment(matrix)), "0-1 1-0");
  EXPECT_EQ(pharaoh(hard_alignment(matrix, 0.5)), "1-0");
  // A word of the text may be spelled as the end.
  const AttentionMatrix spelled{.target = {"</s>", "b", "</s>"},
                                .source = {"</s>", "y", "</s>"},
                                .weights = {0.7f, 0.2f, 0.1f,  //
                                            0.1f, 0.8f, 0.1f,  //
                                            0.9f, 0.1f, 0.0f}};
  EXPECT_EQ(pharaoh(hard_alignment(spelled)), "0-0 1-1");
}

TEST(Alignment, TheDiagonalStretchesToBothEnds) {
  EXPECT_EQ(pharaoh(diagonal(3, 3)), "0-0 1-1 2-2");
  EXPECT_EQ(pharaoh(diagonal(5, 3)), "0-0 2-1 4-2");
  EXPECT_EQ(pharaoh(diagonal(1, 3)), "0-0 0-1 0-2");
  EXPECT_TRUE(diagonal(0, 3).empty());
}

TEST(AlignmentError, FollowsOchAndNey) {
  // A = {0-0, 1-1, 2-2}, S = {0-0, 1-2}, P = S + {1-1}: 1 - (1 + 2) / (3 + 2).
  AlignmentError error;
  error.add({{0, 0}, {1, 1}, {2, 2}}, parse_pharaoh("0-0 1-2 1?1", "gold:1"));
  EXPECT_DOUBLE_EQ(error.rate(), 0.4);
  EXPECT_DOUBLE_EQ(error.precision(), 2.0 / 3);
  EXPECT_DOUBLE_EQ(error.recall(), 0.5);
  // A second, perfect sentence: 1 - (3 + 4) / (5 + 4).
  error.add({{0, 0}, {1, 1}}, parse_pharaoh("0-0 1-1", "gold:2"));
  EXPECT_DOUBLE_EQ(error.rate(), 2.0 / 9);
  EXPECT_EQ(AlignmentError().rate(), 0);
}

}  // namespace
}  // namespace heed::study
