#include "data/split.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/strings.h"
#include "temporary_folder.h"

namespace heed::data {
namespace {

class Split : public testing::Test {
 protected:
  CorpusFiles pair(const std::string& name) const {
    CorpusFiles files;
    files.source = folder / (name + ".de");
    files.target = folder / (name + ".en");
    return files;
  }
  SplitFiles parts() const { return {pair("train"), pair("valid"), pair("test")}; }

  /// So many pairs with numbers, each line once, and a blank one.
  void write_numbers(int count, bool backwards = false) {
    std::string source, target;
    for (int i = 0; i < count; ++i) {
      const std::string number = std::to_string(backwards ? count - 1 - i : i);
      source += "Satz " + number + "\n";
      target += "sentence " + number + " here\n";
    }
    folder.write("all.de", source + "\n");
    folder.write("all.en", target + "blank\n");
  }
  /// `shared` pairs of three sources, and `own` pairs that share no side.
  void write_menu(int shared, int own) {
    std::string source, target;
    for (int i = 0; i < shared; ++i) {
      source += "Menü " + std::to_string(i % 3) + "\n";
      target += "menu " + std::to_string(i) + "\n";
    }
    for (int i = 0; i < own; ++i) {
      source += "selten " + std::to_string(i) + "\n";
      target += "rare " + std::to_string(i) + "\n";
    }
    folder.write("all.de", source);
    folder.write("all.en", target);
  }
  std::set<std::string> lines(const std::string& name) const {
    auto all = split_words_of(read_file(folder / name));
    return {all.begin(), all.end()};
  }
  static std::vector<std::string> split_words_of(const std::string& text) {
    auto all = heed::split(text, '\n');
    all.pop_back();
    return all;
  }

  TemporaryFolder folder;
};

TEST_F(Split, HoldsOutAsManyPairsAsAskedFor) {
  write_numbers(2000);
  const SplitCounts counts = split(pair("all"), 100, 203, parts());
  EXPECT_EQ(counts.train, 1697);
  EXPECT_EQ(counts.valid, 100);
  EXPECT_EQ(counts.test, 203);
  EXPECT_EQ(counts.left_out, 0);
  EXPECT_EQ(lines("train.de").size(), 1697U);
  EXPECT_EQ(lines("valid.en").size(), 100U);
  EXPECT_EQ(lines("test.en").size(), 203U);
}

TEST_F(Split, WritesNoPartOfNoPairs) {
  write_numbers(10);
  const SplitCounts counts = split(pair("all"), 0, 3, parts());
  EXPECT_EQ(counts.train, 7);
  EXPECT_EQ(counts.valid, 0);
  EXPECT_FALSE(std::filesystem::exists(folder / "valid.de"));
  EXPECT_EQ(lines("test.de").size(), 3U);
}

TEST_F(Split, OfPairsThatAreNearlyTheSameIsNearlyTheSame) {
  write_numbers(500);
  split(pair("all"), 50, 50, parts());
  auto before = lines("valid.de");
  before.merge(lines("test.de"));
  write_numbers(505);
  split(pair("all"), 50, 50, parts());
  auto after = lines("valid.de");
  after.merge(lines("test.de"));
  std::set<std::string> kept;
  std::ranges::set_intersection(before, after, std::inserter(kept, kept.end()));
  EXPECT_GE(kept.size(), 95U);  // each new pair takes the place of one at most
}

TEST_F(Split, LeavesSomethingToTrainOnOrWritesNothing) {
  folder.write("all.de", "a\nb\na\n \na\n");
  folder.write("all.en", "x\ny\nx\nz\nx\n");
  for (const int64_t test : {1, 2}) try {
      split(pair("all"), 1, test, parts());
      ADD_FAILURE() << test;
    } catch (const UserError& error) {
      EXPECT_EQ(error.what(), (folder / "all.de") + " + " + (folder / "all.en") +
                                  ": 2 different pairs; 1 for validation and " +
                                  std::to_string(test) + " for test leave none to train on");
    }
  EXPECT_FALSE(std::filesystem::exists(folder / "train.de"));
  EXPECT_EQ(split(pair("all"), 0, 1, parts()).test, 1);
}

TEST_F(Split, HoldsOutTheSamePairsInAnyOrder) {
  write_numbers(500);
  split(pair("all"), 50, 50, parts());
  const auto valid = lines("valid.de"), test = lines("test.de");
  write_numbers(500, /*backwards=*/true);
  split(pair("all"), 50, 50, parts());
  EXPECT_EQ(lines("valid.de"), valid);
  EXPECT_EQ(lines("test.de"), test);
}

TEST_F(Split, APairThatStandsThereTwiceIsOnOneSideOnly) {
  std::string source, target;
  for (int i = 0; i < 600; ++i) {
    source += "Satz " + std::to_string(i % 200) + "\n";
    target += "sentence " + std::to_string(i % 200) + "\n";
  }
  folder.write("all.de", source);
  folder.write("all.en", target);
  const SplitCounts counts = split(pair("all"), 60, 60, parts());
  EXPECT_EQ(counts.train, 240);
  EXPECT_EQ(counts.left_out, 2 * 120);
  for (const std::string& line : lines("valid.de")) EXPECT_FALSE(lines("train.de").contains(line));
  EXPECT_EQ(split_words_of(read_file(folder / "valid.de")).size(), lines("valid.de").size());
}

TEST_F(Split, HoldsOutPairsWhoseSidesAreInNoOtherPairFirst) {
  write_menu(900, 100);
  const SplitCounts counts = split(pair("all"), 40, 40, parts());
  EXPECT_EQ(counts.train, 920);
  EXPECT_EQ(counts.overlap, 0);
  for (const char* part : {"valid.de", "test.de"})
    for (const std::string& line : lines(part)) EXPECT_TRUE(line.starts_with("selten")) << line;
}

TEST_F(Split, SpreadsRepeatedLinesOverBothPartsAndCountsWhatTrainingShares) {
  write_menu(300, 50);
  const SplitCounts counts = split(pair("all"), 50, 50, parts());
  EXPECT_EQ(counts.train, 250);
  EXPECT_EQ(counts.overlap, 250);  // the three messages are held out, too
  int64_t rare = 0;
  for (const char* part : {"valid.de", "test.de"}) {
    const auto sources = lines(part);
    EXPECT_TRUE(sources.contains("Menü 0") || sources.contains("Menü 1") ||
                sources.contains("Menü 2"));
    rare += std::ranges::count_if(sources, [](const auto& line) { return line[0] == 's'; });
  }
  EXPECT_EQ(rare, 50);
}

TEST_F(Split, TheShapeKnowsSlipsAndAHeader) {
  std::string source, target;
  for (int i = 0; i < 80; ++i) {
    std::string words;
    for (int word = 0; word <= (i * i * 7 + i) % 19; ++word) words += "a b c ";
    words += std::to_string(i) + ' ';
    source += words + ".\n";
    if (i < 79) target += (i == 40 ? "\n" : "") + words + "d.\n";
  }
  folder.write("all.de", source);
  folder.write("all.en", target);
  const CorpusShape slipped = shape_of(pair("all"));
  EXPECT_EQ(slipped.slips.text(),
            std::vector<std::string>({"from line 41 on the target is 1 line late"}));
  EXPECT_FALSE(slipped.has_header);
  folder.write("all.de", "source\na\n");
  folder.write("all.en", "target\nb\n");
  EXPECT_TRUE(shape_of(pair("all")).has_header);
  EXPECT_FALSE(shape_of(pair("all")).slips.any());
}

TEST_F(Split, TheLettersOfRareWordsAreCounted) {
  // By frequency: ab (6), cde (3), f (2), wxyz (1, of the target) and g (1, of the source). The
  // target has 6 words and 14 letters: ab ab ab cde f wxyz.
  folder.write("all.de", "ab ab ab cde cde\nf g\n");
  folder.write("all.en", "ab ab ab cde\nf wxyz\n");
  const WordLengths lengths = shape_of(pair("all")).target_lengths;
  EXPECT_DOUBLE_EQ(lengths.beyond[0], 8. / 6);  // without ab: cde f wxyz
  EXPECT_DOUBLE_EQ(lengths.beyond[1], 5. / 6);  // without cde
  EXPECT_DOUBLE_EQ(lengths.beyond[3], 0);
  EXPECT_DOUBLE_EQ(lengths.beyond_rank(0.3), 8. / 6);
  EXPECT_NEAR(lengths.beyond_rank(std::sqrt(2.)), 6.5 / 6, 1e-12);
  EXPECT_DOUBLE_EQ(lengths.beyond_rank(1e9), 0);
}

TEST_F(Split, TheShapeCountsWordsAndScripts) {
  folder.write("all.de", "ein Haus\nein roter Hund\n\n");
  folder.write("all.en", "дом\nкрасная собака\nx\n");
  const CorpusShape shape = shape_of(pair("all"));
  EXPECT_EQ(shape.pairs, 2);
  EXPECT_EQ(shape.blank, 1);
  EXPECT_EQ(shape.source_words, 5);
  EXPECT_EQ(shape.target_words, 3);
  EXPECT_EQ(shape.target_letters, 3 + 7 + 6);
  EXPECT_EQ(shape.source_types, 4);
  EXPECT_EQ(shape.longest, 3);
  EXPECT_EQ(shape.characters, 11 + 10);  // einHausrotd and домкрасняб
  EXPECT_EQ(shape.source_script, text::Script::latin);
  EXPECT_EQ(shape.target_script, text::Script::cyrillic);
}

}  // namespace
}  // namespace heed::data
