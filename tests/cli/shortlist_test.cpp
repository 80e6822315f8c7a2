// heed shortlist, and translations with its file.
#include <string>
#include <vector>

#include "base/files.h"
#include "cli/program.h"
#include "cli/toy.h"
#include "compressed.h"

namespace heed::cli {
namespace {

struct ShortlistCommand : ToyRunTest {
  ShortlistCommand() { train_toy(write_config()); }
  std::vector<std::string> command(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> all{"shortlist", run, folder / "train.src", folder / "train.tgt"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  Result translate(const std::vector<std::string>& more) const {
    std::vector<std::string> all{"translate", run, folder / "valid.src"};
    all.insert(all.end(), more.begin(), more.end());
    return start_heed(all);
  }
};

TEST_F(ShortlistCommand, MakesAFileThatTranslationsUse) {
  // With one vocabulary of so few pieces everything is likely.
  EXPECT_EQ(product(start_heed(command({"--check", folder / "valid.src"}))),
            "0 of 10 lines differ (0.0 %); 32 of 32 pieces a line, 32 a batch; 0 lines with all "
            "pieces\n");
  const std::string file = run + "/shortlist.bin";
  EXPECT_EQ(product(translate({"--set", "decoding.shortlist=" + file})), product(translate({})));
  const std::string small = folder / "small.bin";
  EXPECT_THAT(product(start_heed(command({"--best", "1", "--frequent", "0", "-o", small, "--check",
                                          folder / "valid.src"}))),
              ::testing::ContainsRegex("lines differ .*; [12]?[0-9] of 32 pieces a line"));
  const std::vector<std::string> alone{"--set", "decoding.shortlist=" + small, "--scores",
                                       "--batch", "1"},
      together{"--set", "decoding.shortlist=" + small, "--scores", "--batch", "7"};
  EXPECT_EQ(product(translate(alone)), product(translate(together)));
}

TEST_F(ShortlistCommand, LearnsFromTheModelsOwnTranslations) {
  // A list has each piece that is in a hypothesis of a line with its source piece, so that a greedy
  // search of these lines finds what it finds without the lists.
  const std::string source = folder / "train.src", own = folder / "own.bin";
  const std::vector<std::string> greedy{"--set",      "decoding.beam_size=1",
                                        "--set",      "decoding.weights=fp32",
                                        "--frequent", "0",
                                        "-o",         own,
                                        "--check",    source};
  const auto own_shortlist = [&](const std::string& model) {
    std::vector<std::string> all{"shortlist", model, source};
    all.insert(all.end(), greedy.begin(), greedy.end());
    return product(start_heed(all));
  };
  EXPECT_THAT(own_shortlist(run),
              ::testing::ContainsRegex("^0 of 100 lines differ .*; [12]?[0-9] of 32 pieces a line, "
                                       ".* a batch; 0 lines with all pieces"));
  const std::string recurrent = folder / "recurrent";
  train_toy(write_toy_config(folder, {.name = "recurrent",
                                      .model = kRnn,
                                      .training = "updates: 4",
                                      .vocabulary = "kind: separate, size: 28, algorithm: bpe"}));
  EXPECT_THAT(own_shortlist(recurrent), ::testing::StartsWith("0 of 100 lines differ"));
  const std::string exported = folder / "exported", imported = folder / "imported";
  product(run_heed({"export", run, "-o", exported}));
  product(run_heed({"import", exported, "-o", imported}));
  EXPECT_THAT(own_shortlist(imported), ::testing::StartsWith("0 of 100 lines differ"));
}

TEST_F(ShortlistCommand, ReadsTextFromAnywhere) {
  const std::string source = folder / "valid.src", text = read_file(source);
  const std::string plain = folder / "plain.bin", other = folder / "other.bin";
  product(start_heed({"shortlist", run, source, "-o", plain}));
  product(start_heed({"shortlist", run, "-", "-o", other}, text));
  EXPECT_EQ(read_file(other), read_file(plain));
  product(start_heed({"shortlist", run, folder.write("valid.src.gz", gzip(text)), "-o", other}));
  EXPECT_EQ(read_file(other), read_file(plain));
}

TEST_F(ShortlistCommand, TranslatesALineWithAnUnknownPieceAsWithoutIt) {
  // With one line of text at most one other piece is translated by itself.
  const std::string file = folder / "one.bin";
  product(start_heed({"shortlist", run, folder.write("one", "a b\n"), "-o", file}));
  const std::string text = folder.write("text", "j i h\ng f e\n");
  const std::vector<std::string> plain{"translate", run, text, "--scores"};
  std::vector<std::string> listed = plain;
  listed.insert(listed.end(), {"--set", "decoding.shortlist=" + file});
  EXPECT_EQ(product(start_heed(listed)), product(start_heed(plain)));
}

TEST_F(ShortlistCommand, RefusesWhatCannotBe) {
  expect_mistake(translate({"--set", "decoding.shortlist=" + (folder / "absent")}), {"absent"});
  expect_mistake(translate({"--set", "decoding.shortlist=" + (folder / "train.src")}),
                 {"train.src: is no shortlist; `heed shortlist` makes one"});
  product(start_heed(command()));
  const std::string other = folder / "other";
  train_toy(write_toy_config(folder, {.name = "other",
                                      .model = kNone,
                                      .training = "updates: 1",
                                      .vocabulary = "kind: joint, size: 31, algorithm: bpe"}));
  expect_mistake(start_heed({"translate", other, folder / "valid.src", "--set",
                             "decoding.shortlist=" + run + "/shortlist.bin"}),
                 {"shortlist.bin: belongs to other vocabularies than the model"});
  expect_mistake(start_heed({"translate", run, folder / "valid.src", "--set",
                             "decoding.shortlist=" + run + "/shortlist.bin", "--set",
                             "model.attention_normaliser=entmax15"}),
                 {"model.attention_normaliser"});
  expect_mistake(start_heed(command({"--best", "0"})), {"--best"});
  const std::string blank = folder.write("blank", "\n  \n");
  expect_mistake(start_heed({"shortlist", run, blank, "--set", "decoding.weights=fp32"}),
                 {"blank: has no line to translate"});
  expect_mistake(start_heed({"shortlist", run, folder.write("pairs.tsv", "a\tb\n"), "--set",
                             "decoding.weights=fp32"}),
                 {"pairs.tsv:1: has both sides"});

  expect_mistake(start_heed({"shortlist", run, folder / "train.src", folder / "valid.tgt"}),
                 {"train.src", "valid.tgt"});
}

}  // namespace
}  // namespace heed::cli
