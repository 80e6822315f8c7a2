// Text that is not blank-separated Latin, and what people feed instead of a corpus.
#include <nlohmann/json.hpp>
#include <string>

#include "cli/program.h"
#include "cli/toy.h"
#include "quick_scorer.h"

namespace heed::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kDoubt = "evaluation.tokenize: 13a finds no words in";

/// Letters as characters of Chinese: each has its own, and blanks go.
std::string in_chinese(const std::string& lines) {
  std::string out;
  for (const char c : lines) {
    if (c >= 'a' && c <= 'z')
      out += std::string("\xE4\xB8") + static_cast<char>(0x80 + c - 'a');
    else if (c != ' ')
      out += c == ',' ? "\xEF\xBC\x8C" : std::string(1, c);
  }
  return out;
}

struct Scripts : testing::Test {
  TemporaryFolder folder;

  /// NAME.src and NAME.tgt, of which the targets are Chinese.
  void write_pairs(const std::string& name, int count, unsigned seed) const {
    write_toy_pairs(folder, name, count, seed);
    folder.write(name + ".tgt", in_chinese(read_file(folder / (name + ".tgt"))));
  }
  std::string flawed(const std::string& source, const std::string& target) const {
    write_toy_pairs(folder, "valid", 7, 2);
    folder.write("train.src", source);
    folder.write("train.tgt", target);
    return write_toy_config(folder, {"run", kNone, "updates: 1"});
  }
};

TEST_F(Scripts, InitSetsTheTokenizerOfTheTarget) {
  write_pairs("corpus", 400, 1);
  const std::string config = folder / "mine.yaml";
  const Result result = run_heed({"init", folder / "corpus.src", folder / "corpus.tgt", "-o",
                                  config, "--data", folder / "parts"});
  product(result);
  EXPECT_THAT(result.err, AllOf(HasSubstr("a character is a word"), Not(HasSubstr(kDoubt))));
  EXPECT_THAT(read_file(config), HasSubstr("evaluation:\n"));
  EXPECT_THAT(read_file(config), HasSubstr("  tokenize: zh\n"));
}

TEST_F(Scripts, EveryCommandWarnsOnceOfATokenizerThatFindsNoWords) {
  for (const char* name : {"train", "valid", "test"}) write_pairs(name, 60, 3);
  const std::string config =
      write_toy_config(folder, {"run", kNone, "updates: 1, validate_every: 1", /*test=*/true, 1,
                                "kind: joint, size: 50, algorithm: bpe"});
  const std::string source = folder / "test.src", target = folder / "test.tgt";
  const std::vector<std::vector<std::string>> commands = {
      {"config", config, "--check"},
      {"train", config},
      {"evaluate", folder / "run"},
      {"evaluate", "--hypothesis", target, "--reference", target},
      {"lengths", "--hypothesis", "a=" + target, "--source", source, "--reference", target}};
  for (const auto& command : commands) {
    const QuickScorer scorer;
    const std::string err = run_heed(command).err;
    const std::size_t first = err.find(kDoubt);
    EXPECT_NE(first, std::string::npos) << command[0] << err;
    EXPECT_EQ(err.find(kDoubt, first + 1), std::string::npos) << command[0] << err;
  }
  const Result good = run_heed({"evaluate", "--hypothesis", target, "--reference", target,
                                "--words", "--set", "evaluation.tokenize=zh"});
  EXPECT_THAT(product(good), AllOf(HasSubstr("BLEU 100.00"), HasSubstr("characters, tok:char")));
  EXPECT_THAT(good.err, Not(HasSubstr(kDoubt)));
}

TEST_F(Scripts, AlignLinksCharacters) {
  for (const char* name : {"train", "valid"}) write_pairs(name, 60, 3);
  train_toy(write_toy_config(folder, {"run", kRnn, "updates: 1", /*test=*/false, 1,
                                      "kind: joint, size: 50, algorithm: bpe"}));
  const std::string source = folder.write("s", "a b c\n5\u00A0a b\n"),
                    target = folder.write("t", in_chinese("abc\nab\n"));
  const Result result = run_heed({"align", folder / "run", "--source", source, "--target", target,
                                  "--gold", folder.write("gold", "0-0 2-2\n1-1\n")});
  EXPECT_EQ(lines_of(product(result)).size(), 2U);
  EXPECT_THAT(result.err, AllOf(Not(HasSubstr("other words")), HasSubstr("(U+00A0)"),
                                HasSubstr("are shifted: 1 (line 2)")));
  expect_mistake(run_heed({"align", folder / "run", "--source", source, "--target", target,
                           "--gold", folder.write("gold", "0-3\n\n")}),
                 {"gold:1", "3 source and 3 target words"});
}

TEST_F(Scripts, DoctorAndTheCheckNameTracesOfOtherPrograms) {
  const std::string config = flawed("source\na &amp; b\nlo@@ w\n\u2581a\n", "target\nx\ny\nz\n");
  const std::string report = product(run_heed({"doctor", config}));
  const std::string check = run_heed({"config", config, "--check"}).err;
  for (const char* trace :
       {"HTML entities such as &amp;; decode them with html.unescape of Python: 1 (line 2)",
        "joins the pieces, or data.vocabulary.algorithm: pieces takes them as they are: 1 (line 3)",
        "spm_decode: 1 (line 4)", "leaves it out: 1 (line 1)"}) {
    EXPECT_THAT(report, HasSubstr(trace));
    EXPECT_THAT(check, HasSubstr(trace));
  }
  const auto json = nlohmann::json::parse(product(run_heed({"doctor", config, "--json"})));
  EXPECT_EQ(json.at("sets").at("data.train").at("traces").at("bpe").at("lines"),
            std::vector<int>{3});
}

TEST_F(Scripts, WhatIsNoCorpusIsRefusedWithTheCure) {
  const std::string pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n";
  for (const std::string command : {"doctor", "train"})
    expect_mistake(run_heed({command, flawed(pointer, "a\nb\nc\n")}),
                   {"train.src", "git lfs pull"});
  expect_mistake(run_heed({"train", flawed("a\rb\rc\r", "x\ny\nz\n")}),
                 {"train.src", "carriage returns", "tr '\\r' '\\n' < "});
}

}  // namespace
}  // namespace heed::cli
