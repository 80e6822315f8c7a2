// heed evaluate and heed lengths.
#include <filesystem>
#include <regex>
#include <string>

#include "cli/program.h"
#include "cli/toy.h"
#include "quick_scorer.h"

namespace heed::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr const char* kLengthsHeader =
    "system,bucket_low,bucket_high,sentences,source_words,bleu,bleu_low,bleu_high,"
    "brevity_penalty,length_ratio";

TEST(Evaluate, AModelAndItsTranslationsHaveTheSameScores) {
  const TemporaryFolder folder;
  const Toy& toy = Toy::get();
  const std::string output = folder / "out.tgt";
  const std::string of_model = product(run_heed({"evaluate", toy.rnn, "-o", output}));
  const auto lines = lines_of(of_model);
  ASSERT_THAT(lines, SizeIs(2));
  EXPECT_TRUE(std::regex_search(lines[0], std::regex(R"(^BLEU \d+\.\d+ \(.*nrefs:1\|.*version:)")))
      << lines[0];
  EXPECT_THAT(lines[1], StartsWith("chrF"));
  EXPECT_EQ(read_file(output), read_file(toy.rnn + "/test.hypothesis"));
  EXPECT_EQ(product(run_heed(
                {"evaluate", "--hypothesis", output, "--reference", toy.folder / "test.tgt"})),
            of_model);
}

TEST(Evaluate, TakesTheValidationSetWhereAskedTo) {
  const QuickScorer scorer;
  const TemporaryFolder folder;
  const Toy& toy = Toy::get();
  const std::string source = toy.folder / "valid.src", reference = toy.folder / "valid.tgt",
                    output = folder / "out.tgt";
  const std::string scores = product(run_heed({"evaluate", toy.rnn, "--valid", "-o", output}));
  EXPECT_THAT(lines_of(read_file(output)), SizeIs(20));  // and the test set has 25
  EXPECT_EQ(product(run_heed({"evaluate", toy.rnn, "--source", source, "--reference", reference})),
            scores);
  expect_mistake(
      run_heed({"evaluate", toy.rnn, "--valid", "--source", source, "--reference", reference}),
      {"--valid", "not both"});
}

TEST(Evaluate, TakesSeveralReferences) {
  const TemporaryFolder folder;
  const std::string hypothesis = folder.write("h", "a b c d e\nv w x y z\n"),
                    one = folder.write("one", "a b c d e\nq q q q q\n"),
                    two = folder.write("two", "n n n n n\nv w x y z\n");
  const auto scores = [&](const std::vector<std::string>& references) {
    std::vector<std::string> words{"evaluate", "--hypothesis", hypothesis};
    for (const std::string& file : references) words.insert(words.end(), {"--reference", file});
    return run_heed(words);
  };
  EXPECT_THAT(product(scores({one, two})), StartsWith("BLEU 100.00 (BP 1.000, nrefs:2|"));
  EXPECT_THAT(product(scores({one})), ::testing::Not(StartsWith("BLEU 100")));
  const std::string three = folder.write("three", "a\n");
  expect_mistake(scores({one, three}), {"h has 2 lines and ", "three has 1"});
  // Its own translations are a reference that it meets.
  const Toy& toy = Toy::get();
  const std::string set = "evaluation.references=[" + toy.rnn + "/test.hypothesis]";
  EXPECT_THAT(product(run_heed({"evaluate", toy.rnn, "--set", set})), StartsWith("BLEU 100.00 ("));
  EXPECT_THAT(run_heed({"lengths", toy.rnn, "--set", set}).err,
              HasSubstr("compared with the first of 2 references"));
}

TEST(Evaluate, TranslationsThatAreTheReferencesScoreAHundred) {
  const TemporaryFolder folder;
  const std::string file = folder.write("a", "one two three four five\n");
  const Result result = run_heed({"evaluate", "--hypothesis", file, "--reference", file, "--set",
                                  "evaluation.metrics=[ter, bleu]"});
  EXPECT_THAT(product(result), ::testing::AllOf(StartsWith("TER 0.0"), HasSubstr("\nBLEU 100.0")));
  EXPECT_THAT(result.err, HasSubstr("a: is the reference " + file + " itself"));
}

// Lines of both as `git lfs pointer` 3.3.0 writes them: most of their words are the same.
TEST(Evaluate, WhatIsNoTextHasNoScore) {
  const TemporaryFolder folder;
  const auto pointer = [&](const std::string& name, char digit) {
    return folder.write(name, "version https://git-lfs.github.com/spec/v1\noid sha256:" +
                                  std::string(64, digit) + "\nsize 9\n");
  };
  const std::string hypothesis = pointer("h", '7'), reference = pointer("r", '8'),
                    text = folder.write("t", "a\nb\nc\n");
  expect_mistake(run_heed({"evaluate", "--hypothesis", hypothesis, "--reference", reference}),
                 {"h: a pointer of Git LFS, not the text; `git lfs pull` fetches it"});
  expect_mistake(run_heed({"evaluate", "--hypothesis", text, "--reference", reference}),
                 {"r: a pointer of Git LFS"});
}

// 13a sees 6 + 3 words. Line 1: "the" once and "cat" twice too often; "dog" and "." are missing.
// Line 2: "x" twice, of which once is another mistake; "a" is missing. Without a tokenizer "dog."
// and "b." are words.
TEST(Evaluate, CountsRepeatedAndDroppedWordsWhereAskedTo) {
  const TemporaryFolder folder;
  const std::string hypothesis = folder.write("h", "the cat cat saw the the cat\nx x b.\n"),
                    reference = folder.write("r", "the cat saw the dog.\na b.\n");
  const auto lines_with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"evaluate", "--hypothesis", hypothesis, "--reference", reference});
    return lines_of(product(run_heed(more)));
  };
  EXPECT_THAT(lines_with({}), ElementsAre(StartsWith("BLEU"), StartsWith("chrF")));
  EXPECT_THAT(lines_with({"--words"}), ElementsAre(StartsWith("BLEU"), StartsWith("chrF"),
                                                   "repeated 44.44 % (4 of 9 words, tok:13a)",
                                                   "dropped 33.33 % (3 of 9 words, tok:13a)"));
  EXPECT_THAT(lines_with({"--words", "--set", "evaluation.tokenize=none", "--set",
                          "evaluation.metrics=[bleu]"}),
              ElementsAre(StartsWith("BLEU"), "repeated 57.14 % (4 of 7 words, tok:none)",
                          "dropped 28.57 % (2 of 7 words, tok:none)"));
}

TEST(Evaluate, AModelWithoutATestSetAsksForOne) {
  expect_mistake(run_heed({"evaluate", Toy::get().transformer}), {"data.test", "--source"});
}

TEST(Evaluate, ATestSetThatIsNotHereIsNamedByItsKey) {
  const TemporaryFolder folder;
  fs::copy(Toy::get().rnn, folder / "moved", fs::copy_options::recursive);
  const std::string config = folder / "moved/config.yaml";
  std::string yaml = read_file(config);
  const std::string source = Toy::get().folder / "test.src";
  yaml.replace(yaml.find(source), source.size(), "data/elsewhere/test.src");
  folder.write("moved/config.yaml", yaml);
  for (const std::string command : {"evaluate", "lengths"})
    expect_mistake(run_heed({command, folder / "moved"}),
                   {"data.test.source of " + config + ": no file 'data/elsewhere/test.src'; ",
                    "give --source and --reference"});
}

// Behind "25 sentences translated" they would be a second line on standard error.
TEST(Evaluate, MistakesAreNamedBeforeAnythingIsTranslated) {
  const Toy& toy = Toy::get();
  const std::string source = toy.folder / "test.src", reference = toy.folder / "test.tgt";
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"evaluate", toy.rnn}, {"lengths", toy.rnn}}) {
    SCOPED_TRACE(words.front());
    std::vector<std::string> all = words;
    all.insert(all.end(), {"--set", "evaluation.tokenize=nope"});
    expect_mistake(run_heed(all), {"evaluation.tokenize", "'nope'"});
  }
  const std::vector<std::string> pair{toy.transformer, "--source", source, "--target", reference};
  for (std::vector<std::string> words :
       {std::vector<std::string>{"evaluate", toy.rnn, "-o"},
        {"lengths", toy.rnn, "--csv"},
        {"lengths", toy.rnn, "--svg"},
        {"heads", pair[0], pair[1], pair[2], pair[3], pair[4], "-o"},
        {"faithful", pair[0], pair[1], pair[2], pair[3], pair[4], "--html"}}) {
    words.emplace_back("/nowhere/out");
    expect_one_line_error(run_heed(words), 1, {"/nowhere/out: cannot write"});
  }
}

TEST(Evaluate, AndItsKinReplaceNothingThatTheyRead) {
  const TemporaryFolder folder;
  const Toy& toy = Toy::get();
  const std::string source = folder.write("src", read_file(toy.folder / "test.src"));
  const std::string reference = folder.write("ref", read_file(toy.folder / "test.tgt"));
  const std::string other = folder.write("other", read_file(source));
  const std::vector<std::string> set{"--source", source, "--reference", reference};
  const auto refused = [&](std::vector<std::string> words, const std::string& told) {
    words.insert(words.end(), set.begin(), set.end());
    expect_mistake(run_heed(words), {told});
  };
  refused({"evaluate", toy.rnn, "-o", reference}, reference + ": is read by this command");
  refused({"lengths", "--hypothesis", other, "--csv", other}, other + ": is read by this command");
  refused({"lengths", "--hypothesis", other, "--csv", folder / "x", "--svg", folder / "x"},
          folder / "x: would be written twice");
  const std::vector<std::string> pair{toy.transformer, "--source", source, "--target", reference};
  for (const char* command : {"heads", "faithful"}) {
    std::vector<std::string> words{command};
    words.insert(words.end(), pair.begin(), pair.end());
    words.insert(words.end(), {"-o", reference});
    expect_mistake(run_heed(words), {reference + ": is read by this command"});
  }
  expect_mistake(run_heed({"contrast", toy.rnn, "--source", source, "--right", reference, "--wrong",
                           other, "-o", other}),
                 {other + ": is read by this command"});
  // Its own test set is read, too.
  const auto with = [&](const std::string& key, const std::string& file) {
    return "data.test." + key + "=" + file;
  };
  expect_mistake(run_heed({"evaluate", toy.rnn, "--set", with("source", source), "--set",
                           with("target", reference), "-o", reference}),
                 {reference + ": is read by this command"});
}

TEST(Evaluate, AFileOfBothSidesIsNoSide) {
  const TemporaryFolder folder;
  const std::string pairs = folder.write("pairs.tsv", "a b\tb a\n"),
                    side = folder.write("s", "b\n");
  const std::string& rnn = Toy::get().rnn;
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"evaluate", rnn, "--source", pairs, "--reference", side},
        {"evaluate", "--hypothesis", pairs, "--reference", side},
        {"score", rnn, pairs, side},
        {"align", rnn, "--source", side, "--target", pairs}})
    expect_mistake(run_heed(command), {"pairs.tsv has both sides", "cut -f1"});
}

TEST(Evaluate, EmptyFileNamesAndADashAreRefused) {
  const std::string& rnn = Toy::get().rnn;
  expect_mistake(run_heed({"evaluate", rnn, "--source", "", "--reference", ""}),
                 {"--source", "is empty"});
  expect_mistake(run_heed({"evaluate", rnn, "-o", "-"}),
                 {"-: this output cannot go to standard output"});
}

TEST(Lengths, AFileWithAnEqualsSignInItsPathNeedsNoName) {
  const TemporaryFolder folder;
  const std::string source = Toy::get().folder / "test.src";
  const std::string given = folder.write("lr=3/given.txt", read_file(source));
  EXPECT_THAT(product(run_heed(
                  {"lengths", "--hypothesis", given, "--source", source, "--reference", source})),
              HasSubstr("given"));
}

TEST(Lengths, OfAModelAndOfReadyTranslationsSideBySide) {
  const QuickScorer scorer;
  const TemporaryFolder folder;
  const Toy& toy = Toy::get();
  const std::string csv = folder / "lengths.csv", svg = folder / "lengths.svg";
  const Result result =
      run_heed({"lengths", toy.rnn, "--hypothesis", "source=" + (toy.folder / "test.src"), "--csv",
                csv, "--svg", svg, "--baseline", "source"});
  EXPECT_THAT(product(result), HasSubstr("rnn"));
  const auto rows = lines_of(read_file(csv));
  ASSERT_THAT(rows, SizeIs(5));
  EXPECT_EQ(rows[0], kLengthsHeader);
  int sentences = 0;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const auto fields = split(rows[i], ',');
    ASSERT_THAT(fields, SizeIs(10));
    EXPECT_EQ(fields[0], i < 3 ? "rnn" : "source");
    EXPECT_EQ(fields[1], i % 2 == 1 ? "1" : "4");
    EXPECT_EQ(fields[2], i % 2 == 1 ? "3" : "inf");
    if (i < 3) sentences += std::stoi(fields[3]);
    EXPECT_LE(std::stod(fields[6]), std::stod(fields[5]));
    EXPECT_GE(std::stod(fields[7]), std::stod(fields[5]));
  }
  EXPECT_EQ(sentences, 25);
  EXPECT_THAT(read_file(svg), HasSubstr("<svg"));
}

TEST(Lengths, AnUnknownBaselineIsAMistake) {
  const TemporaryFolder folder;
  const std::string file = folder.write("a", "a b c d\n");
  expect_mistake(run_heed({"lengths", "--hypothesis", "mine=" + file, "--source", file,
                           "--reference", file, "--baseline", "yours"}),
                 {"yours"});
}

TEST(Lengths, RunsWhoseFoldersHaveOneNameAreCalledByTheirPaths) {
  const QuickScorer scorer;
  const Toy& toy = Toy::get();
  const TemporaryFolder folder;
  const std::string one = folder / "one/rnn", other = folder / "other/rnn";
  for (const std::string& run : {one, other}) {
    fs::create_directories(fs::path(run).parent_path());
    fs::copy(toy.rnn, run, fs::copy_options::recursive);
  }
  product(run_heed({"lengths", one, other, "--baseline", one, "--csv", folder / "l.csv"}));
  const auto rows = lines_of(read_file(folder / "l.csv"));
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_THAT(rows[1], StartsWith(one + ","));
  EXPECT_THAT(rows[4], StartsWith(other + ","));
  expect_mistake(run_heed({"lengths", one, one}), {one + ": is named twice"});
}

TEST(Lengths, AllRunsAreLookedAtBeforeOneTranslates) {
  const Toy& toy = Toy::get();
  const TemporaryFolder folder;
  const std::string one = folder / "one", other = folder / "other";
  for (const std::string& run : {one, other}) fs::copy(toy.rnn, run, fs::copy_options::recursive);
  fs::remove(other + "/model.safetensors");
  expect_mistake(run_heed({"lengths", one, other}), {other + ": has no model.safetensors"});
}

}  // namespace
}  // namespace heed::cli
