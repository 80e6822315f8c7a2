#include "data/slips.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/format.h"
#include "base/random.h"
#include "base/strings.h"
#include "data/realign.h"
#include "temporary_folder.h"

namespace heed::data {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Lines = std::vector<std::string>;

/// Sentences of 3 to 22 words, and translations that are about as long, of other words.
struct TwoTexts {
  Lines source, target;

  explicit TwoTexts(int64_t lines) {
    Random random(7);
    for (int64_t i = 0; i < lines; ++i) {
      const auto words = 3 + random.next() % 20;
      std::string from, to;
      for (uint64_t word = 0; word < words; ++word) {
        from += std::string(1 + random.next() % 8, 'a') + ' ';
        to += std::string(1 + random.next() % 8, 'b') + ' ';
      }
      const char* end = random.next() % 4 == 0 ? "?" : ".";
      source.push_back(from + std::to_string(i) + end);
      target.push_back(to + std::to_string(i) + end);
    }
  }
};

Slips slips_of(const Lines& source, const Lines& target) {
  SlipFinder finder;
  for (const std::string& line : source) finder.add_source(marks_of(line));
  for (const std::string& line : target) finder.add_target(marks_of(line));
  return finder.finish();
}

Lines spliced(Lines lines, int64_t at, int64_t removed, const Lines& added = {}) {
  const auto from = lines.begin() + at;
  lines.insert(lines.erase(from, from + removed), added.begin(), added.end());
  return lines;
}

TEST(Slips, ALineTooManyIsFoundWhereItIs) {
  const TwoTexts corpus(400);
  EXPECT_THAT(slips_of(corpus.source, corpus.target).text(), IsEmpty());
  const Slips late = slips_of(corpus.source, spliced(corpus.target, 200, 0, {""}));
  EXPECT_THAT(late.text(), ElementsAre("from line 201 on the target is 1 line late"));
  EXPECT_EQ(late.sources, 400);
  EXPECT_EQ(late.targets, 401);
  EXPECT_THAT(slips_of(spliced(corpus.source, 120, 0, {"x", "y"}), corpus.target).text(),
              ElementsAre("from line 123 on the target is 2 lines early"));
}

TEST(Slips, TheirMessageHasTheCommandThatMendsThem) {
  const TwoTexts corpus(400);
  const Slips late = slips_of(corpus.source, spliced(corpus.target, 200, 0, {""}));
  const std::string said = "lines have slipped: from line 201 on the target is 1 line late";
  EXPECT_EQ(late.fault("a b.de", "b.en")->message,
            said + "; mend it by `heed clean 'a b.de' b.en --realign -o realigned`");
  EXPECT_EQ(late.fault("c.tsv", "")->message,
            said +
                "; mend it by `cut -f1 c.tsv > SOURCE; cut -f2 c.tsv > TARGET; heed clean SOURCE "
                "TARGET --realign -o realigned`");
  EXPECT_THAT(late.fault("c d.tsv.gz", "")->message,
              HasSubstr("`zcat < 'c d.tsv.gz' | cut -f1 > SOURCE; zcat < 'c d.tsv.gz' | cut -f2 > "
                        "TARGET; heed clean SOURCE "));
  const TemporaryFolder folder;  // a table is read line by line
  EXPECT_EQ(late.fault("a.de", folder.write("b.csv", "a,b\n"))->message, said);
}

TEST(Slips, ASlipThatEndsAgainHasItsLastLine) {
  const TwoTexts corpus(400);
  const Lines target = spliced(spliced(corpus.target, 300, 1), 200, 0, {"b b b 5."});
  EXPECT_THAT(slips_of(corpus.source, target).text(),
              ElementsAre("lines 201 to 300: the target is 1 line late"));
}

TEST(Slips, AMissingPieceIsFoundFarAway) {
  const TwoTexts corpus(3000);
  EXPECT_THAT(slips_of(corpus.source, spliced(corpus.target, 1000, 700)).text(),
              ElementsAre("from line 1701 on the target is 700 lines early"));
  EXPECT_THAT(slips_of(spliced(corpus.source, 0, 700), corpus.target).text(),
              ElementsAre("from line 1 on the target is 700 lines late"));
}

TEST(Slips, WindowsOfALongFileAreOne) {
  const TwoTexts corpus(20000);
  Lines target = corpus.target;
  for (const int64_t at : {15000, 9000, 8000, 40}) target.insert(target.begin() + at, "b b 3.");
  EXPECT_THAT(slips_of(corpus.source, target).text(),
              ElementsAre("lines 41 to 8000: the target is 1 line late",
                          "lines 8001 to 9000: the target is 2 lines late",
                          "lines 9001 to 15000: the target is 3 lines late",
                          "from line 15001 on the target is 4 lines late"));
}

TEST(Slips, VeryManyAreFoundByTheLengths) {
  const TwoTexts corpus(2400);
  Lines target;
  for (int64_t i = 0; i < 2400; ++i) {
    target.push_back(corpus.target[i]);
    if (i % 80 == 79) target.emplace_back();
  }
  const Slips slips = slips_of(corpus.source, target);
  int64_t right = 0;
  for (const Stretch& stretch : slips.stretches)
    for (int64_t i = stretch.begin; i < stretch.end; ++i) right += stretch.lag == i / 80;
  EXPECT_GE(right, 2390);
}

TEST(Slips, FilesThatDoNotBelongTogetherAreStrangers) {
  const TwoTexts corpus(600);
  Lines reversed(corpus.target.rbegin(), corpus.target.rend());
  const Slips slips = slips_of(corpus.source, reversed);
  EXPECT_FALSE(slips.any());
  EXPECT_THAT(slips.blindness(), HasSubstr("no more like their translations"));
  const auto fault = slips.fault("a", "b");
  ASSERT_TRUE(fault);
  EXPECT_FALSE(fault->can_be_mended);
  EXPECT_EQ(fault->message,
            "line i of a looks no more like line i of b than like any other: do the sides belong "
            "together, in the same order?");
  EXPECT_THAT(slips.fault("t.tsv", "")->message,
              HasSubstr("line i of t.tsv's first column looks no more like line i of the second"));
  EXPECT_FALSE(slips_of(corpus.source, corpus.target).fault("a", "b"));
  EXPECT_EQ(slips_of(corpus.source, corpus.target).blindness(), "");
  EXPECT_EQ(slips_of(Lines(20, "a b"), Lines(21, "c d")).blindness(),
            "20 lines are too few to tell whether they have slipped; 50 tell it");
}

/// The lines from `begin` on in another order.
Lines shuffled(Lines lines, int64_t begin, int64_t end) {
  Random random(3);
  for (int64_t i = end - 1; i > begin; --i)
    std::swap(lines[i], lines[begin + static_cast<int64_t>(random.next() % (i - begin + 1))]);
  return lines;
}

TEST(Slips, APartOutOfOrderIsNamed) {
  const TwoTexts corpus(1200);
  const Slips half = slips_of(corpus.source, shuffled(corpus.target, 600, 1200));
  ASSERT_EQ(half.stretches.size(), 2U);
  EXPECT_NEAR(half.stretches[1].begin, 600, 3);
  EXPECT_EQ(half.stretches[1].end, 1200);
  EXPECT_FALSE(half.stretches[1].in_order);
  EXPECT_TRUE(half.any());
  const auto fault = half.fault("a.de", "a.en");
  ASSERT_TRUE(fault);
  EXPECT_TRUE(fault->can_be_mended);
  EXPECT_EQ(fault->message,
            fmt::format("lines are out of order: lines {} to 1200 fit at no lag: out of order, or "
                        "of another text; leave them out by `heed clean a.de a.en --realign -o "
                        "realigned`",
                        half.stretches[1].begin + 1));
  const Slips most = slips_of(corpus.source, shuffled(corpus.target, 200, 1200));
  ASSERT_EQ(most.stretches.size(), 2U);
  EXPECT_NEAR(most.stretches[1].begin, 200, 3);
}

TEST(Slips, APartOutOfOrderMayHaveALineTooManyBeforeIt) {
  const TwoTexts corpus(1200);
  const Slips both =
      slips_of(corpus.source, spliced(shuffled(corpus.target, 800, 1200), 400, 0, {""}));
  const auto text = both.text();
  ASSERT_EQ(text.size(), 2U);
  EXPECT_EQ(text[0],
            fmt::format("lines 401 to {}: the target is 1 line late", both.stretches[1].end));
  EXPECT_THAT(text[1], HasSubstr("to 1200 fit at no lag"));
  EXPECT_THAT(both.fault("a", "b")->message, HasSubstr("lines have slipped: lines 401 to "));
}

TEST(Slips, VeryManySlipsOfAReversedFileAreChance) {
  const TwoTexts corpus(1799);
  Lines sorted = corpus.target;
  std::ranges::sort(sorted);
  EXPECT_FALSE(slips_of(corpus.source, sorted).any());
  EXPECT_FALSE(slips_of(corpus.source, sorted).fault("a", "b")->can_be_mended);
}

TEST(Slips, TheFilesThatMendThemHaveAnotherName) {
  EXPECT_EQ(realigned_name("a.de", "a.en"), "realigned");
  EXPECT_EQ(realign_command("realigned.source", "realigned.target"),
            "heed clean realigned.source realigned.target --realign -o realigned_again");
}

TEST(Slips, LinesThatAllLookAlikeTellNothing) {
  const Slips alike = slips_of(Lines(300, "a b c."), Lines(301, "d e f."));
  EXPECT_FALSE(alike.could_be_seen());
  EXPECT_FALSE(alike.any());
  const TwoTexts few(49);
  EXPECT_FALSE(slips_of(few.source, spliced(few.target, 3, 0, {""})).any());
  EXPECT_FALSE(slips_of({}, {}).any());
}

TEST(Slips, ALineThatIsRepeatedCountsOnce) {
  // By chance such groups of five look like their neighbours.
  const TwoTexts corpus(100);
  Lines source, target;
  for (std::size_t i = 0; i < 100; ++i)
    for (int again = 0; again < 5; ++again) {
      source.push_back(corpus.source[i]);
      target.push_back(corpus.target[i]);
    }
  EXPECT_FALSE(slips_of(source, target).any());
  EXPECT_THAT(slips_of(source, spliced(target, 250, 0, {""})).text(),
              ElementsAre("from line 251 on the target is 1 line late"));
}

TEST(Slips, EmptyLinesAtRegularPlacesAreNoEvidence) {
  TwoTexts corpus(300);
  for (std::size_t i = 0; i < 300; i += 10) corpus.source[i] = corpus.target[i + 5] = "";
  EXPECT_THAT(slips_of(corpus.source, corpus.target).text(), IsEmpty());
  EXPECT_THAT(slips_of(corpus.source, spliced(corpus.target, 150, 0, {"b b 3."})).text(),
              ElementsAre("from line 151 on the target is 1 line late"));
}

TEST(LineMarks, AreWhatTranslationsShare) {
  const LineMarks one = marks_of("Am 3.12. (Montag) sah er „Peter“, oder?");
  const LineMarks other = marks_of("On 3/12 (Monday) he saw \"Peter\", right?");
  EXPECT_EQ(one.counts, other.counts);
  EXPECT_EQ(one.numbers, other.numbers);
  EXPECT_NE(one.words & other.words, 0U);
  EXPECT_FLOAT_EQ(marks_of("äöü").length, marks_of("abc").length);
  EXPECT_EQ(marks_of("彼は行く。").counts, marks_of("He goes.").counts);
  EXPECT_EQ(marks_of("٣٤").numbers, marks_of("34").numbers);
  EXPECT_NE(marks_of("").counts, marks_of("a").counts);
}

TEST(Realign, TwoLinesForOneAndLinesAlone) {
  const TwoTexts corpus(200);
  std::vector<LineMarks> source, target;
  std::vector<int64_t> partners;
  for (std::size_t i = 0; i < 200; ++i) {
    source.push_back(marks_of(corpus.source[i]));
    target.push_back(marks_of(corpus.target[i]));
    partners.push_back(static_cast<int64_t>(i));
  }
  const PairLikeness likeness(source, target, partners);
  const std::span<const LineMarks> all = source;
  std::vector<LineMarks> short_target(target.begin(), target.begin() + 4);
  short_target[1] = joined(target[1], target[2]);
  short_target.erase(short_target.begin() + 2);
  EXPECT_THAT(align(all.subspan(0, 4), short_target, likeness),
              ElementsAre(Bead{1, 1}, Bead{2, 1}, Bead{1, 1}));
  short_target.pop_back();
  EXPECT_THAT(align(all.subspan(0, 4), short_target, likeness),
              ElementsAre(Bead{1, 1}, Bead{2, 1}, Bead{1, 0}));
  EXPECT_THAT(align(all.subspan(0, 2), {}, likeness), ElementsAre(Bead{1, 0}, Bead{1, 0}));
  EXPECT_THAT(align({}, {}, likeness), IsEmpty());
}

/// The pairs of realign(), and the lines without a partner.
struct Realigned {
  std::vector<std::pair<std::string, std::string>> pairs;
  Lines alone, out_of_order;
  RealignedCounts counts;

  Realigned(const Lines& source, const Lines& target) {
    const TemporaryFolder folder;
    write_atomic(folder / "s", join(source, "\n") + "\n");
    write_atomic(folder / "t", join(target, "\n") + "\n");
    counts = realign(
        folder / "s", folder / "t", find_slips(folder / "s", folder / "t"),
        {.pair = [&](const auto& from, const auto& to) { pairs.emplace_back(from, to); },
         .alone =
             [&](const LineAlone& one) {
               (one.out_of_order ? out_of_order : alone)
                   .push_back((one.of_source ? "s" : "t") + std::to_string(one.number) + one.line);
             }});
  }
};

TEST(Realign, GivesThePairsAsTheyWere) {
  const TwoTexts corpus(600);
  const auto pairs_without = [&](int64_t from, int64_t to) {
    std::vector<std::pair<std::string, std::string>> pairs;
    for (int64_t i = 0; i < 600; ++i)
      if (i < from || i >= to) pairs.emplace_back(corpus.source[i], corpus.target[i]);
    return pairs;
  };
  const Realigned same(corpus.source, corpus.target);
  EXPECT_EQ(same.pairs, pairs_without(0, 0));
  EXPECT_THAT(same.alone, IsEmpty());
  const Realigned blank(corpus.source, spliced(corpus.target, 200, 0, {""}));
  EXPECT_EQ(blank.pairs, pairs_without(0, 0));
  EXPECT_THAT(blank.alone, ElementsAre("t201"));
  const Realigned gap(spliced(corpus.source, 300, 40), corpus.target);
  EXPECT_EQ(gap.pairs, pairs_without(300, 340));
  EXPECT_EQ(gap.counts.targets, 40);
  EXPECT_EQ(gap.alone.front(), "t301" + corpus.target[300]);
  const Realigned first(spliced(corpus.source, 0, 0, {"x"}), corpus.target);
  EXPECT_EQ(first.pairs, pairs_without(0, 0));
  EXPECT_THAT(first.alone, ElementsAre("s1x"));

  const std::string two = corpus.target[100] + ' ' + corpus.target[101];
  const Realigned merged(corpus.source, spliced(corpus.target, 100, 2, {two}));
  EXPECT_EQ(merged.pairs.size(), 599U);
  EXPECT_EQ(merged.pairs[100], std::pair(corpus.source[100] + ' ' + corpus.source[101], two));
  EXPECT_EQ(merged.counts.joined, 1);
}

TEST(Realign, ABlankLineHasNoPartner) {
  const TwoTexts corpus(600);
  Lines source, target;
  for (int64_t i = 0; i < 600; ++i) {
    if (i % 150 == 90) source.emplace_back();
    if (i % 100 == 60) target.emplace_back();
    source.push_back(corpus.source[i]);
    target.push_back(corpus.target[i]);
  }
  const Realigned mended(source, target);
  EXPECT_EQ(mended.counts.sources, 4);
  EXPECT_EQ(mended.counts.targets, 6);
  ASSERT_EQ(mended.pairs.size(), 600);
  for (std::size_t i = 0; i < 600; ++i)
    EXPECT_EQ(mended.pairs[i], std::pair(corpus.source[i], corpus.target[i])) << i;
  Lines hole = corpus.target;
  hole[300].clear();
  EXPECT_THAT(Realigned(corpus.source, hole).alone,
              ElementsAre("s301" + corpus.source[300], "t301"));
}

TEST(Realign, LeavesOutWhatIsOutOfOrder) {
  const TwoTexts corpus(1200);
  const Realigned mended(corpus.source, shuffled(corpus.target, 500, 900));
  EXPECT_NEAR(mended.counts.sources_out_of_order, 400, 6);
  EXPECT_NEAR(mended.counts.targets_out_of_order, 400, 6);
  EXPECT_EQ(std::ssize(mended.out_of_order),
            mended.counts.sources_out_of_order + mended.counts.targets_out_of_order);
  int64_t wrong = 0;
  for (const auto& [from, to] : mended.pairs)
    wrong += from.substr(from.rfind(' ')) != to.substr(to.rfind(' '));
  EXPECT_LE(wrong, 3);
  EXPECT_GE(std::ssize(mended.pairs), 794);
}

TEST(Realign, SaysOfBlocksThatChangedPlacesThatTheyHavePartners) {
  const TwoTexts corpus(1200);
  Lines target = corpus.target;
  std::rotate(target.begin() + 300, target.begin() + 600, target.begin() + 900);
  const Realigned mended(corpus.source, target);
  EXPECT_GE(mended.pairs.size(), 890U);
  EXPECT_GE(mended.counts.sources_out_of_order, 285);
  EXPECT_GE(mended.counts.targets_out_of_order, 285);
  EXPECT_LE(mended.counts.sources + mended.counts.targets, 20);
}

TEST(Realign, KeepsTooFewLinesAsTheyAre) {
  const Realigned few({"a", "b"}, {"c", "d", "e"});
  EXPECT_THAT(few.pairs, ElementsAre(std::pair("a", "c"), std::pair("b", "d")));
  EXPECT_THAT(few.alone, ElementsAre("t3e"));
}

}  // namespace
}  // namespace heed::data
