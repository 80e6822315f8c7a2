// heed doctor names what is wrong with corpora. The test also holds what other commands say of
// those in UTF-16.
#include <string>
#include <vector>

#include "base/files.h"
#include "cli/program.h"
#include "cli/toy.h"

namespace heed::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST(Corpora, AreReportedOnByDoctor) {
  const TemporaryFolder folder;
  const std::string report = product(run_heed({"doctor", write_flawed(folder)}));
  EXPECT_THAT(lines_of(report), SizeIs(5));
  EXPECT_THAT(report, HasSubstr("train.tgt, 4 pairs, Latin + Latin\n"
                                "  the same as an earlier pair: 1 (line 3)\n"
                                "  a side is also in data.valid or data.test: 1 (line 2)\n"));
  EXPECT_THAT(report, HasSubstr("valid.tgt, 2 pairs, Latin + Latin\n"
                                "  source also in data.train: 1 (line 2)\n"));
}

TEST(Corpora, AreNamedInEveryMistake) {
  const TemporaryFolder folder;
  expect_mistake(run_heed({"doctor", folder.write("empty.yaml", "seed: 1\n")}), {"data.train"});
  expect_mistake(run_heed({"doctor", write_flawed(folder, "  clean: [duplicate]\n")}),
                 {"flawed.yaml", "data.clean", "'duplicates'"});
  expect_mistake(run_heed({"doctor", "--json"}), {"config"});
}

TEST(Corpora, WhoseLinesHaveSlippedAreMended) {
  const TemporaryFolder folder;
  std::string source, target, cut;
  for (int i = 0; i < 80; ++i) {
    std::string words;
    for (int word = 0; word <= (i * i * 7 + i) % 19; ++word) words += "a b c ";
    words += std::to_string(i) + ' ';
    source += words + ".\n";
    target += (i == 40 ? "\n" : "") + words + "d.\n";
    if (i < 79) cut = target;
  }
  const std::string from = folder.write("s", source), to = folder.write("t", target);
  expect_mistake(run_heed({"doctor", from, to}),
                 {"s has 80 lines and", "t has 81; ",
                  ": from line 41 on the target is 1 line late; `heed clean " + from});
  product(run_heed({"clean", from, to, "--realign", "-o", folder / "mended"}));
  EXPECT_EQ(read_file(folder / "mended.source"), source);
  EXPECT_EQ(read_file(folder / "mended.removed.tsv"), "41\tno partner\t\t\n");
  write_atomic(to, cut);
  EXPECT_THAT(
      product(run_heed({"doctor", from, to})),
      HasSubstr("  lines have slipped: from line 41 on the target is 1 line late; mend it"));
}

TEST(Corpora, InUtf16AreRefusedWithTheCure) {
  const TemporaryFolder folder;
  const std::string config = write_flawed(folder), source = folder / "train.src";
  const std::string target = folder / "train.tgt";
  std::string wide = "\xFF\xFE";
  for (int i = 0; i < 4; ++i) wide += std::string("a\0 \0b\0\n\0", 8);
  folder.write("train.src", wide);
  const std::vector<std::string> parts{source + ":1: text in UTF-16; convert it: iconv -f UTF-16 ",
                                       "-t UTF-8 " + source + " > NEW"};
  expect_mistake(run_heed({"-q", "train", config}), parts);
  expect_mistake(run_heed({"doctor", config}), parts);
  expect_mistake(
      run_heed({"init", source, target, "-o", folder / "new.yaml", "--data", folder / "parts"}),
      parts);
  expect_mistake(run_heed({"evaluate", "--hypothesis", target, "--reference", source}), parts);
}

}  // namespace
}  // namespace heed::cli
