// heed compare and heed lengths: runs and files of translations.
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/program.h"
#include "cli/toy.h"

namespace heed::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
namespace fs = std::filesystem;

TEST(Compare, AFolderThatIsNoRunIsRefused) {
  const TemporaryFolder folder;
  const std::string file = folder.write("a.txt", "a\n");
  expect_mistake(run_heed({"compare", file, folder.path(), "--reference", file}),
                 {folder.path() + ": no run and no file"});
}

TEST(Compare, AFileThatIsNamedTwiceIsRefused) {
  const TemporaryFolder folder;
  const std::string file = folder.write("a.txt", "a\n");
  expect_mistake(run_heed({"compare", file, file, "--reference", file}),
                 {file + ": is named twice"});
}

TEST(Compare, TellsWhereTwoFilesDiffer) {
  const TemporaryFolder folder;
  std::string reference, better, worse, source;
  for (int i = 0; i < 30; ++i) {
    source += "quelle " + std::to_string(i) + "\n";
    reference += "the cat saw a dog\n";
    better += "the cat saw a dog\n";
    worse += i % 3 == 0 ? "the bat saw a log\n" : "the cat saw a dog\n";
  }
  const std::string a = folder.write("a.txt", worse), b = folder.write("b.txt", better);
  const std::string out = product(run_heed(
      {"compare", a, b, "--reference", folder.write("ref", reference), "--source",
       folder.write("src", source), "-o", folder / "page.html", "--json", folder / "all.json"}));
  EXPECT_THAT(out, AllOf(HasSubstr("a.txt"), HasSubstr("b.txt"), HasSubstr("p < 0.001")));
  const auto all = nlohmann::json::parse(read_file(folder / "all.json"));
  EXPECT_GT(all["systems"][1]["against_first"]["bleu"], 5);
  EXPECT_EQ(all["systems"][1]["against_first"]["sentences_better"], 10);
  // The sources have two words each.
  const auto& lengths = all["bleu_by_length"];
  EXPECT_EQ(lengths[0]["words"], "1-10");
  EXPECT_EQ(lengths[0]["sentences"], 30);
  EXPECT_TRUE(lengths[1]["systems"][1].is_null());
  EXPECT_EQ(lengths.back()["words"], "all");
  EXPECT_NEAR(lengths.back()["systems"][1]["bleu"], 100, 1e-9);
  EXPECT_EQ(lengths.back()["systems"][0]["bleu"], lengths[0]["systems"][0]["bleu"]);
  EXPECT_EQ(lengths.back()["systems"][1]["against_first"]["bleu"],
            all["systems"][1]["against_first"]["bleu"]);
  // Each word of the reference stands there 30 times; 10 times "bat" is for "cat", "log" for "dog".
  const auto& words = all["words_by_frequency"][6];
  EXPECT_EQ(words["times"], "10-99");
  EXPECT_EQ(words["systems"][0]["matches"], 130);
  EXPECT_EQ(words["systems"][0]["precision"], 1);
  EXPECT_DOUBLE_EQ(words["systems"][0]["recall"], 130.0 / 150);
  const auto& sentence = all["sentences"][0];
  EXPECT_EQ(sentence["line"], 1);
  EXPECT_EQ(sentence["source"], "quelle 0");
  EXPECT_EQ(sentence["reference"], "the cat saw a dog");
  EXPECT_EQ(sentence["outputs"][0]["text"], "the bat saw a log");
  EXPECT_EQ(sentence["outputs"][1]["chrf"], 100);
  EXPECT_EQ(all["sentences"].size(), 10U);
  const auto& right = all["systems"][1]["ngrams"]["this_right"];
  const auto cat =
      std::ranges::find_if(right, [](const auto& row) { return row["ngram"] == "the cat"; });
  ASSERT_NE(cat, right.end());
  EXPECT_EQ((*cat)["first"], 20);
  EXPECT_EQ((*cat)["second"], 30);
  EXPECT_THAT(read_file(folder / "page.html"),
              AllOf(HasSubstr("<mark>bat</mark>"), HasSubstr("Words by frequency")));
}

/// Two files and their reference, compared with these settings of `evaluation`.
struct Differences {
  TemporaryFolder folder;
  Result result;
  nlohmann::json second;  // of the JSON
  nlohmann::json all;

  Differences(const std::string& first, const std::string& other, const std::string& reference,
              const std::string& setting) {
    result = run_heed({"compare", folder.write("a", first), folder.write("b", other), "--reference",
                       folder.write("ref", reference), "--json", folder / "j", "--set",
                       "evaluation." + setting});
    product(result);
    all = nlohmann::json::parse(read_file(folder / "j"));
    second = all["systems"][1];
  }
};

TEST(Compare, WithoutResamplingHasNoIntervals) {
  const Differences found("the bat saw a dog\nthe dog\n", "the cat saw a dog\nthe dog\n",
                          "the cat saw a dog\nthe dog\n", "bootstrap=0");
  const auto& against = found.second["against_first"];
  EXPECT_GT(against["bleu"], 0);
  EXPECT_FALSE(against.contains("low"));
  EXPECT_FALSE(against.contains("p_bootstrap"));
  EXPECT_EQ(against["sentences_better"], 1);
}

TEST(Compare, WithoutCapitalsSeesNoDifferenceInThem) {
  const Differences found("The Cat\n\u00c4 dog\n", "the cat\n\u00e4 dog\n", "the CAT\n\u00e4 dog\n",
                          "lowercase=true");
  const auto& against = found.second["against_first"];
  EXPECT_EQ(against["bleu"], 0);
  EXPECT_EQ(against["sentences_better"], 0);
  EXPECT_EQ(against["sentences_worse"], 0);
  EXPECT_TRUE(found.second["ngrams"]["this_right"].empty());
  EXPECT_TRUE(found.all["sentences"].empty());
}

TEST(Compare, ByATokeniserOfSacrebleusAloneHasAllButTheTests) {
  const Differences found("the bat\nthe dog\n", "the cat\nthe dog\n", "the cat\nthe dog\n",
                          "tokenize=intl");
  EXPECT_FALSE(found.second["against_first"].contains("bleu"));
  EXPECT_EQ(found.second["against_first"]["sentences_better"], 1);
  EXPECT_FALSE(found.second["ngrams"]["this_right"].empty());
  EXPECT_THAT(found.result.err, HasSubstr("no tests of BLEU"));
}

TEST(Compare, TakesRunsAndFiles) {
  const Toy& toy = Toy::get();
  const TemporaryFolder folder;
  const std::string out =
      product(run_heed({"compare", toy.rnn, toy.transformer, "--source", toy.folder / "test.src",
                        "--reference", toy.folder / "test.tgt", "-o", folder / "p.html"}));
  EXPECT_THAT(out, AllOf(HasSubstr("rnn"), HasSubstr("transformer")));
  expect_mistake(run_heed({"compare", toy.rnn}), {"two or more"});
  expect_mistake(run_heed({"compare", folder.write("x", "a\n"), folder.write("y", "a\nb\n"),
                           "--reference", folder.write("r", "a\n")}),
                 {"y has 2", "line i"});
}

TEST(Compare, ReadsEveryFileBeforeARunTranslates) {
  const Toy& toy = Toy::get();
  const TemporaryFolder folder;
  const auto compare = [&](const std::string& other, std::vector<std::string> more) {
    more.insert(more.begin(), {"compare", toy.transformer, other, "--source",
                               toy.folder / "test.src", "--reference", toy.folder / "test.tgt"});
    return run_heed(more);
  };
  const std::string source = toy.folder / "test.src";
  expect_mistake(compare(folder / "nowhere", {}), {folder / "nowhere"});
  expect_mistake(compare(folder.write("short", "a\n"), {}), {source + " has 25 lines", "has 1"});
  expect_mistake(compare(source, {"--counts", folder / "counts"}), {folder / "counts"});
  // What a file says stays in its place.
  std::string nothing;
  for (int line = 0; line < 25; ++line) nothing += "zz\n";
  product(compare(folder.write("zz", nothing), {"--json", folder / "all.json"}));
  const auto all = nlohmann::json::parse(read_file(folder / "all.json"));
  EXPECT_EQ(all["systems"][0]["name"], "transformer");
  EXPECT_EQ(all["systems"][1]["name"], "zz");
  EXPECT_GT(all["systems"][0]["bleu"]["score"], 0);
  EXPECT_EQ(all["systems"][1]["bleu"]["score"], 0);
}

/// Copies of one trained run.
struct CompareRuns : testing::Test {
  const Toy& toy = Toy::get();
  TemporaryFolder folder;
  std::string one = folder / "one", other = folder / "other";

  CompareRuns() {
    for (const std::string& run : {one, other}) fs::copy(toy.rnn, run, fs::copy_options::recursive);
  }
  Result compare(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"compare", one, other, "--json", folder / "all.json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_heed(arguments);
  }
  double bleu_of(std::size_t system) const {
    const auto all = nlohmann::json::parse(read_file(folder / "all.json"));
    return all["systems"][system]["bleu"]["score"];
  }
};

TEST_F(CompareRuns, TranslateWithTheSettings) {
  const Result usual = compare();
  product(usual);
  EXPECT_THAT(usual.err, AllOf(HasSubstr("one: 25 sentences translated"),
                               HasSubstr("other: 25 sentences translated")));
  EXPECT_GT(bleu_of(0), 10);
  EXPECT_EQ(bleu_of(1), bleu_of(0));
  const Result settings = compare({"--set", "decoding.beam_size=3"});
  product(settings);
  EXPECT_THAT(settings.err, HasSubstr("other: 25 sentences translated, beam 3"));
}

TEST_F(CompareRuns, AreAllLookedAtBeforeOneTranslates) {
  fs::remove(other + "/model.safetensors");
  const std::string problem = other + ": has no model.safetensors";
  expect_mistake(compare({"--set", "decoding.beam_size=2"}), {problem});
  expect_mistake(run_heed({"lengths", one, other}), {problem});
  // What it left is a file of translations.
  product(run_heed({"compare", one, other + "/test.hypothesis"}));
}

TEST_F(CompareRuns, TranslateTheLinesOfAStream) {
  const Result piped = run_heed({"compare", one, other, "--source", "-", "--reference",
                                 toy.folder / "test.tgt", "--json", folder / "all.json"},
                                read_file(toy.folder / "test.src"));
  product(piped);
  EXPECT_THAT(piped.err, AllOf(HasSubstr("one: 25 sentences translated"),
                               HasSubstr("other: 25 sentences translated")));
  EXPECT_GT(bleu_of(0), 10);
  EXPECT_EQ(bleu_of(1), bleu_of(0));
}

TEST(Lengths, RunsWhoseFoldersHaveOneNameAreCalledByTheirPaths) {
  const Toy& toy = Toy::get();
  const TemporaryFolder folder;
  const std::string one = folder / "one/rnn", other = folder / "other/rnn";
  for (const std::string& run : {one, other}) {
    fs::create_directories(fs::path(run).parent_path());
    fs::copy(toy.rnn, run, fs::copy_options::recursive);
  }
  product(run_heed({"lengths", one, other, "--baseline", one, "--csv", folder / "l.csv"}));
  const auto rows = lines_of(read_file(folder / "l.csv"));
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_THAT(rows[1], StartsWith(one + ","));
  EXPECT_THAT(rows[4], StartsWith(other + ","));
  expect_mistake(run_heed({"lengths", one, one}), {one + ": is named twice"});
}

}  // namespace
}  // namespace heed::cli
