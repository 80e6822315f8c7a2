// heed train on one file of both sides, on stdin and on FIFOs.
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
  std::string run = folder / "run", kept = run + "/data.train.tsv";
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
  // stdin is kept in the folder, and trains the same once more.
  product(train(config("{source: \"-\"}", file("valid.tsv")), pairs, {"--overwrite"}));
  EXPECT_TRUE(weights() == before);
  EXPECT_EQ(read_file(kept), pairs);
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

TEST_F(Streams, ARunGoesOnWithWhatItHasKeptOfStdin) {
  const std::string yaml = config("{source: \"-\"}", file("valid.tsv"));
  product(train(yaml, pairs));
  const std::vector<std::string> longer{"--resume", "--set", "training.updates=4"};
  const Result resumed = train(yaml, "", longer);
  EXPECT_EQ(product(resumed), "");
  EXPECT_THAT(resumed.err, HasSubstr("data.train.source: " + kept + ", as the run began with it"));
  EXPECT_THAT(resumed.err, HasSubstr("resuming at 2 of 4"));
  folder.write("run/data.train.tsv", pairs + "a\ta\n");
  expect_mistake(train(run, "", {"-q", "--resume", "--set", "training.updates=6"}),
                 {kept, "has changed since"});
  folder.write("run/data.train.tsv", pairs);
  const std::string moved = folder / "moved";
  fs::rename(run, moved);
  product(train(moved, "", {"--resume", "--set", "training.updates=6"}));
  fs::rename(moved, run);
  fs::remove(kept);
  expect_mistake(train(yaml, "", {"-q", "--resume", "--set", "training.updates=8"}),
                 {"data.train.source: '-' is not read again", kept, "missing", "--overwrite"});
}

TEST_F(Streams, AMovedRunDoesNotTakeTheCorpusOfTheOneThatBeganInItsPlace) {
  const std::string yaml = config("{source: \"-\"}", file("valid.tsv"));
  product(train(yaml, pairs));
  const std::string moved = folder / "moved";
  fs::rename(run, moved);
  product(train(yaml, pairs + "a\ta\n"));
  product(train(moved, "", {"--resume", "--set", "training.updates=4"}));
  EXPECT_EQ(read_file(moved + "/data.train.tsv"), pairs);
  EXPECT_EQ(read_file(kept), pairs + "a\ta\n");
}

TEST_F(Streams, StdinIsNotReadOverAnOlderRun) {
  const std::string yaml = config("{source: \"-\"}", file("valid.tsv"));
  product(train(yaml, pairs));
  expect_mistake(train(yaml, "a\tb\n"), {"holds a run already", "--resume", "--overwrite"});
  EXPECT_EQ(read_file(kept), pairs);
  product(train(config(file("train.tsv"), file("valid.tsv")), "", {"--overwrite"}));
  EXPECT_FALSE(fs::exists(kept));
}

TEST_F(Streams, OverwritingDeletesWhatWasKeptOnceTheConfigurationIsSound) {
  product(train(config("{source: \"-\"}", file("valid.tsv")), pairs));
  folder.write("run/data.train.mine.tsv", pairs);
  expect_mistake(train(config(file("none.tsv"), file("valid.tsv")), "", {"--overwrite"}),
                 {"data.train.source: no file"});
  EXPECT_TRUE(fs::exists(kept));
  product(train(config(file("train.tsv"), file("valid.tsv")), "", {"--overwrite"}));
  EXPECT_FALSE(fs::exists(kept));
  EXPECT_TRUE(fs::exists(run + "/data.train.mine.tsv"));
}

TEST_F(Streams, AStreamReplacesWhatWasKeptOnceTheNewRunBegins) {
  const std::string yaml = config("{source: \"-\"}", file("valid.tsv"));
  product(train(yaml, pairs));
  const std::string before = weights();
  const auto expect_untouched = [&] {
    EXPECT_EQ(read_file(kept), pairs);
    EXPECT_TRUE(weights() == before);
    EXPECT_FALSE(fs::exists(run + "/.heed.streams"));
  };
  expect_mistake(train(yaml, "", {"-q", "--overwrite"}), {"stdin is empty"});
  expect_untouched();
  expect_mistake(
      train(config("{source: \"-\"}", file("none.tsv")), pairs + pairs, {"-q", "--overwrite"}),
      {"data.valid.source: no file"});
  expect_untouched();
  config("{source: \"-\"}", file("valid.tsv"));
  for (const char* ranks : {"1", "2"}) {
    const Result result = train(yaml, pairs + pairs,
                                {"--overwrite", "--ranks", ranks, "--set", "data.max_length=2",
                                 "--set", "data.long_sentences=error"});
    EXPECT_EQ(result.status, 2);
    EXPECT_THAT(result.err, HasSubstr("more than the 2 that data.max_length allows"));
    expect_untouched();
  }
  EXPECT_THAT(train(yaml, "", {"--resume"}).err, HasSubstr("nothing to do"));
  product(train(yaml, pairs + pairs, {"--overwrite"}));
  EXPECT_EQ(read_file(kept), pairs + pairs);
  EXPECT_FALSE(fs::exists(run + "/.heed.streams"));
}

TEST_F(Streams, AKeptCorpusThatIsNamedOutlivesOverwriting) {
  product(train(config("{source: \"-\"}", file("valid.tsv")), pairs));
  const std::string before = weights();
  product(train(config("{source: " + kept + "}", file("valid.tsv")), "", {"--overwrite"}));
  EXPECT_EQ(read_file(kept), pairs);
  EXPECT_TRUE(weights() == before);
}

TEST_F(Streams, ARunThatGoesOnReadsNoOther) {
  const std::string yaml = config(file("train.tsv"), file("valid.tsv"));
  product(train(yaml, ""));
  expect_mistake(
      train(yaml, pairs, {"--resume", "--set", "data.test.source=-"}),
      {"data.test.source: '-': a run that goes on reads no stream", "save it to a file"});
}

TEST_F(Streams, FifosAreReadTogether) {
  const std::string source = folder / "source", target = folder / "target";
  for (const std::string& fifo : {source, target}) ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  std::thread writer([&] {  // line by line, more than a pipe holds
    std::ofstream a(source), b(target);
    for (int i = 0; i < 300; ++i)
      for (const std::string& line : lines_of(pairs)) {
        const std::size_t tab = line.find('\t');
        a << line.substr(0, tab) << std::endl;
        b << line.substr(tab + 1) << std::endl;
      }
  });
  const Result result =
      train(config("{source: " + source + ", target: " + target + "}", file("valid.tsv")));
  writer.join();
  EXPECT_EQ(product(result), "");
  EXPECT_EQ(lines_of(read_file(run + "/data.train.target")).size(), 18000U);
}

TEST_F(Streams, StdinIsOneCorpus) {
  expect_mistake(train(config("{source: \"-\"}", "{source: \"-\"}"), pairs),
                 {"data.train.source, data.valid.source: '-' can be read only once"});
  expect_mistake(train(config("{source: \"-\"}", "{source: /dev/fd/0}"), pairs),
                 {"data.train.source, data.valid.source: '-' can be read only once"});
  expect_mistake(train(config("{source: \"-\"}", file("valid.tsv")), "", {"-q"}),
                 {"stdin is empty"});
  expect_mistake(train(config("{source: \"-\"}", file("valid.tsv")), "a b\n", {"-q"}),
                 {"data.train.tsv:1: no TAB"});
}

TEST_F(Streams, AreReportedOnByDoctor) {
  const Result result = run_heed({"doctor", config("{source: \"-\"}", file("valid.tsv"))}, pairs);
  EXPECT_THAT(product(result), HasSubstr("data.train: -, 60 pairs"));
}

TEST_F(Streams, RanksTrainOnStdin) {
  const std::string yaml = config("{source: \"-\"}", file("valid.tsv"));
  product(train(yaml, pairs, {"--ranks", "2"}));
  EXPECT_EQ(read_file(kept), pairs);
  EXPECT_FALSE(weights().empty());
  product(train(yaml, pairs + pairs, {"--ranks", "2", "--overwrite"}));
  EXPECT_EQ(read_file(kept), pairs + pairs);
}

}  // namespace
}  // namespace heed::cli
