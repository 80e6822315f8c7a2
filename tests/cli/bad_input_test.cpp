// The user's mistakes: exit code 2 and one line that names the thing and the cure.
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "cli/program.h"
#include "cli/toy.h"

namespace heed::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

TEST(Vocabulary, ACoverageThatSentencePieceRefusesIsRefusedAtOnce) {
  const TemporaryFolder folder;
  const std::string text = folder.write("text", "a b\n");
  expect_mistake(run_heed({"vocab", text, "--coverage", "0.97", "-o", folder / "a.spm"}),
                 {"--coverage", "0.98"});
}

// --- what is translated and scored

TEST(Evaluate, FilesOfDifferentLengthNameBothAndTheirCounts) {
  const TemporaryFolder folder;
  const std::string a = folder.write("a.txt", "x\ny\nz\n"), b = folder.write("b.txt", "x\n");
  expect_mistake(run_heed({"evaluate", "--hypothesis", a, "--reference", b}),
                 {"a.txt has 3 lines", "b.txt has 1"});
}

TEST(Evaluate, NeedsEitherAModelOrAFile) {
  const TemporaryFolder folder;
  expect_mistake(run_heed({"evaluate"}), {"--hypothesis"});
  const std::string a = folder.write("x.txt", "x\n");
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{"--valid"}, {"--source", a}, {"-o", folder / "out"}}) {
    std::vector<std::string> command{"evaluate", "--hypothesis", a, "--reference", a};
    command.insert(command.end(), more.begin(), more.end());
    expect_mistake(run_heed(command), {"with --hypothesis leave out --valid and --output"});
  }
  expect_mistake(run_heed({"evaluate", "model", "--valid", "--source", a, "--reference", a}),
                 {"--valid", "not both"});
  expect_mistake(run_heed({"evaluate", "--hypothesis", folder.write("a", "x\n")}), {"--reference"});
  expect_mistake(run_heed({"lengths"}), {"--hypothesis"});
  expect_mistake(run_heed({"lengths", "--hypothesis", "=b"}), {"--hypothesis =b", "no name"});
  expect_mistake(run_heed({"lengths", "--hypothesis", "/dev/null"}),
                 {"--hypothesis without a model folder needs --source and --reference"});
}

TEST(Encoding, TextThatIsNotUtf8IsNotScoredAndTranslatedWithAWarning) {
  const TemporaryFolder folder;
  std::string lines, pairs;
  for (int i = 0; i < 12; ++i) {
    lines += "\xE4 b\n";
    pairs += "\xE4 b\tb a\n";
  }
  const std::string file = folder.write("latin1", lines), tsv = folder.write("latin1.tsv", pairs);
  const std::string model = Toy::get().rnn;
  const auto cure = [](const std::string& path) {
    return std::vector<std::string>{path + ":1: not UTF-8",
                                    "iconv -f WINDOWS-1252 -t UTF-8 " + path};
  };
  expect_mistake(run_heed({"evaluate", "--hypothesis", file, "--reference", file}), cure(file));
  expect_mistake(run_heed({"score", model, file, file}), cure(file));
  expect_mistake(run_heed({"evaluate", model, "--set", "data.test.source=" + tsv, "--set",
                           "data.test.target=\"\""}),
                 cure(tsv));
  const Result translated = run_heed({"translate", model, file});
  EXPECT_EQ(lines_of(product(translated)).size(), 12U);
  EXPECT_THAT(translated.err, HasSubstr(cure(file)[1]));
  EXPECT_EQ(translated.err.find("iconv"), translated.err.rfind("iconv")) << translated.err;
}

TEST(TranslateOptions, ThatContradictOthersOrDoNothingAreRefused) {
  using Words = std::vector<std::string>;
  for (const auto& [options, parts] : std::vector<std::pair<Words, Words>>{
           {{"--layer", "0"}, {"--layer", "add --alignment"}},
           {{"--head", "mean", "--scores"}, {"--head", "add --alignment"}},
           {{"--aligned-step", "reads"}, {"--aligned-step", "add --alignment"}},
           {{"--min-weight", "0.3", "--replace-unknown"}, {"--min-weight", "add --alignment"}},
           {{"--sample", "--set", "decoding.sampling.top_p=0"}, {"--sample", "above 0"}},
           {{"--sample", "--beam", "3"}, {"--beam: translations are drawn, not searched for"}},
           {{"--resume", "--output", ""}, {"--output: is empty; give it a value"}},
           {{"--resume", "--output", "-"}, {"--resume", "name a file with --output"}}}) {
    SCOPED_TRACE(options.front() + " " + options.back());
    Words command = {"translate", Toy::get().rnn};
    command.insert(command.end(), options.begin(), options.end());
    expect_mistake(run_heed(command, "a b\n"), parts);
  }
  for (const char* option : {"--alignment", "--replace-unknown", "--json"})
    EXPECT_EQ(run_heed({"translate", Toy::get().rnn, "--head", "0", option}, "a b\n").status, 0);
  EXPECT_EQ(product(run_heed({"translate", Toy::get().rnn, "-o", "-"}, "a b\n")), "b a\n");
}

TEST(Input, AHundredMegabytesWithoutALineFeedAreNoText) {
  const TemporaryFolder folder;
  const std::string path = folder.write("huge.txt", "");
  fs::resize_file(path, 100 << 20);  // NULs that take no room
  for (const auto& command : {std::vector<std::string>{"score", Toy::get().rnn, path, path},
                              {"vocab", path, "-o", folder / "v.spm"}})
    expect_mistake(run_heed(command), {"huge.txt:1", "a line of more than 4 MiB"});
}

TEST(Input, AMissingInputNamesTheNearestFile) {
  const TemporaryFolder folder;
  folder.write("input.txt", "a\n");
  expect_mistake(run_heed({"translate", Toy::get().rnn, folder / "inptu.txt"}), {"inptu.txt"});
}

}  // namespace
}  // namespace heed::cli
