// heed is linked without LibTorch, and becomes heed-torch, which has all commands, where it has to.
#include <filesystem>
#include <string>
#include <vector>

#include "cli/program.h"
#include "cli/toy.h"
#include "quick_scorer.h"
#include "temporary_folder.h"

namespace heed::cli {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kTorch = std::string(paths::kHeed) + "-torch";

TEST(TwoPrograms, HaveTheSameCommandsAndDescriptions) {
  for (const char* option : {"--help", "--version"})
    EXPECT_EQ(product(start_heed({option})), product(subprocess::run({kTorch, option})));
}

TEST(TwoPrograms, OneLoadsNothingOfLibTorch) {
  const std::string libraries = product(subprocess::run({"ldd", paths::kHeed}));
  EXPECT_THAT(libraries, HasSubstr("libstdc++"));
  EXPECT_THAT(libraries, Not(ContainsRegex("lib(torch|c10|gomp)")));
  EXPECT_THAT(product(subprocess::run({"ldd", kTorch})), HasSubstr("libtorch_cpu"));
}

/// `heed ARGUMENTS` with 40 MB of address space, which LibTorch's libraries alone would not fit in.
Result run_small(const std::vector<std::string>& arguments) {
  std::vector<std::string> line = {"sh", "-c", "ulimit -v 40000 && exec \"$0\" \"$@\""};
  const auto heed = command(arguments);
  line.insert(line.end(), heed.begin(), heed.end());
  return subprocess::run(line);
}

TEST(TwoPrograms, WhatNeedsNoModelTakesLessThan40Megabytes) {
  const Toy& toy = Toy::get();
  const QuickScorer scorer;
  const std::string reference = toy.folder / "test.tgt";
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"--help"},
        {"config"},
        {"config", "--markdown"},
        {"runs", toy.folder.path()},
        {"runs", "--curves", toy.rnn},
        {"watch", "--json", toy.folder.path()},
        {"evaluate", "--hypothesis", reference, "--reference", reference},
        {"lengths", "--hypothesis", reference, "--source", toy.folder / "test.src", "--reference",
         reference}}) {
    SCOPED_TRACE(arguments.front());
    EXPECT_NE(product(run_small(arguments)), "");
  }
  EXPECT_NE(run_small({"inspect", toy.rnn}).status, 0);
}

TEST(TwoPrograms, WithoutHeedTorchModelsWithAnEngineTranslateAndCommandsOfItAreOneLine) {
  const Toy& toy = Toy::get();
  const QuickScorer scorer;
  const TemporaryFolder folder;
  const std::string alone = folder / "heed", source = toy.folder / "test.src",
                    reference = toy.folder / "test.tgt";
  const std::string antecedents =
      folder.write("a", "line\tpronoun\tantecedent\ttarget_pronoun\tgender\n0\t1\t0\t0\tm\n");
  std::filesystem::copy(paths::kHeed, alone);
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"translate", toy.rnn, source, "--alignment"},
        {"translate", toy.rnn, source, "--json", "--replace-unknown"},
        {"lengths", toy.rnn, "--source", source, "--reference", reference},
        {"contrast", toy.rnn, "--source", source, "--antecedents", antecedents, "--forms",
         "m=a"}}) {
    SCOPED_TRACE(arguments.front());
    EXPECT_EQ(product(subprocess::run(command_of(alone, arguments))), product(run_heed(arguments)));
  }
  EXPECT_THAT(product(subprocess::run({alone, "config"})), HasSubstr("beam_size: 5"));
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"train", "--help"}, {"config", "x.yaml", "--check"}})
    expect_one_line_error(subprocess::run(command_of(alone, arguments)), 1,
                          {alone + "-torch: No such file or directory; this command needs it"});
}

}  // namespace
}  // namespace heed::cli
