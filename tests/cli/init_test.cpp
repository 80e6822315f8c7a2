// heed init: from two files to a configuration that trains.
#include <filesystem>
#include <string>

#include "cli/program.h"
#include "cli/toy.h"

namespace heed::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(Init, WritesAConfigurationThatTrainsAsItStands) {
  const TemporaryFolder folder;
  write_toy_pairs(folder, "corpus", 2000, 5);
  const std::string config = folder / "mine.yaml";
  const Result result = run_heed({"init", folder / "corpus.src", folder / "corpus.tgt", "-o",
                                  config, "--name", "mine", "--data", folder / "parts"});
  EXPECT_THAT(product(result), HasSubstr("heed train"));
  EXPECT_THAT(result.err, AllOf(HasSubstr("2000 pairs"), HasSubstr("validation and")));
  EXPECT_THAT(read_file(config), AllOf(HasSubstr("On this machine"), HasSubstr("duplicates"),
                                       HasSubstr("attention: luong_general")));
  for (const char* part : {"train.src", "valid.tgt", "test.src"})
    EXPECT_TRUE(std::filesystem::exists(folder / ("parts/" + std::string(part)))) << part;
  product(run_heed({"train", config, "--set", "output=" + (folder / "run"), "--set",
                    "training.updates=3", "--set", "training.validate_every=3", "--set",
                    "training.warmup=1", "--set", "training.validate_bleu=false", "--set",
                    "data.test={source: '', target: ''}"}));
  EXPECT_TRUE(std::filesystem::exists(folder / "run/model.safetensors"));
}

TEST(Init, NamesTheRunAfterTheFolderOfAFileCalledTrain) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "data/letters");
  write_toy_pairs(folder, "data/letters/train", 200, 5);
  product(run_heed_in({"--chdir=" + folder.path()}, {"init", "data/letters/train.src",
                                                     "data/letters/train.tgt", "--no-estimate"}));
  EXPECT_THAT(read_file(folder / "letters.yaml"), HasSubstr("name: letters\n"));
  EXPECT_TRUE(std::filesystem::exists(folder / "data/letters_split/train.src"));
}

TEST(Init, OverwritesNothingAndRefusesTooFewPairs) {
  const TemporaryFolder folder;
  write_toy_pairs(folder, "corpus", 40, 5);
  const std::string source = folder / "corpus.src", target = folder / "corpus.tgt";
  folder.write("there.yaml", "kept");
  expect_mistake(run_heed({"init", source, target, "-o", folder / "there.yaml"}),
                 {"there.yaml", "is there already"});
  EXPECT_EQ(read_file(folder / "there.yaml"), "kept");
  expect_mistake(run_heed({"init", source, target, "-o", folder / "x.yaml", "--data",
                           folder / "parts", "--valid", "30", "--test", "30"}),
                 {"40 pairs are too few"});
  expect_mistake(run_heed({"init", source}), {"two files"});
}

}  // namespace
}  // namespace heed::cli
