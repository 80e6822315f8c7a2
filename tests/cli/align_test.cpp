// heed align and heed heads.
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "cli/program.h"
#include "cli/toy.h"

namespace heed::cli {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::SizeIs;
using Json = nlohmann::json;

/// The test set of the toy task and its gold: word j of a reversal is word n - 1 - j of the source.
struct Reversals {
  TemporaryFolder folder;
  std::string source = Toy::get().folder / "test.src", target = Toy::get().folder / "test.tgt";
  std::string gold;

  Reversals() {
    std::string links;
    for (const std::string& line : lines_of(read_file(source))) {
      const std::size_t words = split_words(line).size();
      for (std::size_t j = 0; j < words; ++j)
        links += (j ? " " : "") + std::to_string(words - 1 - j) + "-" + std::to_string(j);
      links += "\n";
    }
    gold = folder.write("gold", links);
  }

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
  EXPECT_THAT(result.err, HasSubstr("layer 0, head 0, the step that emits the word"));
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
              {"--gold", set.gold, "--layer", "last", "--head", "3", "--step", "reads"});
  EXPECT_TRUE(std::regex_search(chosen.err, std::regex("\n1 +3 +reads .*\\*\n"))) << chosen.err;
}

TEST(Align, TuningTakesTheBestChoice) {
  const Reversals set;
  const Json json =
      Json::parse(product(set.run("align", Toy::get().transformer,
                                  {"--gold", set.gold, "--json", "--tune-source", set.source,
                                   "--tune-target", set.target, "--tune-gold", set.gold})));
  double best = 1, chosen = 1;
  for (const Json& row : json["choices"]) {
    best = std::min(best, row["aer"].get<double>());
    if (row["layer"] == json["chosen"]["layer"] && row["head"] == json["chosen"]["head"] &&
        row["step"] == json["chosen"]["step"])
      chosen = row["aer"];
  }
  EXPECT_EQ(chosen, best);
  EXPECT_LT(best, 1);
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

TEST(Align, ALineThatIsTooLongHasNoLinksAndStopsNothing) {
  const TemporaryFolder folder;
  std::string words;
  for (int i = 0; i < 1100; ++i) words += "a ";
  const std::string source = folder.write("s", "a b\n" + words + "\nc\n"),
                    target = folder.write("t", "b a\na\nc\n");
  const Result result = run_heed({"align", Toy::get().rnn, "--source", source, "--target", target});
  const auto lines = lines_of(product(result));
  ASSERT_THAT(lines, SizeIs(3));
  EXPECT_NE(lines[0], "");
  EXPECT_EQ(lines[1], "");
  EXPECT_NE(lines[2], "");
  EXPECT_THAT(result.err, HasSubstr("in 1 line, line 2 first, a side has more than 1024 pieces"));
  const std::string gold = folder.write("g", "0-1 1-0\n0-0\n0-0\n");
  const Result measured =
      run_heed({"align", Toy::get().rnn, "--source", source, "--target", target, "--gold", gold,
                "--tune-gold", gold, "--tune-source", source, "--tune-target", target, "--json"});
  EXPECT_EQ(Json::parse(product(measured))["sentences"], 2);
  EXPECT_THAT(
      measured.err,
      HasSubstr(gold + ": 1 line left out, line 2 first: a side has more than 1024 pieces"));
}

// Links of one direction alone would not be those of --symmetrize.
TEST(Align, ALineThatOneOfTwoModelsCannotTakeHasNoLinks) {
  const Toy& toy = Toy::get();
  const TemporaryFolder folder;
  std::filesystem::copy(toy.rnn, folder / "long", std::filesystem::copy_options::recursive);
  std::string config = read_file(folder / "long/config.yaml"), words;
  const std::string limit = "max_length: 256";
  ASSERT_NE(config.find(limit), std::string::npos);
  folder.write("long/config.yaml",
               config.replace(config.find(limit), limit.size(), "max_length: 2000"));
  for (int i = 0; i < 1100; ++i) words += "a ";
  const std::string source = folder.write("s", "a b\n" + words + "\n"),
                    target = folder.write("t", "b a\na\n");
  for (const char* method : {"union", "grow-diag-final-and", "intersection"}) {
    const auto lines =
        lines_of(product(run_heed({"align", folder / "long", "--reverse", toy.rnn, "--symmetrize",
                                   method, "--source", source, "--target", target})));
    ASSERT_THAT(lines, SizeIs(2));
    EXPECT_EQ(lines[1], "") << method;
  }
}

TEST(Align, TwoModelsAreJoined) {
  const Reversals set;  // a reversal is its own reverse task
  const auto joined = [&](const std::string& method) {
    const Json json =
        Json::parse(product(set.run("align", Toy::get().rnn,
                                    {"--gold", set.gold, "--json", "--reverse", Toy::get().rnn,
                                     "--symmetrize", method, "-o", set.folder / method})));
    EXPECT_EQ(json["others"][0]["name"], "reverse");
    return json["others"][1];
  };
  const Json both = joined("intersection"), any = joined("union"),
             grown = joined("grow-diag-final-and");
  EXPECT_GE(both["precision"], any["precision"]);
  EXPECT_LE(both["recall"], any["recall"]);
  EXPECT_GE(grown["recall"], both["recall"]);
  const auto few = lines_of(read_file(set.folder / "intersection"));
  const auto many = lines_of(read_file(set.folder / "union"));
  ASSERT_THAT(few, SizeIs(25));
  for (std::size_t i = 0; i < few.size(); ++i) EXPECT_LE(few[i].size(), many[i].size());
}

// Word j of each translation is word n - 1 - j of the source, whose first word is left out.
TEST(Align, TheReverseModelsLinksAndSwappedGoldAreTurnedRound) {
  const Reversals set;
  const TemporaryFolder& folder = set.folder;
  std::string target, links, swapped;
  for (const std::string& line : lines_of(read_file(set.target))) {
    std::vector<std::string> words = split_words(line);
    for (std::size_t j = 0, last = words.size() - 1; j < last; ++j) {
      const std::string i = std::to_string(last - j);
      links += i + "-" + std::to_string(j) + " ";
      swapped += std::to_string(j) + "-" + i + " ";
    }
    words.pop_back();
    target += join(words, " ") + "\n";
    links += "\n";
    swapped += "\n";
  }
  const std::string cut = folder.write("cut", target), gold = folder.write("links", links),
                    turned = folder.write("swapped", swapped), rnn = Toy::get().rnn;
  const auto align = [&](const std::string& from, const std::string& to,
                         std::vector<std::string> options) {
    options.insert(options.begin(), {"align", rnn, "--source", from, "--target", to});
    return product(run_heed(options));
  };
  const auto links_of = [](const std::string& line) {
    const std::vector<std::string> words = split_words(line);
    return std::set<std::string>(words.begin(), words.end());
  };
  const auto there = lines_of(align(set.source, cut, {})),
             back = lines_of(align(cut, set.source, {}));
  const auto joined = [&](const std::string& method) {
    return lines_of(align(set.source, cut, {"--reverse", rnn, "--symmetrize", method}));
  };
  const auto any = joined("union"), both = joined("intersection");
  ASSERT_THAT(back, SizeIs(25));
  for (std::size_t line = 0; line < back.size(); ++line) {
    const std::set<std::string> forward = links_of(there[line]);
    std::set<std::string> all = forward, common;
    for (const std::string& link : split_words(back[line])) {
      const std::vector<std::string> ends = split(link, '-');
      const std::string other = ends.at(1) + "-" + ends.at(0);
      all.insert(other);
      if (forward.contains(other)) common.insert(other);
    }
    EXPECT_EQ(links_of(any.at(line)), all) << line;
    EXPECT_EQ(links_of(both.at(line)), common) << line;
  }
  EXPECT_EQ(align(set.source, cut, {"--json", "--gold", turned, "--swap-gold"}),
            align(set.source, cut, {"--json", "--gold", gold}));
  // The reverse model is tuned by gold of its own direction.
  std::vector<std::string> tuned = {"--tune-source", set.source, "--tune-target", cut,
                                    "--tune-gold",   gold,       "--reverse",     rnn};
  const std::string expected = align(set.source, cut, tuned);
  std::replace(tuned.begin(), tuned.end(), gold, turned);
  tuned.emplace_back("--swap-gold");
  EXPECT_EQ(align(set.source, cut, tuned), expected);
}

TEST(Align, ABlankSideHasNoLinks) {
  const TemporaryFolder folder;
  const std::string source = folder.write("s", "a b\n\nc\n"),
                    target = folder.write("t", "b a\n\n\n");
  const auto lines = lines_of(
      product(run_heed({"align", Toy::get().rnn, "--source", source, "--target", target})));
  ASSERT_THAT(lines, SizeIs(3));
  EXPECT_NE(lines[0], "");
  EXPECT_EQ(lines[1], "");
  EXPECT_EQ(lines[2], "");
}

TEST(Align, TheMeanOfARecurrentModelsHeadsIsTheDefault) {
  const TemporaryFolder folder;
  write_toy_pairs(folder, "train", 100, 9);
  write_toy_pairs(folder, "valid", 10, 2);
  train_toy(write_toy_config(folder, {"heads",
                                      "{type: rnn, embedding_size: 16, hidden_size: 24, "
                                      "attention: luong_general, attention_heads: 2}",
                                      "updates: 1"}));
  const Reversals set;
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{}, std::vector<std::string>{"--head", "mean"}})
    EXPECT_THAT(set.run("align", folder / "heads", options).err,
                HasSubstr("layer 0, mean of heads, the step that emits the word"));
}

TEST(Align, InALayerWithOneHeadLeftTheMeanIsThatHead) {
  const Reversals set;
  const std::string pruned = set.folder / "pruned";
  product(run_heed(
      {"prune", Toy::get().transformer, "--heads", "cross.0.0,cross.0.1,cross.0.3", "-o", pruned}));
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{}, {"--layer", "0", "--head", "mean"}}) {
    std::vector<std::string> options{"--gold", set.gold};
    options.insert(options.end(), more.begin(), more.end());
    const Result result = set.run("align", pruned, options);
    product(result);
    EXPECT_TRUE(std::regex_search(result.err, std::regex("\n0 +0 +emits .*\\*\n"))) << result.err;
  }
  // Another layer has its mean.
  const Result last = set.run("align", pruned, {"--gold", set.gold, "--layer", "last"});
  EXPECT_TRUE(std::regex_search(last.err, std::regex("\n1 +mean +emits .*\\*\n"))) << last.err;
}

// The vocabulary writes blanks as U+2581: a word of it alone is no word to the model.
TEST(Align, LinesWhoseWordsTheVocabularySeesOtherwiseAreLeftOut) {
  const TemporaryFolder folder;
  const std::string mark = "\u2581", source = folder.write("s", "a " + mark + " b\na b\n"),
                    target = folder.write("t", "b " + mark + " a\nb a\n"),
                    gold = folder.write("g", "0-2 1-1 2-0\n0-1 1-0\n");
  const auto run = [&](std::vector<std::string> options) {
    options.insert(options.end(), {"--source", source, "--target", target, "--gold", gold});
    return run_heed(options);
  };
  const Result aligned =
      run({"align", Toy::get().rnn, "--json", "--reverse", Toy::get().rnn, "-o", folder / "out"});
  const Json json = Json::parse(product(aligned));
  EXPECT_EQ(json["sentences"], 1);
  EXPECT_THAT(aligned.err, HasSubstr("g: 1 line left out, line 1 first: the vocabulary of"));
  EXPECT_EQ(lines_of(read_file(folder / "out"))[0], "");
  for (const std::string command : {"heads", "faithful"}) {
    const Result other = run({command, Toy::get().rnn});
    product(other);
    EXPECT_THAT(other.err, HasSubstr("g: 1 line left out"));
  }
  const std::string far = folder.write("g", "0-2 1-1 3-0\n0-1 1-0\n");
  expect_mistake(run({"align", Toy::get().rnn, "-q"}), {far + ":1", "3-0", "3 source"});
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

TEST(Heads, AntecedentsAreLookedForInEveryKind) {
  const TemporaryFolder folder;
  const std::string source = folder.write("s", "a b c d\ne f\n"),
                    target = folder.write("t", "d c b a\nf e\n"),
                    links = folder.write("g", "0-3 1-2 2-1 3-0\n0-1 1-0\n");
  const std::string header = "line\tpronoun\tantecedent\ttarget_pronoun\tgender\n";
  const auto run = [&](const std::string& row) {
    return run_heed({"heads", Toy::get().transformer, "--source", source, "--target", target,
                     "--gold", links, "--json", "--antecedents", folder.write("a", header + row)});
  };
  const Json json = Json::parse(product(run("0\t0\t2\t3\tm\n")));
  for (const Json& head : json["heads"]) EXPECT_EQ(head["shares"]["antecedent"]["rows"], 1);
  expect_mistake(run("1\t0\t2\t1\tm\n"), {":2: antecedent 2 of 2 words"});
  expect_mistake(run("2\t0\t1\t1\tm\n"), {"line 2 of 2"});
}

}  // namespace
}  // namespace heed::cli
