// heed bench: every mode runs, its numbers have the sense they should, and they meet on one page.
#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "cli/program.h"
#include "cli/toy.h"
#include "text/csv.h"

namespace heed::cli {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::Lt;
using ::testing::Not;
using ::testing::SizeIs;

using Rows = std::vector<std::vector<std::string>>;

Rows table(const std::string& path) {
  return text::parse_csv(read_file(path));
}

/// `heed bench compare` takes the first `keys` columns of a written table for what was measured:
/// no two rows are the same there, and they are shown as they are.
void expect_comparable(const std::string& path, std::size_t keys) {
  const std::vector<std::string> lines =
      lines_of(product(run_heed({"bench", "compare", path, path})));
  const Rows rows = table(path);
  ASSERT_EQ(lines.size(), rows.size()) << path;
  for (std::size_t i = 1; i < rows.size(); ++i)
    for (std::size_t k = 0; k < keys; ++k) EXPECT_THAT(lines[i], HasSubstr(rows[i][k])) << path;
}

TEST(Bench, AttentionGrowsWithTheSquareUnlessItSlides) {
  const TemporaryFolder folder;
  const Result result = run_heed({"bench", "attention", "--lengths", "1024,2048,4096", "--window",
                                  "16", "--heads", "1", "--head", "16", "--positions", "64,512",
                                  "--repeats", "1", "--threads", "1", "-o", folder / "out"});
  EXPECT_THAT(product(result), HasSubstr("exponent"));
  const Rows rows = table(folder / "out/attention_cost.csv");
  ASSERT_THAT(rows, SizeIs(1 + 7 * 3 + 7));
  std::map<std::string, double> memory;  // fitted exponents, and the largest length's MiB
  for (const auto& row : rows) {
    if (row[1] == "exponent") memory[row[0]] = std::stod(row[3]);
    if (row[1] == "4096") memory[row[0] + " 4096"] = std::stod(row[3]);
  }
  EXPECT_GE(memory["plain"], 1.8);
  EXPECT_LE(memory["sdpa"], 1.2);
  EXPECT_LE(memory["window"], 1.2);
  EXPECT_LE(memory["window + global"], 1.2);
  EXPECT_LE(memory["strided"], 1.7);
  EXPECT_LE(memory["linear"], 1.1);
  EXPECT_LE(memory["linear, causal"], 1.1);
  EXPECT_LT(memory["window 4096"], memory["plain 4096"] / 8);
  EXPECT_THAT(read_file(folder / "out/attention_cost-2.svg"), HasSubstr("Memory of one"));
  // 1 head x 16 x keys and values x 4 bytes a position, of all positions however few are seen;
  // linear: 16 x 17 sums.
  const Rows steps = table(folder / "out/attention_steps.csv");
  const std::vector<std::string> ways{"softmax", "window", "window + global", "strided", "linear"};
  ASSERT_THAT(steps, SizeIs(1 + ways.size() * 2));
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const auto &early = steps[1 + 2 * i], &late = steps[2 + 2 * i];
    EXPECT_EQ(early[0], ways[i]);
    EXPECT_EQ(early[1], "64");
    EXPECT_EQ(early[3], ways[i] == "linear" ? "1.1" : "8.1");  // 65 positions
    EXPECT_EQ(late[0], ways[i]);
    EXPECT_EQ(late[1], "512");
    EXPECT_EQ(late[3], ways[i] == "linear" ? "1.1" : "64.1");
  }
  expect_comparable(folder / "out/attention_cost.csv", 2);
  expect_comparable(folder / "out/attention_steps.csv", 2);
}

TEST(Bench, ALengthThatIsGivenTwiceIsMeasuredOnce) {
  const TemporaryFolder folder;
  product(run_heed({"bench", "attention", "--lengths", "64,64", "--positions", "64,64", "--window",
                    "4", "--heads", "1", "--head", "8", "--repeats", "1", "--threads", "1", "-o",
                    folder / "out"}));
  EXPECT_THAT(table(folder / "out/attention_cost.csv"), SizeIs(1 + 7));  // and no exponent
  EXPECT_THAT(table(folder / "out/attention_steps.csv"), SizeIs(1 + 5));
}

TEST(Bench, TheScaleKeepsTheVarianceAndTheEntropy) {
  const TemporaryFolder folder;
  product(run_heed({"bench", "scale", "--widths", "16,256", "-o", folder / "out"}));
  const Rows rows = table(folder / "out/scale.csv");
  ASSERT_THAT(rows, SizeIs(5));
  expect_mistake(run_heed({"bench", "scale", "--repeats", "3"}), {"--repeats"});  // no median there
  EXPECT_NEAR(std::stod(rows[1][2]), 1, 0.1);   // width 16, scaled
  EXPECT_NEAR(std::stod(rows[2][2]), 16, 1.6);  // not scaled
  EXPECT_NEAR(std::stod(rows[4][2]), 256, 25);  // width 256, not scaled
  EXPECT_LT(std::stod(rows[4][3]), std::stod(rows[3][3]) / 4);
  expect_comparable(folder / "out/scale.csv", 2);
}

TEST(Bench, AFileThatIsNoTableIsNamedAndLeftOut) {
  const TemporaryFolder folder;
  const std::string notes = folder.write("out/notes.csv", "a,b\n1\n");
  const Result result = run_heed({"bench", "scale", "--widths", "4,4", "-o", folder / "out"});
  EXPECT_THAT(product(result), HasSubstr("score_variance"));
  EXPECT_THAT(result.err, HasSubstr(notes + ": rows of different length"));
  EXPECT_THAT(read_file(folder / "out/experiments.html"),
              AllOf(HasSubstr("scale</h2>"), Not(HasSubstr("notes</h2>"))));
}

TEST(Bench, FewerHeadsOfKeysMakeASmallerCache) {
  const TemporaryFolder folder;
  product(run_heed({"bench", "cache", "--positions", "4,12", "--sentences", "1", "--beam", "2",
                    "--repeats", "1", "--threads", "1", "-o", folder / "out"}));
  const Rows rows = table(folder / "out/cache.csv");
  ASSERT_THAT(rows, SizeIs(7));
  // 3 layers x keys and values x 256 numbers x 4 bytes; a half, a quarter.
  EXPECT_EQ(rows[1][6], "6144");
  EXPECT_EQ(rows[3][6], "3072");
  EXPECT_EQ(rows[5][6], "1536");
  expect_comparable(folder / "out/cache.csv", 3);
}

TEST(Bench, TrainingTellsWhereTheTimeGoesAndAllMeetsOnOnePage) {
  const TemporaryFolder folder;
  const Toy& toy = Toy::get();
  const std::string out = folder / "out";
  const Result result = run_heed({"bench", "train", toy.rnn_config, "--systems", "none,bahdanau",
                                  "--updates", "3", "--warmup", "1", "--threads", "1", "--profile",
                                  "--set", "output=" + (folder / "run"), "-o", out});
  EXPECT_THAT(product(result), AllOf(HasSubstr("none"), HasSubstr("bahdanau")));
  const Rows rows = table(out + "/training.csv");
  ASSERT_THAT(rows, SizeIs(3));
  for (std::size_t i = 1; i < 3; ++i) {
    EXPECT_EQ(rows[i][2], "fp32");
    EXPECT_GT(std::stod(rows[i][3]), 0);  // tokens/s
    const double parts = std::stod(rows[i][7]) + std::stod(rows[i][8]) + std::stod(rows[i][9]);
    EXPECT_GT(parts, 50);
    EXPECT_LE(parts, 100.5);
  }
  EXPECT_GT(table(out + "/operations.csv").size(), 10U);
  expect_comparable(out + "/training.csv", 1);
  expect_comparable(out + "/operations.csv", 2);
  product(run_heed({"bench", "scale", "--widths", "4", "-o", out}));
  EXPECT_THAT(read_file(out + "/experiments.html"),
              AllOf(HasSubstr("training</h2>"), HasSubstr("operations</h2>"),
                    HasSubstr("scale</h2>"), HasSubstr("<svg")));
}

TEST(Bench, ScalingOutIsPredictedBesideWhatWasMeasured) {
  const TemporaryFolder folder;
  const std::vector<std::string> command = {
      "bench",     "scale-out", Toy::get().rnn_config, "--systems", "none",      "--cores", "1,8",
      "--updates", "1",         "--repeats",           "2",         "--threads", "2"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), command.begin(), command.end());
    return run_heed(more);
  };
  product(with({"--cores-per-rank", "4", "--gpu-tokens-per-second", "100000", "--set",
                "training.micro_batches=2", "--set", "output=" + (folder / "run"), "-o",
                folder / "out"}));
  EXPECT_GT(table(folder / "out/update_costs.csv").size(), 8U);
  std::map<std::string, std::vector<std::string>> rows;
  for (const auto& row : table(folder / "out/scale_out.csv"))
    rows[row[1] + " " + row[2] + " " + row[4] + " " + row[5] + " " + row[6]] = row;
  // Row, place, cores, ranks, parts: those of the configuration, and one for each core.
  for (const char* name :
       {"measured here 1 1 2", "measured here 2 1 2", "predicted here 1 1 2",
        "predicted here 2 1 2", "predicted here 2 2 2", "predicted here 2 4 4",
        "predicted 2 machines 8 2 2", "predicted 2 machines 8 2 8", "predicted GPUs 1 1 2",
        "predicted GPUs 64 64 2", "predicted GPUs 64 64 128"}) {
    ASSERT_TRUE(rows.contains(name)) << name;
    EXPECT_GT(std::stod(rows[name][9]), 0) << name;  // tokens/s
    const bool compared = std::string(name).starts_with("predicted here") && rows[name][5] == "1";
    EXPECT_EQ(!rows[name].back().empty(), compared) << name;
  }
  EXPECT_EQ(rows["predicted 2 machines 8 2 8"][3], "larger");
  EXPECT_EQ(rows["predicted here 2 1 2"][3], "same");
  expect_comparable(folder / "out/update_costs.csv", 3);
  expect_comparable(folder / "out/scale_out.csv", 7);
  expect_mistake(with({"--bandwidth", "0"}), {"--bandwidth"});
}

TEST(Bench, LoadingRepeatsTheCorpus) {
  const TemporaryFolder folder;
  product(
      run_heed({"bench", "load", Toy::get().rnn_config, "--pairs", "4000", "--batches", "7",
                "--threads", "1", "--set", "output=" + (folder / "run"), "-o", folder / "out"}));
  const Rows rows = table(folder / "out/loading.csv");
  ASSERT_THAT(rows, SizeIs(2));
  EXPECT_EQ(rows[1][0], "4500");                              // 1,500 pairs three times
  EXPECT_EQ(std::stol(rows[1][2]) % 3, 0);                    // target pieces
  EXPECT_EQ(rows[1][8], "7");                                 // batches
  EXPECT_GT(std::stod(rows[1][9]), 0);                        // tokens/s
  EXPECT_THAT(std::stod(rows[1][10]), AllOf(Ge(0), Lt(50)));  // padding
  expect_comparable(folder / "out/loading.csv", 1);
}

TEST(Bench, TranslatingMeasuresEverySettingAskedFor) {
  const TemporaryFolder folder;
  const Toy& toy = Toy::get();
  const std::string source = toy.folder / "test.src";
  product(run_heed({"bench",     "translate", toy.transformer, "--source",  source,
                    "--lines",   "9",         "--batch",       "1,4",       "--beam",
                    "1,3",       "--weights", "fp32,int8",     "--repeats", "1",
                    "--threads", "1",         "--profile",     "-o",        folder / "out"}));
  const Rows rows = table(folder / "out/translate.csv");
  ASSERT_THAT(rows, SizeIs(1 + 8));
  std::set<std::vector<std::string>> settings;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    settings.insert({rows[i][0], rows[i][1], rows[i][2]});
    EXPECT_GT(std::stod(rows[i][4]), 0);                      // sentences/s
    EXPECT_GE(std::stod(rows[i][5]), std::stod(rows[i][4]));  // at least eos of each
  }
  EXPECT_THAT(settings, SizeIs(8));
  expect_comparable(folder / "out/translate.csv", 4);
  std::set<std::string> systems;
  for (const auto& row : table(folder / "out/operations.csv")) systems.insert(row[0]);
  EXPECT_THAT(systems, SizeIs(1 + 8));
  EXPECT_THAT(systems, Contains("int8, batch 4, beam 3"));
  expect_comparable(folder / "out/operations.csv", 2);
  expect_mistake(run_heed({"bench", "translate", toy.transformer}), {"--source"});
  expect_mistake(run_heed({"bench", "translate", toy.transformer, "--source", folder / "no"}),
                 {folder / "no"});
}

TEST(Bench, DecodingTimeIsMeasuredAgainstTheSourcesLength) {
  const TemporaryFolder folder;
  const Toy& toy = Toy::get();
  product(run_heed({"bench", "length", toy.rnn, toy.transformer, "--source",
                    toy.folder / "test.src", "--lengths", "8,40", "--sentences", "3", "--beam", "2",
                    "--repeats", "1", "--threads", "1", "-o", folder / "out"}));
  const Rows rows = table(folder / "out/length.csv");
  ASSERT_THAT(rows, SizeIs(5));
  EXPECT_EQ(rows[1][0], "rnn");
  EXPECT_EQ(rows[4], (std::vector<std::string>{"transformer", "40", rows[4][2], rows[4][3]}));
  EXPECT_THAT(read_file(folder / "out/length-1.svg"), HasSubstr("pieces of the source"));
  expect_comparable(folder / "out/length.csv", 2);
  expect_mistake(run_heed({"bench", "length", toy.rnn, toy.rnn}), {toy.rnn, "named twice"});
  const std::string blank = folder.write("blank", "\n \n");
  expect_mistake(run_heed({"bench", "length", toy.rnn, "--source", blank}), {blank, "no lines"});
}

TEST(Bench, ComparingDividesWhatWasMeasuredAlike) {
  const TemporaryFolder folder;
  const std::string columns = "weights,batch,sentences_per_second,load_seconds\n";
  const std::string before = folder.write("before.csv", columns + "fp32,1,10,0.5\nfp32,32,20,0\n");
  const std::string after = folder.write("after.csv", columns + "fp32,1,25,0.25\nint8,1,7,1\n");
  const Result result = run_heed({"bench", "compare", before, after});
  EXPECT_THAT(product(result), HasSubstr("fp32     1                     2.500         0.500"));
  EXPECT_THAT(result.err, AllOf(HasSubstr("int8 1: only in " + after),
                                HasSubstr("fp32 32: only in " + before)));
  const std::string other = folder.write("other.csv", "system,tokens_per_s\nnone,3\n");
  expect_mistake(run_heed({"bench", "compare", before, other}), {other, "other columns"});
  const std::string none = folder.write("none.csv", columns + "bf16,1,3,4\n");
  expect_mistake(run_heed({"bench", "compare", before, none}), {none, "same settings"});
  const std::string empty = folder.write("empty.csv", "");
  expect_mistake(run_heed({"bench", "compare", empty, before}), {empty, "CSV of heed bench"});
}

TEST(Bench, ComparingKnowsEverySettingOfARow) {
  const TemporaryFolder folder;
  const std::string columns = "system,row,where,batch,cores,ranks,parts,tokens,update_s\n";
  const std::string before =
      folder.write("before.csv", columns +
                                     "none,predicted,here,same,1,1,2,90,2\n"
                                     "none,predicted,here,same,8,1,2,90,1\n");
  const std::string after = folder.write("after.csv", columns +
                                                          "none,predicted,here,same,1,1,2,90,1\n"
                                                          "none,predicted,here,same,8,1,2,90,3\n");
  const auto lines = lines_of(product(run_heed({"bench", "compare", before, after})));
  ASSERT_THAT(lines, SizeIs(3));
  EXPECT_EQ(split_words(lines[1]), (std::vector<std::string>{"none", "predicted", "here", "same",
                                                             "1", "1", "2", "1.000", "0.500"}));
  EXPECT_EQ(split_words(lines[2]), (std::vector<std::string>{"none", "predicted", "here", "same",
                                                             "8", "1", "2", "1.000", "3.000"}));
  const std::string twice = folder.write("twice.csv", columns +
                                                          "none,predicted,here,same,1,1,2,90,1\n"
                                                          "none,predicted,here,same,1,1,2,90,3\n");
  const std::vector<std::string> parts = {twice, "two rows are 'none predicted here same 1 1 2'"};
  expect_mistake(run_heed({"bench", "compare", twice, after}), parts);
  expect_mistake(run_heed({"bench", "compare", after, twice}), parts);
}

TEST(Bench, AModeIsNeeded) {
  expect_mistake(run_heed({"bench"}), {"bench"});
}

}  // namespace
}  // namespace heed::cli
