// heed bench: every mode runs, its numbers have the sense they should, and they meet on one page.
#include <filesystem>
#include <map>
#include <string>

#include "cli/program.h"
#include "cli/toy.h"
#include "eval/csv.h"

namespace heed::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;

using Rows = std::vector<std::vector<std::string>>;

Rows table(const std::string& path) {
  return eval::parse_csv(read_file(path));
}

TEST(Bench, AttentionGrowsWithTheSquareUnlessItSlides) {
  const TemporaryFolder folder;
  const Result result =
      run_heed({"bench", "attention", "--lengths", "1024,2048,4096", "--window", "16", "--heads",
                "1", "--head", "16", "--repeats", "1", "--threads", "1", "-o", folder / "out"});
  EXPECT_THAT(product(result), HasSubstr("exponent"));
  const Rows rows = table(folder / "out/attention_cost.csv");
  ASSERT_THAT(rows, SizeIs(1 + 9 + 3));
  std::map<std::string, double> memory;  // fitted exponents, and the largest length's MiB
  for (const auto& row : rows) {
    if (row[1] == "exponent") memory[row[0]] = std::stod(row[3]);
    if (row[1] == "4096") memory[row[0] + " 4096"] = std::stod(row[3]);
  }
  EXPECT_GE(memory["plain"], 1.8);
  EXPECT_LE(memory["sdpa"], 1.2);
  EXPECT_LE(memory["window"], 1.2);
  EXPECT_LT(memory["window 4096"], memory["plain 4096"] / 8);
  EXPECT_THAT(read_file(folder / "out/attention_cost-2.svg"), HasSubstr("Memory of one"));
}

TEST(Bench, TheScaleKeepsTheVarianceAndTheEntropy) {
  const TemporaryFolder folder;
  product(run_heed(
      {"bench", "scale", "--widths", "16,256", "--runs", Toy::get().rnn, "-o", folder / "out"}));
  const Rows rows = table(folder / "out/scale.csv");
  ASSERT_THAT(rows, SizeIs(5));
  EXPECT_NEAR(std::stod(rows[1][2]), 1, 0.1);   // width 16, scaled
  EXPECT_NEAR(std::stod(rows[2][2]), 16, 1.6);  // not scaled
  EXPECT_NEAR(std::stod(rows[4][2]), 256, 25);  // width 256, not scaled
  EXPECT_LT(std::stod(rows[4][3]), std::stod(rows[3][3]) / 4);
  EXPECT_THAT(read_file(folder / "out/scale-3.svg"), HasSubstr("Training loss"));
  expect_mistake(run_heed({"bench", "scale", "--runs", folder / "nowhere"}), {"nowhere"});
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
    EXPECT_GT(std::stod(rows[i][3]), 0);  // tokens/s
    const double parts = std::stod(rows[i][7]) + std::stod(rows[i][8]) + std::stod(rows[i][9]);
    EXPECT_GT(parts, 50);
    EXPECT_LE(parts, 100.5);
  }
  EXPECT_GT(table(out + "/operations.csv").size(), 10U);
  product(run_heed({"bench", "scale", "--widths", "4", "-o", out}));
  EXPECT_THAT(read_file(out + "/experiments.html"),
              AllOf(HasSubstr("training</h2>"), HasSubstr("operations</h2>"),
                    HasSubstr("scale</h2>"), HasSubstr("<svg")));
}

TEST(Bench, AModeIsNeeded) {
  expect_mistake(run_heed({"bench"}), {"bench"});
}

}  // namespace
}  // namespace heed::cli
