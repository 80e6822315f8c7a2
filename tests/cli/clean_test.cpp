// heed clean.
#include <gmock/gmock.h>

#include "cli/program.h"
#include "cli/toy.h"

namespace heed::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// 90 pairs that are right, and after them one of each kind that is not.
class Clean : public testing::Test {
 protected:
  Clean() {
    const std::vector<std::string> who{"der Hund", "die Frau", "ein Mann", "das Kind",
                                       "ein Mädchen"},
        does{"läuft über", "steht auf", "sitzt neben"},
        what{"der Straße", "einer Wiese", "dem Wasser", "einem Baum", "der Treppe", "dem Haus"};
    const std::vector<std::string> who_en{"the dog", "the woman", "a man", "the child", "a girl"},
        does_en{"runs across", "is standing on", "sits beside"},
        what_en{"the street", "a meadow", "the water", "a tree", "the stairs", "the house"};
    std::string source, target;
    for (int i = 0; i < 90; ++i) {
      source += who[i % 5] + " " + does[i / 5 % 3] + " " + what[i / 15] + " .\n";
      target += who_en[i % 5] + " " + does_en[i / 5 % 3] + " " + what_en[i / 15] + " .\n";
    }
    source +=
        "der Hund läuft über der Straße .\n\nein Mann und ein Hund\nein Hund\n"
        "the woman is standing on the stairs .\nim Jahr 1984 ein Hund .\n"
        "ein Mann im Wasser im Wasser .\n";
    target +=
        "the dog runs across the street .\nthe dog\nein Mann und ein Hund\n"
        "a man and a dog and a woman and a child and a girl and the house and the stairs "
        "and the water\na tree is standing beside the house .\nin the year 1948 a dog .\n"
        "a man in the water in the water in the water .\n";
    source_ = folder_.write("c.de", source);
    target_ = folder_.write("c.en", target);
  }
  TemporaryFolder folder_;
  std::string source_, target_;
};

TEST_F(Clean, OnlyReportsUnlessAsked) {
  const std::string report = product(run_heed({"clean", source_, target_}));
  for (const std::string line :
       {"duplicates      1  1.03              1  91", "empty           1  1.03              1  92",
        "ratio           1", "numbers         1  1.03              0  96"})
    EXPECT_THAT(report, HasSubstr(line)) << report;
  EXPECT_THAT(report, HasSubstr("language, line 95\n  the woman is standing"));
  EXPECT_THAT(report, HasSubstr("identical, line 93"));
  EXPECT_THAT(report, Not(HasSubstr(", line 90\n")));
}

TEST_F(Clean, LeavesOutWhatIsNamedAndSaysWhy) {
  const std::string prefix = folder_ / "clean";
  product(run_heed({"clean", source_, target_, "--remove", "duplicates,numbers", "-o", prefix}));
  EXPECT_EQ(lines_of(read_file(prefix + ".source")).size(), 95U);
  EXPECT_EQ(lines_of(read_file(prefix + ".target")).size(), 95U);
  EXPECT_EQ(read_file(prefix + ".removed.tsv"),
            "91\tduplicates\tder Hund läuft über der Straße .\tthe dog runs across the street .\n"
            "96\tnumbers\tim Jahr 1984 ein Hund .\tin the year 1948 a dog .\n");
  product(run_heed({"clean", source_, target_, "--remove", "all", "-o", prefix}));
  EXPECT_EQ(lines_of(read_file(prefix + ".source")).size(), 90U);
}

TEST_F(Clean, SaysWhichPairsHaveTooManyWordsForTheirWords) {
  std::string words;
  for (int i = 0; i < 257; ++i) words += "w" + std::to_string(i) + " ";
  folder_.write("c.de", read_file(source_) + words + "\n");
  folder_.write("c.en", read_file(target_) + words + "x\n");
  const Result result = run_heed({"clean", source_, target_});
  product(result);
  EXPECT_THAT(result.err,
              HasSubstr("words: not judged, more than 256 words on a side: 1 (line 98)"));
}

TEST_F(Clean, ScoresByModels) {
  const std::string model = Toy::get().folder / "rnn",
                    source = folder_.write("s", "a b c d\na b c d\n"),
                    target = folder_.write("t", "d c b a\ng g h h\n");
  const std::string report = product(run_heed(
      {"clean", source, target, "--model", model, "--reverse", model, "--most-nats", "2"}));
  EXPECT_THAT(report, HasSubstr("score           1   50.00"));
  EXPECT_THAT(report, HasSubstr("score, line 2"));
}

TEST_F(Clean, RefusesWhatCannotBe) {
  expect_mistake(run_heed({"clean", source_, target_, "--remove", "all"}), {"--output"});
  expect_mistake(run_heed({"clean", source_, target_, "--remove", "lies", "-o", "x"}),
                 {"--remove"});
  expect_mistake(run_heed({"clean", source_, target_, "--remove", "score", "-o", folder_ / "x"}),
                 {"--model", "--reverse"});
  expect_mistake(run_heed({"clean", source_, target_, "--most-nats", "3"}),
                 {"--model", "--reverse"});
  expect_mistake(run_heed({"clean", "/dev/stdin", target_}, "a b\n"),
                 {"/dev/stdin: can be read only once"});
}

}  // namespace
}  // namespace heed::cli
