// Links of two models, one of each direction, joined.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "inspect/aligners.h"

namespace heed::inspect {
namespace {

using study::Symmetrization;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

// Links of one direction alone would not be those of the method.
TEST(SymmetrizedAligner, ALineThatOneOfTwoModelsCannotTakeHasNoLinks) {
  const text::Pairs pairs{{"mira rel", long_line(20)}, {"rel mira", "mira"}};
  for (const Symmetrization method : {Symmetrization::union_, Symmetrization::grow_diag_final_and,
                                      Symmetrization::intersection}) {
    AlignerByRule takes_it = by_usual_rule(random_aligner(1)),
                  does_not = by_usual_rule(random_aligner(1, {.max_source_length = 12}));
    const auto links = SymmetrizedAligner(takes_it, does_not, method).align(pairs, 0);
    ASSERT_THAT(links, SizeIs(2));
    EXPECT_THAT(links[1], IsEmpty());
    EXPECT_THAT(takes_it.align(pairs, 0)[1], Not(IsEmpty()));
  }
}

TEST(SymmetrizedAligner, JoinsTheLinksOfBothTurnedRound) {
  AlignerByRule forward = by_usual_rule(random_aligner(1)),
                backward = by_usual_rule(random_aligner(1, {}, /*seed=*/6));
  const auto there = forward.align(kThreePairs, 0);
  const auto back = backward.align({kThreePairs.target, kThreePairs.source}, 0);
  const auto joined = [&](Symmetrization method) {
    return SymmetrizedAligner(forward, backward, method).align(kThreePairs, 0);
  };
  const auto any = joined(Symmetrization::union_), both = joined(Symmetrization::intersection);
  ASSERT_THAT(back, SizeIs(3));
  for (std::size_t line = 0; line < back.size(); ++line) {
    study::Alignment all = there[line], common;
    for (const study::Link& link : back[line]) {
      const study::Link turned{link.target, link.source};
      all.insert(turned);
      if (there[line].contains(turned)) common.insert(turned);
    }
    EXPECT_EQ(any[line], all) << line;
    EXPECT_EQ(both[line], common) << line;
  }
}

TEST(SymmetrizedAligner, CountsTheErrorsOfTheOtherModelAndOfWhatIsJoined) {
  AlignerByRule forward = by_usual_rule(random_aligner(1)),
                backward = by_usual_rule(random_aligner(1, {}, /*seed=*/6));
  std::vector<study::GoldAlignment> gold;
  for (const study::Alignment& links : forward.align(kThreePairs, 0))
    gold.push_back({links, links});
  const auto joined = [&](Symmetrization method) {
    SymmetrizedAligner aligner(forward, backward, method, gold);
    aligner.align(kThreePairs, 0);
    study::AlignmentError turned;
    const auto back = backward.align({kThreePairs.target, kThreePairs.source}, 0);
    for (std::size_t i = 0; i < back.size(); ++i) turned.add(study::reversed(back[i]), gold[i]);
    EXPECT_EQ(aligner.backward_error().rate(), turned.rate());
    return aligner.joined_error();
  };
  const auto both = joined(Symmetrization::intersection), any = joined(Symmetrization::union_),
             grown = joined(Symmetrization::grow_diag_final_and);
  EXPECT_GE(both.precision(), any.precision());
  EXPECT_LE(both.recall(), any.recall());
  EXPECT_GE(grown.recall(), both.recall());
  EXPECT_LE(both.links, any.links);
}

// One aligner is called several times for the chunks of a file.
TEST(SymmetrizedAligner, CountsLinesFromTheFirst) {
  const text::Pairs second{{kThreePairs.source[1]}, {kThreePairs.target[1]}};
  AlignerByRule forward = by_usual_rule(random_aligner(1)),
                backward = by_usual_rule(random_aligner(1));
  const auto gold = reversed_links(kThreePairs);
  SymmetrizedAligner aligner(forward, backward, Symmetrization::union_, gold);
  study::AlignmentError alone;
  alone.add(aligner.align(second, 1).front(), gold[1]);
  EXPECT_EQ(aligner.joined_error().rate(), alone.rate());
  EXPECT_EQ(aligner.joined_error().sure, alone.sure);
}

}  // namespace
}  // namespace heed::inspect
