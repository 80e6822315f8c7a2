// heed contrast, with both kinds of test set.
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cli/program.h"
#include "cli/toy.h"

namespace heed::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;
using Json = nlohmann::json;

/// Reversals of the toy task and, as wrong translations, their words with the last one put first.
struct Choices {
  TemporaryFolder folder;
  std::string source = Toy::get().folder / "test.src", right = Toy::get().folder / "test.tgt";
  std::string wrong;

  Choices() {
    std::string text;
    for (const std::string& line : lines_of(read_file(right))) {
      auto words = split_words(line);
      std::rotate(words.begin(), words.end() - 1, words.end());
      text += (join(words, " ") == line ? "a b c d" : join(words, " ")) + "\n";
    }
    wrong = folder.write("wrong", text);
  }

  /// A file of the lines of two files in turn.
  std::string in_turn(const std::string& name, const std::string& one,
                      const std::string& other) const {
    const auto first = lines_of(read_file(one)), second = lines_of(read_file(other));
    std::string text;
    for (std::size_t i = 0; i < first.size(); ++i) text += first[i] + "\n" + second[i] + "\n";
    return folder.write(name, text);
  }

  Result run(std::vector<std::string> options) const {
    options.insert(options.begin(), {"contrast", Toy::get().rnn, "--source", source});
    return run_heed(options);
  }
};

TEST(Contrast, ATrainedModelPrefersTheRightTranslations) {
  const Choices set;
  const std::string csv = set.folder / "scores.csv";
  const Result result =
      set.run({"--right", set.right, "--wrong", set.wrong, "--require", "80", "-o", csv});
  EXPECT_THAT(product(result), HasSubstr("accuracy %"));
  const auto rows = lines_of(read_file(csv));
  ASSERT_THAT(rows, SizeIs(26));
  EXPECT_EQ(rows[0], "line,label,right,best_wrong,resolved");
}

TEST(Contrast, WhatIsRequiredAndNotReachedFailsAfterTheTable) {
  const Choices set;
  const Result result =
      set.run({"--right", set.wrong, "--wrong", set.right, "--require", "95", "-q"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.out, HasSubstr("all"));
  EXPECT_THAT(result.err, HasSubstr("--require asks for 95.00 %"));
}

TEST(Contrast, OneFileOfBothSaysTheSameAsSeveral) {
  const Choices set;
  std::string correct, group, labels;
  for (int i = 0; i < 25; ++i) {
    correct += "0\n1\n";
    group += std::to_string(i) + "\n" + std::to_string(i) + "\n";
    labels += "x\n" + std::string(i % 2 ? "odd\n" : "even\n");
  }
  const Json one = Json::parse(product(run_heed(
      {"contrast", Toy::get().rnn, "--source", set.in_turn("s", set.source, set.source), "--target",
       set.in_turn("t", set.wrong, set.right), "--correct", set.folder.write("c", correct),
       "--group", set.folder.write("g", group), "--by", set.folder.write("l", labels), "--json"})));
  const Json several =
      Json::parse(product(set.run({"--right", set.right, "--wrong", set.wrong, "--json"})));
  EXPECT_EQ(one["resolved"], several["resolved"]);
  EXPECT_EQ(one["sentences"], 25);
  EXPECT_EQ(one["labels"]["odd"]["sentences"], 12);
  EXPECT_EQ(one["labels"]["even"]["sentences"], 13);
}

TEST(Contrast, EveryWrongTranslationHasToBeBeaten) {
  const Choices set;
  const auto resolved = [&](std::vector<std::string> wrong) {
    wrong.insert(wrong.begin(), {"--right", set.right, "--json"});
    return Json::parse(product(set.run(wrong)))["resolved"].get<int>();
  };
  std::string blank(25, '\n');
  const int one = resolved({"--wrong", set.wrong});
  EXPECT_EQ(resolved({"--wrong", set.wrong, "--wrong", set.folder.write("blank", blank)}), one);
  EXPECT_EQ(resolved({"--wrong", set.wrong, "--wrong", set.right}), 0);  // equal is not better
}

TEST(Contrast, TheSourceMayBeStandardInput) {
  const Choices set;
  std::string correct;
  for (int i = 0; i < 25; ++i) correct += "1\n0\n";
  const std::vector<std::string> several = {"--right", set.right, "--wrong", set.wrong,
                                            "--wrong", set.wrong, "--by",    set.right};
  const std::vector<std::string> one = {"--target", set.in_turn("t", set.right, set.wrong),
                                        "--correct", set.folder.write("c", correct)};
  for (const auto& [options, path] :
       {std::pair{several, set.source}, {one, set.in_turn("s", set.source, set.source)}}) {
    std::vector<std::string> of_file = {"contrast", Toy::get().rnn, "--source", path};
    of_file.insert(of_file.end(), options.begin(), options.end());
    std::vector<std::string> of_stdin = of_file;
    of_stdin[3] = "-";
    EXPECT_EQ(product(run_heed(of_stdin, read_file(path))), product(run_heed(of_file)));
  }
}

TEST(Contrast, MistakesAreNamed) {
  const Choices set;
  expect_mistake(set.run({"--right", set.right}), {"--wrong"});
  expect_mistake(set.run({"--right", set.right, "--wrong", set.wrong, "--correct", set.right}),
                 {"--right FILE and --wrong FILE", "--correct"});
  expect_mistake(set.run({"--right", set.right, "--wrong", set.folder.write("short", "a\n")}),
                 {"25 lines", "short has 1"});
  expect_mistake(
      set.run({"--right", set.right, "--wrong", set.folder.write("none", std::string(25, '\n'))}),
      {"none:1", "no wrong translation"});
  const std::string pairs = set.folder.write("s.tsv", "a\tb\n");
  const std::string both = pairs + ":1: has both sides";
  expect_mistake(run_heed({"contrast", Toy::get().rnn, "--source", pairs, "--right", set.right,
                           "--wrong", set.wrong}),
                 {both});
  expect_mistake(run_heed({"attention", Toy::get().rnn, "--input", pairs}), {both});
}

/// `a` and `b` play the pronouns of two genders.
struct Pronouns {
  TemporaryFolder folder;
  std::string source = folder.write("s", "c a\nd e f\nb g a\n");
  std::string gold = folder.write(
      "a",
      "line\tpronoun\tantecedent\ttarget_pronoun\tgender\n0\t1\t0\t0\tm\n2\t0\t1\t2\tf\n"
      "2\t2\t1\t0\tm\n");

  Result run(std::vector<std::string> options) const {
    options.insert(options.end(),
                   {"--source", source, "--antecedents", gold, "--forms", "m=a,f=b"});
    return run_heed(options);
  }
};

TEST(Pronouns, OfReadyTranslationsAreCounted) {
  const Pronouns set;
  const Json json = Json::parse(product(set.run(
      {"contrast", "--hypothesis", set.folder.write("h", "a c\nb a\nA, g b.\n"), "--json"})));
  EXPECT_EQ(json["pronouns"], 3);  // right: line 0; both of line 2 are the other way round
  EXPECT_EQ(json["right"], 1);
  EXPECT_EQ(json["genders"]["f"]["written"]["m"], 1);
}

TEST(Pronouns, TheSourceMayBeStandardInput) {
  const Pronouns set;
  const std::string translations = set.folder.write("h", "a c\nb a\nA, g b.\n");
  EXPECT_EQ(product(run_heed({"contrast", "--hypothesis", translations, "--source", "-",
                              "--antecedents", set.gold, "--forms", "m=a,f=b"},
                             read_file(set.source))),
            product(set.run({"contrast", "--hypothesis", translations})));
}

TEST(Pronouns, OfAModelAreThoseOfItsTranslations) {
  const Pronouns set;
  const std::string out = set.folder / "out";
  const std::string table = product(set.run({"contrast", Toy::get().rnn, "-o", out}));
  EXPECT_THAT(table, HasSubstr("most frequent"));
  const auto lines = lines_of(read_file(out));
  ASSERT_THAT(lines, SizeIs(3));
  EXPECT_NE(lines[0], "");
  EXPECT_EQ(lines[1], "");  // no pronoun: not translated
  EXPECT_EQ(product(set.run({"contrast", "--hypothesis", out})), table);
}

TEST(Pronouns, WarningsCountTheLinesOfTheFile) {
  const Pronouns set;
  const Result result =
      set.run({"contrast", Toy::get().rnn, "--set", "decoding.max_source_length=2"});
  product(result);
  EXPECT_THAT(result.err, HasSubstr("before translating: line 3"));
}

TEST(Pronouns, FormsMayHaveBlanksAndPunctuationAround) {
  const Pronouns set;
  const std::vector<std::string> common = {
      "contrast", "--hypothesis", set.folder.write("h", "a c\nb a\nB, g a.\n"),
      "--source", set.source,     "--antecedents",
      set.gold,   "--forms"};
  const auto with = [&](const std::string& forms) {
    std::vector<std::string> line = common;
    line.push_back(forms);
    return product(run_heed(line));
  };
  EXPECT_EQ(with("m=a, f=b"), with("m=a,f=b"));
  EXPECT_EQ(with("m=A., f = b!"), with("m=a,f=b"));
}

TEST(Pronouns, NeedTheGendersOfTheirForms) {
  const Pronouns set;
  const std::string blank = set.folder.write("blank", read_file(set.gold) + "1\t0\t1\t2\t\n");
  const auto with = [&](const std::string& gold, const std::string& forms) {
    return run_heed({"contrast", Toy::get().rnn, "--source", set.source, "--antecedents", gold,
                     "--forms", forms});
  };
  expect_mistake(with(set.gold, "m=a"), {set.gold, "no form is given for the gender 'f'"});
  expect_mistake(with(blank, "m=a,f=b"), {blank + ":5: the gender is blank"});
}

// 100 * (57 / 100.0) is below 57.
TEST(Pronouns, WhatIsRequiredAndJustReachedIsEnough) {
  const TemporaryFolder folder;
  std::string source, gold = "line\tpronoun\tantecedent\ttarget_pronoun\tgender\n", translations;
  for (int i = 0; i < 100; ++i) {
    source += "c a\n";
    gold += std::to_string(i) + "\t1\t0\t0\t" + (i == 0 ? "f" : "m") + "\n";
    translations += i == 0 || i >= 57 ? "b\n" : "a\n";
  }
  const std::vector<std::string> common = {"contrast",
                                           "--hypothesis",
                                           folder.write("h", translations),
                                           "--source",
                                           folder.write("s", source),
                                           "--antecedents",
                                           folder.write("g", gold),
                                           "--forms",
                                           "m=a,f=b",
                                           "--require"};
  const auto status = [&](const std::string& require) {
    std::vector<std::string> line = common;
    line.push_back(require);
    return run_heed(line).status;
  };
  EXPECT_EQ(status("57"), 0);
  EXPECT_EQ(status("57.01"), 1);
}

TEST(Pronouns, WhatIsRequiredAndNotReachedFails) {
  const Pronouns set;
  const Result result =
      set.run({"contrast", "--hypothesis", set.folder.write("h", "\n\n\n"), "--require", "1"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err, HasSubstr("0.00 % of the genders"));
  expect_mistake(set.run({"contrast"}), {"--hypothesis"});
}

TEST(Contrast, OptionsOfTheOtherKindOfTestSetAreRefused) {
  const Choices choices;
  const Pronouns pronouns;
  expect_mistake(
      choices.run({"--right", choices.right, "--wrong", choices.wrong, "--forms", "m=a"}),
      {"contrast: --forms is for a test set of pronouns", "--antecedents FILE"});
  expect_mistake(choices.run({"--hypothesis", choices.right}), {"--hypothesis", "--antecedents"});
  for (const std::vector<std::string>& option :
       std::vector<std::vector<std::string>>{{"--right", choices.right},
                                             {"--wrong", choices.wrong},
                                             {"--target", choices.right},
                                             {"--correct", choices.right},
                                             {"--group", choices.right},
                                             {"--by", choices.right},
                                             {"--per-piece"}}) {
    std::vector<std::string> line = {"contrast", Toy::get().rnn};
    line.insert(line.end(), option.begin(), option.end());
    expect_mistake(pronouns.run(line), {option.front() + " is for right and wrong translations",
                                        "leave out one of the two"});
  }
  expect_mistake(run_heed({"contrast", Toy::get().rnn, "--source", pronouns.source, "--antecedents",
                           pronouns.gold}),
                 {"--antecedents needs --forms"});
  expect_mistake(run_heed({"contrast", "--source", choices.source, "--right", choices.right,
                           "--wrong", choices.wrong}),
                 {"contrast: model is required"});
  expect_mistake(choices.run({}), {"--right FILE", "--target FILE", "--antecedents FILE"});
}

TEST(Pronouns, TheFormerCommandNamesThePresentOne) {
  for (const std::vector<std::string>& line :
       std::vector<std::vector<std::string>>{{"pronouns"},
                                             {"pronouns", "--hypothesis", "x"},
                                             {"pronouns", "--help"},
                                             {"-q", "pronouns", "x"}})
    expect_mistake(run_heed(line), {"pronouns: `heed contrast --antecedents` does this"});
}

}  // namespace
}  // namespace heed::cli
