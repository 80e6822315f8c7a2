// heed-bench: every command runs, its numbers have the sense they should, and they meet on one
// page.
#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "cli/program.h"
#include "cli/toy.h"
#include "csv.h"

namespace heed::cli {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

using Rows = std::vector<std::vector<std::string>>;

Rows table(const std::string& path) {
  return parse_csv(read_file(path));
}

/// The first `keys` columns of a written table say what was measured: no two rows are the same
/// there, so that tests/benchmarks/compare.py finds each in another table.
void expect_comparable(const std::string& path, std::size_t keys) {
  std::set<std::vector<std::string>> seen;
  for (const std::vector<std::string>& row : table(path)) {
    ASSERT_GT(row.size(), keys) << path;
    EXPECT_TRUE(seen.emplace(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(keys)).second)
        << path << ": " << row[0];
  }
}

/// `heed-bench ARGUMENTS`
Result run_bench(const std::vector<std::string>& arguments) {
  const auto program = std::filesystem::path(paths::kHeed).replace_filename("heed-bench");
  return subprocess::run(command_of(program.string(), arguments));
}

void expect_no_bench(const std::vector<std::string>& arguments, const std::string& part) {
  const Result result = run_bench(arguments);
  EXPECT_EQ(result.status, 2) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, AllOf(StartsWith("heed-bench: "), HasSubstr(part)));
}

/// The command that is done soonest.
Result quick_bench(const std::string& folder) {
  return run_bench({"attention", "--lengths", "8", "--positions", "2", "--heads", "1", "--head",
                    "8", "--repeats", "1", "--threads", "1", "-o", folder});
}

TEST(Bench, AttentionGrowsWithTheSquareUnlessItSlides) {
  const TemporaryFolder folder;
  const Result result = run_bench({"attention", "--lengths", "1024,2048,4096", "--window", "16",
                                   "--heads", "1", "--head", "16", "--positions", "64,512",
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
  const std::vector<std::string> ways{"softmax", "window",        "window + global", "strided",
                                      "linear",  "grouped-query", "multi-query",     "no cache"};
  const auto kib = [](const std::string& way, const char* cached) {
    return way == "linear" ? "1.1" : way == "no cache" ? "0.0" : cached;
  };
  ASSERT_THAT(steps, SizeIs(1 + ways.size() * 2));
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const auto &early = steps[1 + 2 * i], &late = steps[2 + 2 * i];
    EXPECT_EQ(early[0], ways[i]);
    EXPECT_EQ(early[1], "64");
    EXPECT_EQ(early[3], kib(ways[i], "8.1"));  // 65 positions
    EXPECT_EQ(late[0], ways[i]);
    EXPECT_EQ(late[1], "512");
    EXPECT_EQ(late[3], kib(ways[i], "64.1"));
  }
  expect_comparable(folder / "out/attention_cost.csv", 2);
  expect_comparable(folder / "out/attention_steps.csv", 2);
}

TEST(Bench, ALengthThatIsGivenTwiceIsMeasuredOnce) {
  const TemporaryFolder folder;
  product(run_bench({"attention", "--lengths", "64,64", "--positions", "64,64", "--window", "4",
                     "--heads", "1", "--head", "8", "--repeats", "1", "--threads", "1", "-o",
                     folder / "out"}));
  EXPECT_THAT(table(folder / "out/attention_cost.csv"), SizeIs(1 + 7));  // and no exponent
  EXPECT_THAT(table(folder / "out/attention_steps.csv"), SizeIs(1 + 8));
}

TEST(Bench, AFileThatIsNoTableIsNamedAndLeftOut) {
  const TemporaryFolder folder;
  const std::string notes = folder.write("out/notes.csv", "a,b\n1\n");
  const Result result = quick_bench(folder / "out");
  EXPECT_THAT(product(result), HasSubstr("kib_of_state"));
  EXPECT_THAT(result.err, HasSubstr(notes + ": rows of different length"));
  EXPECT_THAT(read_file(folder / "out/experiments.html"),
              AllOf(HasSubstr("attention_steps</h2>"), Not(HasSubstr("notes</h2>"))));
}

TEST(Bench, APageThatItDidNotWriteIsKept) {
  const TemporaryFolder folder;
  const std::string page = folder.write("out/experiments.html", "a user's own\n");
  const Result result = quick_bench(folder / "out");
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, HasSubstr(page + ": is there already"));
  EXPECT_EQ(read_file(page), "a user's own\n");
}

TEST(Bench, FewerHeadsOfKeysMakeASmallerCacheAndWithoutOneNothingIsKept) {
  const TemporaryFolder folder;
  product(run_bench({"attention", "--lengths", "8", "--positions", "3,1025", "--heads", "4",
                     "--head", "8", "--repeats", "1", "--threads", "1", "-o", folder / "out"}));
  std::map<std::pair<std::string, std::string>, std::string> kib;
  for (const auto& row : table(folder / "out/attention_steps.csv")) kib[{row[0], row[1]}] = row[3];
  // Keys and values x 4 heads x 8 numbers x 4 bytes, of 4 positions and of 1,026; a half, a
  // quarter.
  EXPECT_EQ((kib[{"softmax", "3"}]), "1.0");
  EXPECT_EQ((kib[{"softmax", "1025"}]), "256.5");
  EXPECT_EQ((kib[{"grouped-query", "1025"}]), "128.2");
  EXPECT_EQ((kib[{"multi-query", "1025"}]), "64.1");
  EXPECT_EQ((kib[{"no cache", "3"}]), "0.0");
  EXPECT_FALSE(kib.contains({"no cache", "1025"}));  // it would take too long
}

TEST(Bench, TrainingTellsWhereTheTimeGoesAndAllMeetsOnOnePage) {
  const TemporaryFolder folder;
  const Toy& toy = Toy::get();
  const std::string out = folder / "out";
  const Result result = run_bench({"train", toy.rnn_config, "--systems", "none,bahdanau",
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
  product(quick_bench(out));
  EXPECT_THAT(read_file(out + "/experiments.html"),
              AllOf(HasSubstr("training</h2>"), HasSubstr("operations</h2>"),
                    HasSubstr("attention_steps</h2>"), HasSubstr("<svg")));
}

TEST(Bench, TranslatingMeasuresEverySettingAskedFor) {
  const TemporaryFolder folder;
  const Toy& toy = Toy::get();
  const std::string source = toy.folder / "test.src";
  product(run_bench({"translate", toy.transformer, "--source", source, "--lines", "9", "--batch",
                     "1,4", "--beam", "1,3", "--weights", "fp32,int8,auto", "--repeats", "2",
                     "--threads", "1", "-o", folder / "out"}));
  const Rows rows = table(folder / "out/translate.csv");
  ASSERT_THAT(rows, SizeIs(1 + 12));
  EXPECT_THAT(rows[0], Contains("of_best"));
  std::set<std::vector<std::string>> settings;
  std::map<std::string, double> best;  // of the three kinds of weights
  for (std::size_t i = 1; i < rows.size(); ++i) {
    settings.insert({rows[i][0], rows[i][1], rows[i][2]});
    EXPECT_GT(std::stod(rows[i][4]), 0);                      // sentences/s
    EXPECT_GE(std::stod(rows[i][5]), std::stod(rows[i][4]));  // at least eos of each
    double& of_best = best[rows[i][1] + " " + rows[i][2]];
    of_best = std::max(of_best, std::stod(rows[i][9]));
    const std::string &weights = rows[i][0], &computed_in = rows[i][10];
    if (weights == "auto")
      EXPECT_THAT(computed_in, AnyOf("auto_fp32", "auto_bf16", "auto_int8"));
    else
      EXPECT_EQ(computed_in, weights);
  }
  EXPECT_THAT(settings, SizeIs(12));
  ASSERT_THAT(best, SizeIs(4));
  for (const auto& [rows_of_step, ratio] : best) EXPECT_EQ(ratio, 1.0) << rows_of_step;
  expect_comparable(folder / "out/translate.csv", 4);
  expect_no_bench({"translate", toy.transformer, "--source", source, "--profile"},
                  "--profile: engines translate on a CPU");
  expect_no_bench({"translate", toy.transformer}, "--source");
  expect_no_bench({"translate", toy.transformer, "--source", folder / "no"}, folder / "no");
}

TEST(Bench, ACommandIsNeededAndKnowsItsOptions) {
  expect_no_bench({}, "A subcommand is required; see heed-bench --help");
  expect_no_bench({"attention", "--lenghts", "128"}, "--lenghts; see heed-bench --help");
  expect_no_bench({"attention", "--lengths", "0"}, "expected a number above 0");
  expect_no_bench({"attention", "--lengths", "64,2.5"},
                  "--lengths: got '2.5', expected a whole number");
}

}  // namespace
}  // namespace heed::cli
