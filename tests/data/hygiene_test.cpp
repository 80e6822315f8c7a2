#include "data/hygiene.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "compressed.h"
#include "message.h"
#include "temporary_folder.h"

namespace heed::data {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class Hygiene : public testing::Test {
 protected:
  CorpusFiles files(const std::string& name, const std::string& source, const std::string& target) {
    CorpusFiles files;
    files.source = folder.write(name + ".de", source);
    files.target = folder.write(name + ".en", target);
    return files;
  }
  /// The flaws of a training corpus, by name and line.
  std::vector<std::string> flaws(const std::string& source, const std::string& target,
                                 double ratio = 9) {
    DataConfig config;
    config.clean_ratio = ratio;
    config.train = {files("train", source, target)};
    const HygieneReport report = check_hygiene(config);
    std::vector<std::string> out;
    for (std::size_t i = 0; i < kFlaws; ++i)
      if (const Notice& notice = report.sets.at(0).found[i]; notice.count > 0)
        out.push_back(flaw_names()[i] + " " + notice.text());
    return out;
  }

  TemporaryFolder folder;
};

TEST_F(Hygiene, FindsNothingInSoundPairs) {
  EXPECT_THAT(flaws("eins\nzwei\ndrei\n", "one\ntwo\nthree\n"), IsEmpty());
  EXPECT_THAT(flaws("eins\nzwei\neins\n", "one\ntwo\none more\n"), IsEmpty());
}

TEST_F(Hygiene, FindsPairsThatWereThereBefore) {
  EXPECT_THAT(flaws("eins\nzwei\n eins \neins\nzwei\n", "one\ntwo\none\none\n2\n"),
              ElementsAre("duplicates 2 (lines 3, 4)"));
}

TEST_F(Hygiene, FindsBlankSidesWhichAreNoDuplicates) {
  EXPECT_THAT(flaws("\n \n\neins\n", "one\n\none\n\t\n"),
              ElementsAre("empty 4 (lines 1, 2, 3, 4)"));
}

TEST_F(Hygiene, FindsSidesThatAreTheSame) {
  EXPECT_THAT(flaws("DVD\nOK\n", " DVD\nok\n"), ElementsAre("identical 1 (line 1)"));
}

TEST_F(Hygiene, FindsLengthsOutOfRatioInCharacters) {
  EXPECT_THAT(flaws("aa\naa\nä ö ü ß ä ö ü ß\n", "bbbb b\nbbbbb\nb c\n", 2.5),
              ElementsAre("ratio 1 (line 3)"));
}

TEST_F(Hygiene, FindsLinesInAnotherScriptThanMost) {
  EXPECT_THAT(flaws("eins\nдва\ndrei\n4\n", "один\nпара\nтри\nfour\n"),
              ElementsAre("script 2 (lines 2, 4)"));
  std::string source, target;
  for (int i = 0; i < 13; ++i) {
    source += i % 3 == 0 ? "eins\n" : i % 3 == 1 ? "два\n" : "τρία\n";
    target += "one " + std::to_string(i) + "\n";
  }
  EXPECT_THAT(flaws(source, target), ElementsAre("script 8 (lines 2, 3, 5, 6, 8, 9, 11, 12)"));
}

TEST_F(Hygiene, FindsTheSamePairBehindInvisibleCharacters) {
  EXPECT_THAT(flaws("eins\n\u200Beins\nzwei\uFEFF\nzwei\n\u200B\n",
                    "one\none\u2060\ntwo\nt\u00ADwo\nnothing\n"),
              ElementsAre("duplicates 2 (lines 2, 4)", "empty 1 (line 5)"));
}

TEST_F(Hygiene, FindsDamagedCharacters) {
  EXPECT_THAT(flaws("f\xFCr\nfÃ¼r\nfür\nf\uFFFDr\n", "for\nfor me\nfor you\nfor us\n"),
              ElementsAre("encoding 3 (lines 1, 2, 4)"));
}

TEST_F(Hygiene, NamesTheFirstTenLines) {
  std::string source, target;
  for (int i = 0; i < 13; ++i) {
    source += "eins\n";
    target += "one\n";
  }
  EXPECT_THAT(flaws(source, target),
              ElementsAre("duplicates 12 (lines 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 2 more)"));
}

TEST_F(Hygiene, FindsWhatValidationAndTestShareWithTraining) {
  DataConfig config;
  config.train = {files("train", "eins\nzwei\ndrei\n", "one\ntwo\nthree\n"),
                  files("more", "vier\neins\n", "four\none\n")};
  config.valid = files("valid", "zwei\nfünf\neins\n\n", "two\nfour\nnone\none\n");
  config.test = files("test", "sechs\n", "six\n");
  const HygieneReport report = check_hygiene(config);
  ASSERT_EQ(report.sets.size(), 4U);
  EXPECT_EQ(report.sets[0].key, "data.train.0");
  EXPECT_THAT(report.sets[0].of(Flaw::overlap).lines, ElementsAre(1, 2));
  EXPECT_THAT(report.sets[1].of(Flaw::overlap).lines, ElementsAre(1, 2));
  EXPECT_THAT(report.sets[1].of(Flaw::duplicates).lines, ElementsAre(2));
  const HygieneReport::Set& valid = report.sets[2];
  EXPECT_EQ(valid.key, "data.valid");
  EXPECT_THAT(valid.source_in_training.lines, ElementsAre(1, 3));
  EXPECT_THAT(valid.target_in_training.lines, ElementsAre(1, 2, 4));
  EXPECT_THAT(valid.pair_in_training.lines, ElementsAre(1));
  EXPECT_EQ(valid.of(Flaw::overlap).count, 0);
  EXPECT_EQ(report.sets[3].source_in_training.count, 0);
}

TEST_F(Hygiene, LooksAtFurtherValidationSetsThatOverlapWithNothing) {
  DataConfig config;
  config.train = {files("train", "eins\nzwei\ndrei\n", "one\ntwo\nthree\n")};
  config.valid = files("valid", "vier\n", "four\n");
  config.more_valid = {files("talks", "acht\nzwei\n", "eight\ntwo\n")};
  const HygieneReport report = check_hygiene(config);
  ASSERT_EQ(report.sets.size(), 3U);
  EXPECT_EQ(report.sets[0].of(Flaw::overlap).count, 0);  // cleaning leaves these pairs in
  const HygieneReport::Set& talks = report.sets[2];
  EXPECT_EQ(talks.key, "data.more_valid.0");
  EXPECT_THAT(talks.source_in_training.lines, ElementsAre(2));
  EXPECT_THAT(talks.pair_in_training.lines, ElementsAre(2));
}

TEST_F(Hygiene, SaysItInShortLines) {
  DataConfig config;
  config.train = {files("train", "eins\nzwei\neins\n", "один\nдва\nодин\n")};
  config.valid = files("valid", "drei\neins\n", "три\nраз\n");
  config.test = files("test", "vier\n", "четыре\n");
  const auto name = [&](const CorpusFiles& files) { return files.source + " + " + files.target; };
  EXPECT_THAT(check_hygiene(config).text(),
              ElementsAre("data.train: " + name(config.train[0]) + ", 3 pairs, Latin + Cyrillic",
                          "  the same as an earlier pair: 1 (line 3)",
                          "  a side is also in data.valid or data.test: 2 (lines 1, 3)",
                          "data.valid: " + name(config.valid) + ", 2 pairs, Latin + Cyrillic",
                          "  source also in data.train: 1 (line 2)",
                          "data.test: " + name(config.test) +
                              ", 1 pair, Latin + Cyrillic: no flaws found"));
}

TEST_F(Hygiene, SaysWhichLinesAreNoTextInUtf8) {
  DataConfig config;
  const std::string nul("ei\0ns\nzwei\n", 11);
  config.train = {files("train", nul, "one\ntwo\n"), files("more", "f\xFCnf\ndrei\n", "five\n3\n")};
  const HygieneReport report = check_hygiene(config);
  EXPECT_THAT(report.text(),
              ElementsAre(HasSubstr("data.train.0: "),
                          "  " + config.train[0].source +
                              ": lines with a NUL byte: 1, the first is line 1; NUL counts as a "
                              "blank",
                          HasSubstr("data.train.1: "), HasSubstr("damaged"),
                          "  " + config.train[1].source +
                              ": lines that are not UTF-8: 1, the first is line 1; the broken "
                              "bytes count as U+FFFD"));
  EXPECT_THAT(report.to_json(), HasSubstr("lines with a NUL byte: 1"));
}

TEST_F(Hygiene, LinesThatHaveSlippedAreAWarning) {
  std::string source, target = "\n";
  for (int i = 0; i < 80; ++i) {
    std::string words;
    for (int word = 0; word <= (i * i * 7 + i) % 19; ++word) words += "a b c ";
    source += words + std::to_string(i) + " .\n";
    if (i < 79) target += words + std::to_string(i) + " d.\n";
  }
  DataConfig config;
  config.train = {files("train", source, target)};
  int64_t warnings = 0;
  for (const HygieneReport::Line& line : check_hygiene(config).lines()) {
    EXPECT_EQ(line.is_warning, line.text.starts_with("  lines have slipped: ")) << line.text;
    warnings += line.is_warning;
  }
  EXPECT_EQ(warnings, 1);
}

TEST_F(Hygiene, ATableBesideATextIsNoSlip) {
  std::string table = "en,de\n", text;
  for (int i = 0; i < 80; ++i) {
    std::string words;
    for (int word = 0; word <= (i * i * 7 + i) % 19; ++word) words += "a b c ";
    table += "\"" + words + std::to_string(i) + " .\",x\n";
    if (i < 79) text += words + std::to_string(i) + " d.\n";
  }
  DataConfig config;
  config.train = {
      {.source = folder.write("x.csv", table), .target = folder.write("x.de", text + "a\nb\n")}};
  const std::string said = join(check_hygiene(config).text(), "\n");
  EXPECT_THAT(said, HasSubstr("x.csv: looks like a table with commas (CSV)"));
  EXPECT_THAT(said, Not(HasSubstr("--realign")));
  folder.write("x.de", text);
  const std::string mistake = message_of<UserError>([&] { check_hygiene(config); });
  EXPECT_THAT(mistake, HasSubstr("x.csv: looks like a table with commas (CSV)"));
  EXPECT_THAT(mistake, Not(HasSubstr("--realign")));
}

TEST_F(Hygiene, ReadsArchives) {
  DataConfig config;
  config.train = {files("train", gzip("eins\neins\n"), zstd("one\none\n"))};
  EXPECT_EQ(check_hygiene(config).sets.at(0).of(Flaw::duplicates).count, 1);
}

TEST_F(Hygiene, RefusesFilesOfDifferentLengthAndOfAnotherEncoding) {
  DataConfig config;
  config.train = {files("train", "eins\n", "one\n")};
  config.test = files("test", "eins\nzwei\n", "one\n");
  EXPECT_EQ(message_of<UserError>([&] { check_hygiene(config); }),
            config.test.source + " has 2 lines and " + config.test.target +
                " has 1; line i of one must be the translation of line i of the other");
  std::string latin1, text;
  for (int i = 0; i < 11; ++i) {
    latin1 += "f\xFCr\n";
    text += "for\n";
  }
  config.test = files("test", latin1, text);
  EXPECT_THAT(message_of<UserError>([&] { check_hygiene(config); }),
              HasSubstr(config.test.source + ":1: not UTF-8"));
}

}  // namespace
}  // namespace heed::data
