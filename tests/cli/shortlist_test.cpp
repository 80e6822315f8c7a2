// heed shortlist, and translations with its file.
#include <string>

#include "cli/program.h"
#include "cli/toy.h"

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
            "0 of 10 lines differ (0.0 %); 32 of 32 pieces a line\n");
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
  expect_mistake(start_heed({"shortlist", run, folder / "train.src", folder / "valid.tgt"}),
                 {"train.src", "valid.tgt"});
}

}  // namespace
}  // namespace heed::cli
