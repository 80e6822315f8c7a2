// heed train on one file of both sides; and what can be read only once.
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "cli/program.h"
#include "cli/toy.h"

namespace heed::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::HasSubstr;

struct Streams : testing::Test {
  TemporaryFolder folder;
  std::string run = folder / "run";
  std::string pairs;  // of train.src and train.tgt

  Streams() {
    write_toy_pairs(folder, "train", 60, 1);
    write_toy_pairs(folder, "valid", 5, 2);
    pairs = columns("train");
    folder.write("train.tsv", pairs);
    folder.write("valid.tsv", columns("valid"));
  }

  std::string columns(const std::string& name) const {
    const auto source = lines_of(read_file(folder / (name + ".src")));
    const auto target = lines_of(read_file(folder / (name + ".tgt")));
    std::string out;
    for (std::size_t i = 0; i < source.size(); ++i) out += source[i] + "\t" + target[i] + "\n";
    return out;
  }

  /// A configuration whose `train` and `valid` are these.
  std::string config(const std::string& train, const std::string& valid = "{source: valid.tsv}",
                     const std::string& more = "") const {
    return folder.write(
        "my.yaml",
        "output: " + run + "\nseed: 7\ndevice: cpu\nprecision: fp32\nthreads: 1\nmodel: " + kNone +
            "\ntraining: {updates: 2, save_every: 2, validate_every: 2, validate_bleu: false}\n"
            "data:\n  train: " +
            train + "\n  valid: " + valid +
            "\n  vocabulary: {kind: separate, algorithm: bpe, size: 32}\n" + more);
  }
  std::string file(const std::string& name) const { return "{source: " + (folder / name) + "}"; }

  Result train(const std::string& config, const std::string& input = "",
               const std::vector<std::string>& options = {}) const {
    std::vector<std::string> arguments{"train", config};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return run_heed(arguments, input);
  }
  std::string weights() const { return read_file(run + "/model.safetensors"); }
};

TEST_F(Streams, ATsvFileTrainsTheSameModelAsItsTwoColumns) {
  const auto two = [&](const std::string& name) {
    return "{source: " + (folder / (name + ".src")) + ", target: " + (folder / (name + ".tgt")) +
           "}";
  };
  product(train(config(two("train"), two("valid"))));
  const std::string before = weights();
  product(train(config(file("train.tsv"), file("valid.tsv")), "", {"--overwrite"}));
  EXPECT_TRUE(weights() == before);
  const json provenance = json::parse(read_file(run + "/provenance.json"));
  EXPECT_EQ(provenance.at("corpora").size(), 2U);
}

TEST_F(Streams, AConfigurationThatIsAStreamIsNotForRanks) {
  config(file("train.tsv"), file("valid.tsv"));
  const std::string fifo = folder / "config.fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const std::jthread writer([&] { std::ofstream(fifo) << read_file(folder / "my.yaml"); });
  expect_mistake(train(fifo, "", {"--ranks", "2"}), {fifo, "each rank of --ranks", "save it"});
}

TEST_F(Streams, ATsvFileIsATestSetToo) {
  folder.write("test.tsv", columns("valid"));
  product(
      train(config(file("train.tsv"), file("valid.tsv"), "  test: " + file("test.tsv") + "\n")));
  EXPECT_EQ(lines_of(read_file(run + "/test.hypothesis")).size(), 5U);
  EXPECT_THAT(product(run_heed({"evaluate", run, "--set", "decoding.beam_size=1"})),
              HasSubstr("BLEU"));
}

TEST_F(Streams, ALineWithoutTwoColumnsIsNamed) {
  folder.write("train.tsv", "a\tb\nc d\n");
  expect_mistake(train(config(file("train.tsv"), file("valid.tsv"))),
                 {"train.tsv:2: no TAB", "source TAB target"});
  folder.write("train.tsv", "a\tb\na\tb\tc\n");
  expect_mistake(train(config(file("train.tsv"), file("valid.tsv"))), {"train.tsv:2: 2 TABs"});
  expect_mistake(train(config(file("train.src"), file("valid.tsv"))),
                 {"data.train.target: no file is given", ".tsv"});
}

TEST_F(Streams, AreNoCorporaOfATraining) {
  const std::string fifo = folder / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const std::string yaml = config("{source: \"-\"}", file("valid.tsv"));
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{}, {"--resume"}, {"--overwrite"}, {"--ranks", "2"}})
    expect_mistake(train(yaml, pairs, options),
                   {"data.train: '-' can be read only once", "save it to a file"});
  expect_mistake(run_heed({"config", yaml, "--check"}, pairs),
                 {"data.train: '-' can be read only once", "save it to a file"});
  expect_mistake(train(config(file("train.tsv"), "{source: " + fifo + "}")),
                 {"data.valid: '" + fifo + "' can be read only once"});
  EXPECT_FALSE(fs::exists(run));
}

TEST_F(Streams, AreReportedOnByDoctor) {
  const Result result = run_heed({"doctor", config("{source: \"-\"}", file("valid.tsv"))}, pairs);
  EXPECT_THAT(product(result), HasSubstr("data.train: -, 60 pairs"));
}

}  // namespace
}  // namespace heed::cli
