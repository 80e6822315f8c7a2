// heed translate: one line in, one line out, whatever the lines are.
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>

#include "cli/program.h"
#include "cli/toy.h"
#include "text/foreign_vocabulary.h"

namespace heed::cli {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

class Translate : public testing::TestWithParam<const char*> {
 protected:
  const std::string model_ = Toy::get().folder / GetParam();
  std::string test_ = Toy::get().folder / "test.src";

  Result translate(std::string_view input, std::vector<std::string> options = {}) const {
    options.insert(options.begin(), {"translate", model_});
    return run_heed(options, input);
  }
};

INSTANTIATE_TEST_SUITE_P(Models, Translate, testing::Values("rnn", "transformer"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(Translate, GivesALineForALineAndAnEmptyOneForAnEmptyOne) {
  const Result result = translate("a b c\n\nc d\n");
  EXPECT_THAT(lines_of(product(result)), ElementsAre("c b a", "", "d c"));
  EXPECT_EQ(result.err, "");
}

TEST_P(Translate, GivesNothingForNothing) {
  const Result result = translate("");
  EXPECT_EQ(product(result), "");
  EXPECT_EQ(result.err, "");
}

TEST_P(Translate, ALastLineNeedsNoLineFeed) {
  EXPECT_EQ(product(translate("a b")), product(translate("a b\n")));
}

TEST_P(Translate, UntidyLinesGiveAsManyLinesAndTheTranslationsOfTidyOnes) {
  using namespace std::string_literals;
  const std::string untidy =
      "\xEF\xBB\xBF"
      "a b\r\n   \r\n\xFF\xFE\n\0\na\0b\n \t \n\xE2\x80\xA8 c\nd e\n"s;
  const auto lines = lines_of(product(translate(untidy)));
  ASSERT_THAT(lines, SizeIs(8));
  const auto tidy = lines_of(product(translate("a b\na b\nd e\n")));
  EXPECT_EQ(lines[0], tidy[0]);  // without byte order mark and carriage return
  EXPECT_EQ(lines[1], "");
  EXPECT_EQ(lines[3], "");  // NUL is a space
  EXPECT_EQ(lines[4], tidy[1]);
  EXPECT_EQ(lines[5], "");
  EXPECT_EQ(lines[7], tidy[2]);
}

TEST_P(Translate, InvisibleCharactersSayNothing) {
  const auto lines =
      lines_of(product(translate("\u200B\na b\n\uFEFFa \uFEFFb\n\u200E\u200F \u00AD\n")));
  ASSERT_THAT(lines, SizeIs(4));
  EXPECT_EQ(lines[0], "");
  EXPECT_EQ(lines[2], lines[1]);
  EXPECT_EQ(lines[3], "");
}

TEST_P(Translate, InvisibleCharactersInsideWordsAreNotRead) {
  const auto of = [&](const std::string& line) {
    return nlohmann::json::parse(product(translate(line + "\n", {"--json"})));
  };
  const auto plain = of("ab e cd"), hyphens = of("a\u00ADb \u200Ee c\u200Bd\u2060");
  EXPECT_EQ(hyphens["source"], "a\u00ADb \u200Ee c\u200Bd\u2060");
  for (const char* key : {"translation", "log_probability", "words", "alignment"})
    EXPECT_EQ(hyphens[key], plain[key]) << key;
}

TEST_P(Translate, LinesWithoutLettersAndDigitsComeBack) {
  const std::string lines = "***\n\u2014  \U0001F642\n";
  EXPECT_EQ(product(translate(lines)), lines);
  EXPECT_EQ(product(translate(lines, {"--replace-unknown"})), lines);
  EXPECT_EQ(product(translate("***\n", {"--flags"})), "***\t-\n");
  EXPECT_THAT(product(translate("***\n", {"--scores"})), StartsWith("0.0000\t***\t0.0000"));
  EXPECT_THAT(lines_of(product(translate("a b\n***\n", {"--n-best", "2"}))),
              ElementsAre(StartsWith("0 ||| "), StartsWith("0 ||| "), StartsWith("1 ||| *** |||")));
  EXPECT_EQ(nlohmann::json::parse(product(translate("***\n", {"--json"})))["translation"], "***");
  EXPECT_EQ(translate(lines, {"--alignment"}).status, 0);
}

TEST_P(Translate, ManyUnknownPiecesAreWarnedOf) {
  std::string decomposed;
  for (int i = 0; i < 12; ++i) decomposed += "a\u0308 b\n";
  EXPECT_THAT(translate(decomposed).err,
              AllOf(HasSubstr("lines 1 to 12: 12 of "),
                    HasSubstr("far more than in training; 12 lines with decomposed letters")));
  EXPECT_THAT(translate("a\u0308 b\n").err, Not(HasSubstr("far more than in training")));
}

TEST_P(Translate, CutsALineOfMoreThan4MiBAndSaysSo) {
  // Few pieces of it are read then.
  const Result result = translate("a b\n" + std::string(5'000'000, 'c') + "\na b\n",
                                  {"--set", "decoding.max_source_length=20"});
  EXPECT_EQ(result.status, 0) << result.err;
  const auto lines = lines_of(result.out);
  ASSERT_THAT(lines, SizeIs(3));
  EXPECT_EQ(lines[0], lines[2]);
  EXPECT_THAT(result.err, HasSubstr("stdin:2: a line of more than 4 MiB, cut to that"));
}

TEST_P(Translate, TakesAFolderWithACommaInItsNameForOneModel) {
  const TemporaryFolder folder;
  std::filesystem::copy(model_, folder / "a,b", std::filesystem::copy_options::recursive);
  EXPECT_EQ(product(run_heed({"translate", folder / "a,b", test_})),
            product(translate("", {test_})));
}

// The bytes between its line feeds are no lines that could be answered.
TEST_P(Translate, RefusesUtf16WithTheCure) {
  using namespace std::string_literals;
  expect_mistake(translate("\xFF\xFE\x61\0\n\0"s),
                 {"stdin:1: text in UTF-16", "iconv -f UTF-16 -t UTF-8 OLD > NEW"});
}

TEST_P(Translate, TheBatchDoesNotChangeATranslation) {
  const std::string in_one = product(translate("", {test_, "--batch", "64"}));
  EXPECT_THAT(lines_of(in_one), SizeIs(25));
  EXPECT_EQ(product(translate("", {test_, "--batch", "1"})), in_one);
  EXPECT_EQ(product(translate("", {test_, "--set", "decoding.batch_size=3"})), in_one);
}

TEST_P(Translate, ReadsAFileAsItReadsStdin) {
  EXPECT_EQ(product(translate(read_file(test_))), product(translate("", {test_})));
}

TEST_P(Translate, NBestListsAreInTheFieldsFormatBestFirst) {
  const auto lines = lines_of(product(translate("a b c\n\nd\n", {"--n-best", "3"})));
  ASSERT_THAT(lines, SizeIs(6));
  const std::regex format(
      R"((\d+) \|\|\| (.*) \|\|\| logprob= (-?\d+\.\d{4}) length= (\d+) \|\|\| (-?\d+\.\d{4}))");
  double before = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::smatch parts;
    ASSERT_TRUE(std::regex_match(lines[i], parts, format)) << lines[i];
    EXPECT_EQ(parts[1], i < 3 ? "0" : "2");
    const double score = std::stod(parts[5]);
    if (i % 3 > 0) {
      EXPECT_LE(score, before);
    }
    before = score;
    // length_penalty: average
    EXPECT_NEAR(score, std::stod(parts[3]) / std::stod(parts[4]), 1e-4);
  }
  std::smatch best;
  ASSERT_TRUE(std::regex_match(lines[0], best, format));
  EXPECT_EQ(best[2], lines_of(product(translate("a b c\n"))).front());
}

TEST_P(Translate, ACutTranslationHasNoEndOfSentenceInItsLength) {
  const auto lines =
      lines_of(product(translate("a b c\n", {"--n-best", "2", "--set", "decoding.min_length=1000",
                                             "--set", "decoding.no_repeat_ngram=1"})));
  ASSERT_THAT(lines, SizeIs(2));
  const std::regex format(R"(.* \|\|\| logprob= (\S+) length= (\d+) \|\|\| (\S+))");
  for (const std::string& line : lines) {
    std::smatch parts;
    ASSERT_TRUE(std::regex_match(line, parts, format)) << line;
    // length_penalty: average; logprob has four digits
    EXPECT_NEAR(std::stod(parts[3]) * std::stod(parts[2]), std::stod(parts[1]),
                1e-4 * std::stod(parts[2]));
  }
}

TEST_P(Translate, ScoreFindsTheLogProbabilityThatTheSearchReports) {
  const TemporaryFolder folder;
  const std::string source = "a b c\nd ef\nj\n";
  std::string hypotheses;
  std::vector<double> reported;
  const std::regex format(R"(\d+ \|\|\| (.*) \|\|\| logprob= (-?[\d.]+) .*)");
  const auto lines = lines_of(product(translate(source, {"--n-best", "2"})));
  ASSERT_THAT(lines, SizeIs(6));
  for (std::size_t i = 0; i < lines.size(); i += 2) {
    std::smatch parts;
    ASSERT_TRUE(std::regex_match(lines[i], parts, format)) << lines[i];
    hypotheses += parts[1].str() + "\n";
    reported.push_back(std::stod(parts[2]));
  }
  const auto scores = lines_of(product(
      run_heed({"score", model_, folder.write("s", source), folder.write("t", hypotheses)})));
  ASSERT_THAT(scores, SizeIs(3));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(std::stod(scores[i]), reported[i], 1e-3);
}

TEST(TranslateCommand, AnEnsembleOfTheSameModelTwiceTranslatesLikeItself) {
  const Toy& toy = Toy::get();
  const std::string once = product(run_heed({"translate", toy.rnn, toy.folder / "test.src"}));
  EXPECT_EQ(product(run_heed({"translate", toy.rnn + "," + toy.rnn, toy.folder / "test.src"})),
            once);
}

TEST(TranslateCommand, AnEnsembleIsEvaluatedAndScoresAsItsModelsProbabilities) {
  const Toy& toy = Toy::get();
  const TemporaryFolder folder;
  const std::string both = toy.rnn + "," + toy.transformer, test = toy.folder / "test";
  const std::string file = folder / "found";
  product(run_heed({"evaluate", both, "-o", file}));  // the test set of the first
  EXPECT_EQ(read_file(file), product(run_heed({"translate", both, test + ".src"})));
  const auto scores = [&](const std::string& model) {
    std::vector<double> out;
    for (const auto& line : lines_of(product(run_heed({"score", model, test + ".src", file}))))
      out.push_back(std::stod(line));
    return out;
  };
  const auto first = scores(toy.rnn), second = scores(toy.transformer), mixed = scores(both);
  ASSERT_THAT(mixed, SizeIs(25));
  EXPECT_EQ(scores(toy.rnn + "," + toy.rnn).size(), 25U);
  const auto same = scores(toy.rnn + "," + toy.rnn);
  for (std::size_t i = 0; i < mixed.size(); ++i) {
    EXPECT_NEAR(same[i], first[i], 1e-4);
    // Half of each model's probability is in that of every piece.
    const double pieces = 20;  // no fewer than a pair has
    EXPECT_GE(mixed[i], std::max(first[i], second[i]) - pieces * std::log(2.0));
  }
  EXPECT_NE(mixed, first);
}

TEST(TranslateCommand, AnEnsemblesSearchIsThatOfItsFirstModel) {
  const Toy& toy = Toy::get();
  const TemporaryFolder folder;
  const std::string other = folder / "other";
  std::filesystem::copy(toy.rnn, other);
  std::string config = read_file(other + "/config.yaml");
  for (const auto& [from, to] : {std::pair<std::string, std::string>{"n_best: 1", "n_best: 2"},
                                 {"\nthreads: 1\n", "\nthreads: 2\n"}}) {
    ASSERT_NE(config.find(from), std::string::npos) << config;
    config.replace(config.find(from), from.size(), to);
  }
  write_atomic(other + "/config.yaml", config);
  const std::string test = toy.folder / "test.src";
  EXPECT_EQ(product(run_heed({"translate", toy.rnn + "," + other, test, "--beam", "1"})),
            product(run_heed({"translate", toy.rnn, test, "--beam", "1"})));
}

TEST(TranslateCommand, LinksAreThoseOfTheTextsWordsOrNone) {
  const TemporaryFolder folder;
  const std::string file = folder.write("in", "a\u2581b\na b\n");
  const Result result = run_heed({"translate", Toy::get().rnn, file, "--alignment"});
  const auto lines = lines_of(product(result));
  ASSERT_THAT(lines, SizeIs(2));
  EXPECT_EQ(split(lines[0], '\t').back(), "");
  EXPECT_NE(split(lines[1], '\t').back(), "");
  EXPECT_THAT(result.err, HasSubstr("in 1 line, line 1 first, the vocabulary finds other words"));
}

TEST(TranslateCommand, ModelsOfAnEnsembleShareATargetVocabulary) {
  const Toy& toy = Toy::get();
  const TemporaryFolder folder;
  write_toy_pairs(folder, "train", 100, 9);
  write_toy_pairs(folder, "valid", 10, 2);
  const std::string other = folder / "other";
  train_toy(write_toy_config(folder, {"other", kNone, "updates: 1", false, 1,
                                      "kind: separate, size: 30, algorithm: bpe"}));
  const std::string both = toy.rnn + "," + other;
  const std::string test = toy.folder / "test";
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"translate", both, test + ".src"},
        {"score", both, test + ".src", test + ".tgt"},
        {"evaluate", both}})
    expect_mistake(run_heed(command),
                   {other, "target vocabulary", toy.rnn, "name it in data.vocabulary.source"});
  expect_mistake(run_heed({"translate", other + "," + toy.rnn, test + ".src"}),
                 {toy.rnn, "target vocabulary", other, "name it in data.vocabulary.target"});
}

TEST(TranslateCommand, TheDeviceIsTheOptionsElseThatOfSet) {
  const std::vector<std::string> set = {"translate", Toy::get().rnn, "--set", "device=abacus"};
  expect_mistake(run_heed(set, "a b\n"), {"device", "'abacus'"});
  auto option = set;
  option.insert(option.end(), {"--device", "cpu"});
  EXPECT_EQ(lines_of(product(run_heed(option, "a b\n"))).size(), 1U);
}

TEST(TranslateCommand, ALineOfAMegabyteIsCutNamedAndGivesOneLine) {
  std::string line;
  while (line.size() < 1'000'000) line += "ab c ";
  const Result result =
      run_heed({"translate", Toy::get().rnn, "--beam", "1"}, "a b\n" + line + "\nc d\n");
  const auto lines = lines_of(product(result));
  ASSERT_THAT(lines, SizeIs(3));
  EXPECT_EQ(lines[0], "b a");
  EXPECT_EQ(lines[2], "d c");
  EXPECT_THAT(result.err, HasSubstr("line 2"));
  EXPECT_THAT(result.err, HasSubstr("decoding.max_source_length"));
}

TEST(TranslateCommand, SamplingRepeatsWithItsSeedOnly) {
  const auto sampled = [](const std::string& seed) {
    return product(
        run_heed({"translate", Toy::get().rnn, Toy::get().folder / "test.src", "--sample", "--set",
                  "decoding.sampling.temperature=3", "--set", "decoding.sampling.seed=" + seed}));
  };
  const std::string one = sampled("1");
  EXPECT_EQ(sampled("1"), one);
  EXPECT_NE(sampled("2"), one);
}

TEST(TranslateCommand, WritesNoFileWhoseNameOnlyAShellReplaces) {
  expect_mistake(
      run_heed({"translate", Toy::get().rnn, Toy::get().folder / "test.src", "-o", "~ada/out"}),
      {"~ada/out: only a shell replaces ~ada; write the path in full"});
}

TEST(TranslateCommand, GoesOnWithAnUnfinishedFile) {
  const TemporaryFolder folder;
  const std::string file = folder / "out";
  std::vector<std::string> command = {"translate", Toy::get().rnn, Toy::get().folder / "test.src",
                                      "--sample",  "-o",           file};
  EXPECT_EQ(product(run_heed(command)), "");
  const std::string whole = read_file(file);
  EXPECT_THAT(lines_of(whole), SizeIs(25));
  expect_mistake(run_heed(command), {file, "is there already", "--resume"});
  EXPECT_EQ(read_file(file), whole);
  command.push_back("--resume");
  // The output breaks off in the middle of a line, at its end, before anything and after all.
  const std::size_t tenth = whole.find(lines_of(whole)[10], 30);
  for (const std::size_t bytes :
       {tenth, tenth + 1, whole.find('\n') + 1, std::size_t{0}, whole.size() - 1, whole.size()}) {
    folder.write("out", whole.substr(0, bytes));
    product(run_heed(command));
    EXPECT_EQ(read_file(file), whole) << bytes;
  }
  std::filesystem::remove(file);
  product(run_heed(command));
  EXPECT_EQ(read_file(file), whole);
  folder.write("out", whole + "one more\n");
  expect_mistake(run_heed(command), {"test.src has 25 lines, fewer than the 26"});
  folder.write("out", whole + "one more\nand a half");  // perhaps a file with another purpose
  expect_mistake(run_heed(command), {"test.src has 25 lines, fewer than the 26"});
  EXPECT_EQ(read_file(file), whole + "one more\nand a half");
  expect_mistake(run_heed({"translate", Toy::get().rnn, "--resume"}), {"--resume", "--output"});
  command.insert(command.end(), {"--n-best", "2"});
  expect_mistake(run_heed(command), {"--resume", "--n-best", "--json"});
}

TEST(TranslateCommand, ReplacesNothingThatItReads) {
  const TemporaryFolder folder;
  const std::string text = folder.write("text", "a b\nc d"), prefix = folder.write("p", "b\nd");
  for (const std::string& read : {text, prefix})
    for (const std::vector<std::string>& more : {std::vector<std::string>{}, {"--resume"}}) {
      std::vector<std::string> command = {"translate", Toy::get().rnn, text, "--prefix",
                                          prefix,      "-o",           read};
      command.insert(command.end(), more.begin(), more.end());
      expect_mistake(run_heed(command), {read + ": is read by this command"});
    }
  EXPECT_EQ(read_file(text), "a b\nc d");
  EXPECT_EQ(read_file(prefix), "b\nd");
  expect_mistake(run_heed({"translate", Toy::get().rnn, text, "--prefix", ""}),
                 {"--prefix", "is empty"});
}

TEST(TranslateCommand, NBestListsAsJsonAreContinued) {
  const TemporaryFolder folder;
  const std::string file = folder / "out";
  std::vector<std::string> command = {
      "translate", Toy::get().rnn, Toy::get().folder / "test.src", "--json", "--n-best", "2", "-o",
      file};
  product(run_heed(command));
  const std::string whole = read_file(file);
  EXPECT_THAT(lines_of(whole), SizeIs(25));
  folder.write("out", whole.substr(0, whole.size() / 2));
  command.push_back("--resume");
  product(run_heed(command));
  EXPECT_EQ(read_file(file), whole);
}

TEST(TranslateCommand, ADeviceIsWrittenToButNotContinued) {
  expect_mistake(run_heed({"translate", Toy::get().rnn, "-o", "/dev/null", "--resume"}, "a\n"),
                 {"/dev/null is no file that can be continued"});
  EXPECT_EQ(product(run_heed({"translate", Toy::get().rnn, "-o", "/dev/null"}, "a\n")), "");
  expect_one_line_error(run_heed({"translate", Toy::get().rnn, "-o", "/nowhere/out"}, "a\n"), 1,
                        {"/nowhere/out: cannot write"});
}

// What an untrained model says is any byte there is, line feeds among them.
TEST(TranslateBytes, GivesALineForALineWhateverBytesThereAre) {
  const TemporaryFolder folder;
  write_toy_pairs(folder, "train", 100, 1);
  write_toy_pairs(folder, "valid", 10, 2);
  text::foreign_vocabulary(folder, read_file(folder / "train.src"),
                           {{"vocab_size", "300"}, {"byte_fallback", "true"}});
  train_toy(write_toy_config(
      folder, {"bytes", kNone, "updates: 1", false, 1, "source: " + (folder / "foreign.model")}));
  std::string input;
  for (int i = 0; i < 100; ++i) input += "a b c d e f g h\n";
  const std::vector<std::string> sampling = {"translate", folder / "bytes",
                                             "--set",     "decoding.sampling.top_p=1",
                                             "--set",     "decoding.sampling.temperature=100"};
  const std::string output = product(run_heed(sampling, input));
  EXPECT_EQ(lines_of(output).size(), 100U);
  EXPECT_EQ(output.find_first_of("\r\f\v"), std::string::npos);
  EXPECT_EQ(output.find('\0'), std::string::npos);
}

}  // namespace
}  // namespace heed::cli
