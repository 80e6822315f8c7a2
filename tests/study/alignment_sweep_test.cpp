
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "message.h"
#include "study/alignment.h"

namespace heed::study {
namespace {

using testing::HasSubstr;

AttentionMatrix head(int64_t index, std::vector<float> weights) {
  return {.layer = 0,
          .head = index,
          .target = {"▁a", "b", "▁c", "</s>"},
          .source = {"▁x", "▁y", "</s>"},
          .weights = std::move(weights)};
}

const AttentionMatrix kFirst = head(0, {0.6f, 0.3f, 0.1f,  //
                                        0.1f, 0.8f, 0.1f,  //
                                        0.5f, 0.4f, 0.1f,  //
                                        0.1f, 0.8f, 0.1f});
const AttentionMatrix kSecond = head(1, {0.9f, 0.05f, 0.05f,  //
                                         0.9f, 0.05f, 0.05f,  //
                                         0.2f, 0.7f, 0.1f,    //
                                         0.0f, 0.0f, 1.0f});

TEST(WordAlignment, AWordsRowsAreThoseOfItsPieces) {
  EXPECT_EQ(pharaoh(word_alignment(kFirst, false)), "0-1 1-0");  // ab: (0.35, 0.55)
  EXPECT_EQ(pharaoh(word_alignment(kSecond, false)), "0-0 1-1");
}

TEST(WordAlignment, TheReadingStepIsTheOneAfter) {
  EXPECT_EQ(pharaoh(word_alignment(kFirst, true)), "1-0 1-1");  // ab: rows 2 and 3, (0.3, 0.6)
  EXPECT_EQ(pharaoh(word_alignment(kSecond, true)), "0-0");     // c: the row of </s>
}

TEST(AlignmentSweep, MeasuresEveryHeadTheMeanAndBothSteps) {
  AlignmentSweep sweep;
  sweep.add(std::vector{kFirst, kSecond}, parse_pharaoh("0-0 1-1", "gold:1"), "gold:1");
  ASSERT_EQ(sweep.errors().size(), 6U);
  const auto rate = [&](int64_t head, bool reads) {
    return sweep.errors().at({.layer = 0, .head = head, .reads = reads}).rate();
  };
  EXPECT_DOUBLE_EQ(rate(0, false), 1);
  EXPECT_DOUBLE_EQ(rate(0, true), 0.5);
  EXPECT_DOUBLE_EQ(rate(1, false), 0);
  EXPECT_DOUBLE_EQ(rate(1, true), 1 - 2.0 / 3);
  EXPECT_DOUBLE_EQ(rate(-1, false), 0);  // ab: (0.625, 0.3), c: (0.35, 0.55)
  EXPECT_DOUBLE_EQ(rate(-1, true), 1);   // ab: (0.425, 0.4875), c: </s>
  EXPECT_DOUBLE_EQ(sweep.diagonal().rate(), 0);
  EXPECT_EQ(sweep.best(), (AlignmentChoice{.layer = 0, .head = -1, .reads = false}));
}

TEST(AlignmentSweep, AModelOfOneHeadHasNoMean) {
  AlignmentSweep sweep;
  sweep.add(std::vector{kFirst}, parse_pharaoh("0-1", "gold:1"), "gold:1");
  EXPECT_EQ(sweep.errors().size(), 2U);
  EXPECT_EQ(sweep.best().head, 0);
}

TEST(AlignmentSweep, ASentenceOfNothingCountsNothing) {
  AlignmentSweep sweep;
  sweep.add({}, {}, "gold:1");
  EXPECT_EQ(sweep.sentences(), 0);
  EXPECT_THAT(message_of<UserError>([&] { sweep.best(); }), HasSubstr("no sentence"));
}

TEST(AlignmentSweep, GoldOutsideTheSentenceIsNamed) {
  AlignmentSweep sweep;
  for (const char* links : {"2-0", "0-2", "0-0 1?2"})
    EXPECT_THAT(message_of<UserError>([&] {
                  sweep.add(std::vector{kFirst}, parse_pharaoh(links, "g"), "gold.align:7");
                }),
                testing::AllOf(testing::StartsWith("gold.align:7: the link"),
                               HasSubstr("2 source and 2 target words")));
}

TEST(AlignmentSweep, TheTableStarsWhatWasWritten) {
  AlignmentSweep sweep;
  sweep.add(std::vector{kFirst}, parse_pharaoh("0-1 1-1", "gold:1"), "gold:1");
  const AlignmentChoice chosen{.layer = 0, .head = 0, .reads = false};
  EXPECT_EQ(sweep_table(sweep, chosen),
            "layer     head  step   AER %  precision %  recall %\n"
            "0         0     emits  50.00        50.00     50.00  *\n"
            "0         0     reads  50.00        50.00     50.00\n"
            "diagonal               50.00        50.00     50.00\n");
  AlignmentError joined;
  joined.add({{0, 1}, {1, 1}}, parse_pharaoh("0-1 1-1", "gold:1"));
  EXPECT_THAT(sweep_table(sweep, chosen, {{"union", joined}}),
              testing::AllOf(HasSubstr("emits  50.00        50.00     50.00\n"),
                             HasSubstr("100.00    100.00  *\n")));
  const auto json = nlohmann::json::parse(sweep_json(sweep, chosen, {{"union", joined}}));
  EXPECT_EQ(json["sentences"], 1);
  EXPECT_EQ(json["chosen"], nlohmann::json({{"layer", 0}, {"head", 0}, {"step", "emits"}}));
  EXPECT_EQ(json["choices"].size(), 2U);
  EXPECT_EQ(json["diagonal"]["aer"], 0.5);
  EXPECT_EQ(json["others"][0]["name"], "union");
  EXPECT_EQ(json["others"][0]["recall"], 1);
}

TEST(Symmetrize, GrowsFromTheIntersectionAndEndsWithTheUnlinked) {
  const auto links = [](const char* text) { return parse_pharaoh(text, "").sure; };
  const Alignment forward = links("0-0 1-1 1-2 3-3 5-4"), backward = links("0-0 1-1 2-1 4-3 5-0");
  EXPECT_EQ(pharaoh(symmetrize(forward, backward, Symmetrization::intersection)), "0-0 1-1");
  EXPECT_EQ(pharaoh(symmetrize(forward, backward, Symmetrization::union_)),
            "0-0 1-1 1-2 2-1 3-3 4-3 5-0 5-4");
  // 1-2 and 2-1 touch 1-1 and bring in a word each; 3-3 and 5-4 have no linked word, while 4-3 and
  // 5-0 have one by then.
  EXPECT_EQ(pharaoh(symmetrize(forward, backward, Symmetrization::grow_diag_final_and)),
            "0-0 1-1 1-2 2-1 3-3 5-4");
}

TEST(Symmetrize, GrowthGoesOnFromWhatItAdded) {
  const auto links = [](const char* text) { return parse_pharaoh(text, "").sure; };
  // 1-1 touches 0-0, 2-1 touches that, 3-1 that.
  EXPECT_EQ(pharaoh(symmetrize(links("0-0 1-1"), links("0-0 2-1 3-1"),
                               Symmetrization::grow_diag_final_and)),
            "0-0 1-1 2-1 3-1");
}

TEST(Symmetrize, AgreementStaysAsItIsAndNothingStaysNothing) {
  const Alignment same = {{0, 3}, {2, 1}};
  for (const auto method : {Symmetrization::intersection, Symmetrization::union_,
                            Symmetrization::grow_diag_final_and}) {
    EXPECT_EQ(symmetrize(same, same, method), same);
    EXPECT_TRUE(symmetrize({}, {}, method).empty());
  }
  EXPECT_EQ(pharaoh(reversed(same)), "1-2 3-0");
}

}  // namespace
}  // namespace heed::study
