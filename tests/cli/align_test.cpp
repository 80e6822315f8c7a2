// heed align and heed heads.
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

#include "cli/program.h"
#include "cli/toy.h"

namespace heed::cli {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::SizeIs;
using Json = nlohmann::json;

/// The test set of the toy task and its gold: word j of a reversal is word n - 1 - j of the source.
struct Reversals {
  TemporaryFolder folder;
  std::string source = Toy::get().folder / "test.src", target = Toy::get().folder / "test.tgt";
  std::string gold = folder.write("gold", reversal_links(source));

  Result run(const std::string& command, const std::string& model,
             std::vector<std::string> options = {}) const {
    options.insert(options.begin(), {command, model, "--source", source, "--target", target});
    return run_heed(options);
  }
};

TEST(Align, EachLineHasItsLinks) {
  const Reversals set;
  const Result result = set.run("align", Toy::get().rnn);
  const auto lines = lines_of(product(result));
  const auto sources = lines_of(read_file(set.source));
  ASSERT_THAT(lines, SizeIs(sources.size()));
  EXPECT_THAT(lines, Each(MatchesRegex("([0-9]+-[0-9]+( [0-9]+-[0-9]+)*)?")));
  for (std::size_t i = 0; i < lines.size(); ++i)
    EXPECT_LE(split_words(lines[i]).size(), split_words(sources[i]).size());
  EXPECT_THAT(result.err, HasSubstr("layer 0, head 0, --aligned-step emits"));
}

TEST(Align, ADashIsStandardOutput) {
  const Reversals set;
  EXPECT_EQ(product(set.run("align", Toy::get().rnn, {"-o", "-"})),
            product(set.run("align", Toy::get().rnn, {})));
  EXPECT_FALSE(std::filesystem::exists("-"));
}

TEST(Align, ATrainedModelBeatsTheDiagonal) {
  const Reversals set;
  const Json json =
      Json::parse(product(set.run("align", Toy::get().rnn, {"--gold", set.gold, "--json"})));
  EXPECT_EQ(json["sentences"], 25);
  EXPECT_THAT(json["choices"], SizeIs(2));
  EXPECT_EQ(json["chosen"], Json({{"layer", 0}, {"head", 0}, {"step", "emits"}}));
  EXPECT_LT(json["choices"][0]["aer"], json["diagonal"]["aer"]);
  EXPECT_LT(json["choices"][0]["aer"], json["choices"][1]["aer"]);
}

TEST(Align, ATransformersTableHasEveryChoiceAndTheLinesStayOnStdout) {
  const Reversals set;
  const Result result = set.run("align", Toy::get().transformer, {"--gold", set.gold});
  EXPECT_THAT(lines_of(product(result)), SizeIs(25));
  // 2 layers of 4 heads and their mean, 2 steps each; the default is the layer before the last.
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1 + 1 + 20 + 1) << result.err;
  EXPECT_TRUE(std::regex_search(result.err, std::regex("\n0 +mean +emits .*\\*\n"))) << result.err;
  const Result chosen =
      set.run("align", Toy::get().transformer,
              {"--gold", set.gold, "--layer", "last", "--head", "3", "--aligned-step", "reads"});
  EXPECT_TRUE(std::regex_search(chosen.err, std::regex("\n1 +3 +reads .*\\*\n"))) << chosen.err;
}

TEST(Align, BothDirectionsAreTunedByOneReadingOfAStream) {
  const Reversals set;
  const auto tuned = [&](const std::string& gold, const std::string& input) {
    return product(run_heed(
        {"align", Toy::get().rnn, "--reverse", Toy::get().rnn, "--source", set.source, "--target",
         set.target, "--tune-source", set.source, "--tune-target", set.target, "--tune-gold", gold},
        input));
  };
  EXPECT_EQ(tuned("-", read_file(set.gold)), tuned(set.gold, ""));
}

TEST(Align, TwoModelsAreJoinedAndWrittenBesideTheirErrors) {
  const Reversals set;  // a reversal is its own reverse task
  const std::string out = set.folder / "out";
  const Json json =
      Json::parse(product(set.run("align", Toy::get().rnn,
                                  {"--gold", set.gold, "--json", "--reverse", Toy::get().rnn,
                                   "--symmetrize", "intersection", "-o", out})));
  EXPECT_EQ(json["others"][0]["name"], "reverse");
  EXPECT_EQ(json["others"][1]["name"], "intersection");
  EXPECT_THAT(lines_of(read_file(out)), SizeIs(25));
}

TEST(Align, InALayerWithOneHeadLeftTheMeanIsThatHead) {
  const Reversals set;
  const std::string pruned = set.folder / "pruned";
  product(run_heed(
      {"prune", Toy::get().transformer, "--heads", "cross.0.0,cross.0.1,cross.0.3", "-o", pruned}));
  const Result result =
      set.run("align", pruned, {"--gold", set.gold, "--layer", "0", "--head", "mean"});
  product(result);
  EXPECT_TRUE(std::regex_search(result.err, std::regex("\n0 +0 +emits .*\\*\n"))) << result.err;
  // Another layer has its mean.
  const Result last = set.run("align", pruned, {"--gold", set.gold, "--layer", "last"});
  EXPECT_TRUE(std::regex_search(last.err, std::regex("\n1 +mean +emits .*\\*\n"))) << last.err;
}

// The vocabulary writes blanks as U+2581: a word of it alone is no word to the model.
TEST(Align, LinesWhoseWordsTheVocabularySeesOtherwiseAreLeftOut) {
  const TemporaryFolder folder;
  const std::string source = folder.write("s", "a \u2581 b\na b\n"),
                    target = folder.write("t", "b \u2581 a\nb a\n"),
                    gold = folder.write("g", "0-2 1-1 2-0\n0-1 1-0\n");
  for (const std::string command : {"align", "heads", "faithful"}) {
    const Result result =
        run_heed({command, Toy::get().rnn, "--source", source, "--target", target, "--gold", gold});
    product(result);
    EXPECT_THAT(result.err, HasSubstr("g: 1 line left out"));
    EXPECT_EQ(result.err.find("these have no links") != std::string::npos, command == "align");
  }
}

TEST(Align, MistakesAreNamed) {
  const Reversals set;
  const std::string& rnn = Toy::get().rnn;
  const std::string swapped = set.folder.write("other", "0-0\n");
  expect_mistake(set.run("align", rnn, {"--gold", swapped}), {"25 lines", "has 1"});
  expect_mistake(set.run("align", rnn, {"--json"}), {"--gold"});
  expect_mistake(set.run("align", rnn, {"--tune-gold", set.gold}), {"--tune-source"});
  expect_mistake(set.run("align", rnn, {"--head", "first"}), {"--head"});
  expect_mistake(set.run("align", rnn, {"--layer", "1"}),
                 {"--layer: no layer 1; the model has 1 layer, counted from 0"});
  expect_mistake(set.run("align", rnn, {"--head", "3"}), {"--head: no head 3"});
  expect_mistake(set.run("align", rnn, {"--gold", ""}), {"--gold", "is empty"});
  expect_mistake(set.run("align", rnn, {"--gold", set.gold, "--json", "-o", "-"}),
                 {"cannot both go to standard output"});
  expect_mistake(set.run("align", rnn, {"--symmetrize", "union"}), {"--reverse"});
  expect_mistake(set.run("align", rnn, {"--swap-gold"}), {"--swap-gold", "--tune-gold"});
  expect_mistake(set.run("align", rnn, {"--gold", set.gold, "-o", set.gold}),
                 {set.gold + ": is read by this command"});
  expect_one_line_error(set.run("align", rnn, {"-o", "/nowhere/out"}), 1,
                        {"/nowhere/out: cannot write"});
  std::string far = read_file(set.gold);
  far.insert(far.find('\n') + 1, "9-0 ");
  expect_mistake(set.run("align", rnn, {"--gold", set.folder.write("far", far), "-q"}),
                 {"far:2", "9-0"});
  expect_mistake(set.run("align", rnn, {"--gold", set.folder / "far", "--swap-gold", "-q"}),
                 {"far:2", "0-9"});
}

TEST(Heads, ATransformerHasThreeKindsOfThem) {
  const Reversals set;
  const Result result = set.run("heads", Toy::get().transformer, {"--gold", set.gold});
  const std::string table = product(result);
  for (const char* title : {"encoder self-attention, 25 sentences", "decoder self-attention",
                            "cross-attention", "aligned"})
    EXPECT_THAT(table, HasSubstr(title));
  const std::string csv = set.folder / "heads.csv";
  const Json json =
      Json::parse(product(set.run("heads", Toy::get().transformer, {"--json", "-o", csv})));
  ASSERT_THAT(json["heads"], SizeIs(3 * 2 * 4));
  for (const Json& head : json["heads"]) {
    EXPECT_GT(head["rows"], 25);
    EXPECT_GT(head["entropy"], 0);
    EXPECT_LE(head["entropy_share"], 1.0001);
    double mass = 0;
    for (const auto& [distance, share] : head["profile"].items()) mass += share.get<double>();
    EXPECT_NEAR(mass, 1, 1e-5);
  }
  const auto rows = lines_of(read_file(csv));
  ASSERT_THAT(rows, SizeIs(25));
  for (const std::string& row : rows)
    EXPECT_THAT(split(row, ','), SizeIs(split(rows[0], ',').size()));
}

TEST(Heads, ARecurrentModelHasOneAndItFollowsTheReversal) {
  const Reversals set;
  const Json json =
      Json::parse(product(set.run("heads", Toy::get().rnn, {"--json", "--gold", set.gold})));
  ASSERT_THAT(json["heads"], SizeIs(1));
  EXPECT_EQ(json["heads"][0]["kind"], "cross");
  EXPECT_GT(json["heads"][0]["shares"]["aligned"]["share"],
            json["heads"][0]["shares"]["same_place"]["share"]);
  expect_mistake(set.run("heads", Toy::get().rnn, {"--kind", "encoder"}), {"encoder"});
}

}  // namespace
}  // namespace heed::cli
