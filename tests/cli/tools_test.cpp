// heed average, vocab and doctor.
#include <filesystem>
#include <string>

#include "cli/program.h"
#include "cli/toy.h"

namespace heed::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST(Average, OfOneSetOfWeightsIsThatSet) {
  const TemporaryFolder folder;
  const Toy& toy = Toy::get();
  const Result result = run_heed({"average", toy.rnn, toy.rnn, "-o", folder / "mean"});
  EXPECT_EQ(product(result), "");
  const std::string test = toy.folder / "test.src";
  EXPECT_EQ(product(run_heed({"translate", folder / "mean", test, "--scores"})),
            product(run_heed({"translate", toy.rnn, test, "--scores"})));
}

TEST(Average, OfTheBestCheckpointsIsTheModel) {
  const TemporaryFolder folder;
  std::vector<std::string> arguments{"average"};
  for (const auto& entry : fs::directory_iterator(Toy::get().rnn + "/checkpoints"))
    if (entry.path().extension() == ".safetensors") arguments.push_back(entry.path().string());
  ASSERT_THAT(arguments, SizeIs(3));
  arguments.insert(arguments.end(), {"-o", folder / "mean"});
  EXPECT_EQ(product(run_heed(arguments)), "");
  const std::string test = Toy::get().folder / "test.src";
  EXPECT_EQ(product(run_heed({"translate", folder / "mean", test, "--scores"})),
            product(run_heed({"translate", Toy::get().rnn, test, "--scores"})));
}

TEST(Average, RefusesOtherArchitecturesAndFoldersInUse) {
  const TemporaryFolder folder;
  const Toy& toy = Toy::get();
  expect_mistake(run_heed({"average", toy.rnn, toy.transformer, "-o", folder / "mean"}),
                 {toy.transformer});
  EXPECT_FALSE(fs::exists(folder / "mean"));
  expect_mistake(run_heed({"average", toy.rnn, "-o", toy.transformer}), {toy.transformer});
  expect_mistake(run_heed({"average", folder / "nothing", "-o", folder / "mean"}), {"nothing"});
}

TEST(Vocab, TrainsAModelThatARunCanUse) {
  const TemporaryFolder folder;
  write_toy_pairs(folder, "train", 100, 1);
  write_toy_pairs(folder, "valid", 10, 2);
  const Result result = run_heed({"vocab", folder / "train.src", folder / "train.tgt", "--size",
                                  "28", "--algorithm", "bpe", "-o", folder / "mine.spm"});
  EXPECT_EQ(product(result), "");
  EXPECT_THAT(result.err, HasSubstr("28 pieces"));
  train_toy(write_toy_config(folder, {"run", kNone, "updates: 2", false, 1,
                                      "kind: joint, source: " + (folder / "mine.spm")}));
  EXPECT_EQ(read_file(folder / "run/joint.spm"), read_file(folder / "mine.spm"));
}

TEST(Vocab, ASizeThatTheTextCannotFillSaysWhichItCan) {
  const TemporaryFolder folder;
  const Result result = run_heed({"vocab", folder.write("text", "a b\nb a\n"), "--size", "500",
                                  "--algorithm", "bpe", "-o", folder / "mine.spm"});
  expect_mistake(result, {"500", "set --size to at most"});
  EXPECT_FALSE(fs::exists(folder / "mine.spm"));
}

TEST(Doctor, SaysWhatThisMachineCanDo) {
  const Result result = run_heed({"doctor"});
  const std::string report = product(result);
  for (const char* part : {"heed", "LibTorch", "CPU", "bf16", "GPU", "sacrebleu"})
    EXPECT_THAT(report, HasSubstr(std::string(" ") + part + " "));
  EXPECT_THAT(report, HasSubstr("GFLOP/s"));
}

TEST(Doctor, FailsWhereTheScorerIsMissing) {
  const Result result = run_heed_in({"HEED_SACREBLEU=/nonexistent"}, {"doctor"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.out, HasSubstr("--   sacrebleu"));
  EXPECT_THAT(lines_of(result.err), SizeIs(1));
}

}  // namespace
}  // namespace heed::cli
