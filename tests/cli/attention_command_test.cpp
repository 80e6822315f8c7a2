// heed attention: CSV, pictures and the page.
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "cli/program.h"
#include "cli/toy.h"
#include "csv.h"

namespace heed::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

using Rows = std::vector<std::vector<std::string>>;

/// The long form, checked for its header and that each target's weights sum to 1.
struct Weights {
  Rows rows;
  std::set<std::string> layers, heads;
  std::vector<std::string> sources, targets;  // of the first sentence, layer and head

  explicit Weights(const std::string& csv) : rows(parse_csv(csv)) {
    if (rows.empty()) throw std::runtime_error("no CSV");
    EXPECT_THAT(rows[0], ElementsAre("sentence", "layer", "head", "target_position", "target_token",
                                     "source_position", "source_token", "weight"));
    rows.erase(rows.begin());
    std::map<std::string, double> sums;
    for (const auto& row : rows) {
      if (row.size() != 8) throw std::runtime_error("a row without its eight fields");
      layers.insert(row[1]);
      heads.insert(row[2]);
      EXPECT_GE(std::stod(row[7]), 0);
      sums[row[0] + " " + row[1] + " " + row[2] + " " + row[3]] += std::stod(row[7]);
      const bool first = row[0] == rows[0][0] && row[1] == rows[0][1] && row[2] == rows[0][2];
      if (first && row[3] == "0") sources.push_back(row[6]);
      if (first && row[5] == "0") targets.push_back(row[4]);
    }
    for (const auto& [target, sum] : sums) EXPECT_NEAR(sum, 1, 1e-5) << target;
  }
};

Result attention(const std::string& model, std::vector<std::string> options,
                 std::string_view input = "") {
  options.insert(options.begin(), {"attention", model});
  return run_heed(options, input);
}

TEST(Attention, EachTargetSpreadsAWeightOfOneOverTheSource) {
  const Result result = attention(Toy::get().rnn, {"--text", "a , ab"});
  const Weights weights(product(result));
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(weights.sources.back(), "</s>");
  EXPECT_EQ(weights.targets.back(), "</s>");
  EXPECT_THAT(weights.layers, ElementsAre("0"));
}

TEST(Attention, AForcedTargetIsTheOneThatIsRead) {
  const Weights weights(
      product(attention(Toy::get().rnn, {"--text", "a b c", "--target", "d d ab", "--words"})));
  EXPECT_THAT(weights.sources, ElementsAre("a", "b", "c", "</s>"));
  EXPECT_THAT(weights.targets, ElementsAre("d", "d", "ab", "</s>"));
}

TEST(Attention, WithoutTheEndColumnTheRestSumsToOne) {
  const Weights weights(
      product(attention(Toy::get().rnn, {"--text", "a , ab", "--drop-eos", "--words"})));
  EXPECT_THAT(weights.sources, ElementsAre("a", ",", "ab"));
}

TEST(Attention, AReversalLooksBackwards) {
  const Weights weights(product(
      attention(Toy::get().rnn, {"--text", "a b c d e", "--target", "e d c b a", "--words"})));
  ASSERT_THAT(weights.rows, SizeIs(36));
  int right = 0;
  for (int target = 0; target < 5; ++target) {
    int best = 0;
    for (int source = 1; source < 6; ++source)
      if (std::stod(weights.rows[6 * target + source][7]) >
          std::stod(weights.rows[6 * target + best][7]))
        best = source;
    right += best == 4 - target;
  }
  EXPECT_GE(right, 3);
}

TEST(Attention, ATransformerHasLayersAndHeadsOfThreeKinds) {
  for (const std::string kind : {"cross", "encoder", "decoder"}) {
    SCOPED_TRACE(kind);
    const Weights weights(product(
        attention(Toy::get().transformer, {"--text", "a b c", "--kind", kind, "--head", "all"})));
    EXPECT_THAT(weights.layers, ElementsAre("0", "1"));
    EXPECT_THAT(weights.heads, ElementsAre("0", "1", "2", "3"));
  }
  const Weights last(product(attention(
      Toy::get().transformer, {"--text", "a b c", "--layer", "last", "--head", "1,mean"})));
  EXPECT_THAT(last.layers, ElementsAre("1"));
  EXPECT_THAT(last.heads, ElementsAre("1", "mean"));
  const std::string once = product(attention(
      Toy::get().transformer, {"--text", "a b", "--layer", "1,last", "--head", "mean,0,0"}));
  EXPECT_EQ(once, product(attention(Toy::get().transformer,
                                    {"--text", "a b", "--layer", "1", "--head", "mean,0"})));
  EXPECT_THAT(
      Weights(product(attention(Toy::get().transformer, {"--text", "a b", "--head", "all,mean"})))
          .heads,
      ElementsAre("0", "1", "2", "3", "mean"));
}

TEST(Attention, ManySentencesComeFromStdinOrAFile) {
  const Weights weights(product(attention(Toy::get().rnn, {}, "a b\n\nc d\n")));
  std::set<std::string> sentences;
  for (const auto& row : weights.rows) sentences.insert(row[0]);
  EXPECT_THAT(sentences, ElementsAre("1", "3"));
}

TEST(Attention, TheMatrixFormIsTargetBySource) {
  const auto rows = parse_csv(product(
      attention(Toy::get().rnn, {"--text", "a b", "--target", "b a", "--matrix", "--words"})));
  ASSERT_THAT(rows, SizeIs(4));
  for (const auto& row : rows) EXPECT_THAT(row, SizeIs(4));
  EXPECT_THAT((std::vector<std::string>(rows[0].begin() + 1, rows[0].end())),
              ElementsAre("a", "b", "</s>"));
  EXPECT_EQ(rows[1][0], "b");
}

TEST(Attention, AFolderGetsTableSheetPageAndPictures) {
  const TemporaryFolder folder;
  const std::string out = folder / "maps";
  const Result result =
      attention(Toy::get().transformer, {"--text", "a b", "--kind", "cross,encoder", "-o", out});
  EXPECT_EQ(product(result), "");
  for (const char* kind : {"cross", "encoder"}) {
    EXPECT_TRUE(fs::exists(out + "/attention-" + kind + ".csv")) << kind;
    for (const char* layer : {"0", "1"})
      EXPECT_THAT(read_file(out + "/sentence1-" + kind + "-layer" + layer + "-mean.svg"),
                  HasSubstr("<svg"));
  }
  const std::string page = read_file(out + "/attention.html");
  EXPECT_THAT(page, HasSubstr("<!DOCTYPE html>"));
  EXPECT_THAT(page, Not(HasSubstr("http-equiv=\"refresh\"")));
  attention(Toy::get().transformer, {"--text", "a b", "-o", folder / "one"});
  EXPECT_EQ(Weights(read_file(folder / "one/attention.csv")).sources.back(), "</s>");
}

/// Names of the SVGs in a folder.
std::set<std::string> pictures(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".svg") names.insert(entry.path().stem().string());
  return names;
}

TEST(Attention, SeveralLayersAndHeadsAreOnePictureToo) {
  const TemporaryFolder folder;
  const std::vector<std::string> options = {"--text", "a b", "--kind", "cross,decoder"};
  const auto draw = [&](const std::string& model, const std::string& name,
                        std::vector<std::string> more) {
    more.insert(more.begin(), options.begin(), options.end());
    more.insert(more.end(), {"-o", folder / name});
    EXPECT_EQ(product(attention(model, more)), "");
    return pictures(folder / name);
  };
  const std::string model = Toy::get().transformer;
  EXPECT_THAT(draw(model, "one", {"--layer", "last", "--head", "2"}),
              ElementsAre("sentence1-cross-layer1-head2", "sentence1-decoder-layer1-head2"));
  EXPECT_THAT(draw(model, "two", {"--layer", "last", "--head", "2,mean"}),
              ElementsAre("sentence1-cross-grid", "sentence1-cross-layer1-head2",
                          "sentence1-cross-layer1-mean", "sentence1-decoder-grid",
                          "sentence1-decoder-layer1-head2", "sentence1-decoder-layer1-mean"));
  EXPECT_THAT(draw(model, "grid", {"--head", "all", "--pictures", "grid"}),
              ElementsAre("sentence1-cross-grid", "sentence1-decoder-grid"));
  EXPECT_THAT(draw(model, "none", {"--pictures", "none"}), testing::IsEmpty());
  const std::string grid = read_file(folder / "grid/sentence1-cross-grid.svg");
  for (const char* name : {">layer 0<", ">layer 1<", ">head 0<", ">head 3<"})
    EXPECT_THAT(grid, HasSubstr(name));
}

TEST(Attention, WhatTheVocabularyDoesNotKnowIsSpelledAsItWasWritten) {
  const Weights weights(product(attention(
      Toy::get().rnn, {"--text", "a \u0429\u042a b", "--target", "\u6f02 b", "--words"})));
  EXPECT_THAT(weights.sources, ElementsAre("a", "\u0429\u042a", "b", "</s>"));
  EXPECT_THAT(weights.targets, ElementsAre("\u6f02", "b", "</s>"));
}

TEST(Attention, RowsOfAHundredWordsSumToOneHoweverTheyAreMerged) {
  std::string line = "a";
  for (int i = 1; i < 100; ++i) line += i % 7 ? " ab" : " ,";
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"--kind", "encoder"}, {"--words"}, {"--words", "--drop-eos"}}) {
    std::vector<std::string> all = {"--text", line, "--target", line, "--head", "2,mean"};
    all.insert(all.end(), options.begin(), options.end());
    const Weights weights(product(attention(Toy::get().transformer, all)));  // checks each sum
    EXPECT_GE(weights.sources.size(), 100u);
  }
}

TEST(Attention, SeveralKindsDoNotFitOneTable) {
  expect_mistake(attention(Toy::get().transformer, {"--text", "a", "--kind", "cross,decoder"}),
                 {"--kind", "-o"});
}

TEST(Attention, AKindNamedTwiceIsOne) {
  const TemporaryFolder folder;
  const auto with = [&](const std::string& kinds, const std::string& out) {
    product(attention(Toy::get().transformer, {"--text", "a b", "--target", "b a", "--kind", kinds,
                                               "--pictures", "none", "-o", folder / out}));
    return read_file(folder / (out + "/attention.html"));
  };
  EXPECT_EQ(with("cross,saliency,cross,saliency", "twice"), with("cross,saliency", "once"));
  EXPECT_EQ(product(attention(Toy::get().rnn, {"--text", "a b", "--kind", "cross,cross"})),
            product(attention(Toy::get().rnn, {"--text", "a b"})));
}

TEST(Attention, AnOptionThatWouldDoNothingIsRefused) {
  const auto with = [](std::vector<std::string> options) {
    options.insert(options.begin(), {"--text", "a b"});
    return attention(Toy::get().transformer, options);
  };
  for (const std::string kind : {"rollout", "saliency", "erasure"}) {
    expect_mistake(
        with({"--kind", kind, "--layer", "0"}),
        {"--layer and --head are for --kind encoder, decoder and cross; --kind " + kind});
    expect_mistake(with({"--kind", kind, "--head", "99"}), {"--layer and --head", kind});
  }
  expect_mistake(with({"--signed"}), {"--signed is for --kind saliency"});
  expect_mistake(with({"--kind", "saliency", "--integration-steps", "7"}),
                 {"--integration-steps is for --kind integrated"});
  expect_mistake(with({"--pictures", "grid"}), {"--pictures", "requires", "--output"});
  for (const std::string option : {"--text", "--input", "--kind"})
    expect_mistake(run_heed({"attention", "--step", option,
                             option == "--input" ? "/dev/null" : "cross", "-o", "steps.html"}),
                   {"--step without a model", "name a model"});
}

TEST(Attention, AnEndingDecidesWhetherAFileOrAFolderIsWritten) {
  namespace fs = std::filesystem;
  const TemporaryFolder folder;
  const std::string model = Toy::get().rnn, table = "attention.csv", page = "attention.html";
  const auto write = [&](const std::string& output, std::vector<std::string> options = {}) {
    options.insert(options.end(), {"--text", "a b", "--target", "b a", "-o", folder / output});
    return attention(model, options);
  };
  for (const char* output : {"all", "page.HTML", "table.csv"}) product(write(output));
  EXPECT_TRUE(fs::is_regular_file(folder / "page.HTML"));
  EXPECT_EQ(read_file(folder / "page.HTML"), read_file(folder / ("all/" + page)));
  EXPECT_EQ(read_file(folder / "table.csv"), read_file(folder / ("all/" + table)));
  product(write("steps/first", {"--step"}));
  product(write("one.html", {"--step"}));
  EXPECT_EQ(read_file(folder / "steps/first/step.html"), read_file(folder / "one.html"));
  expect_mistake(write("x.csv", {"--kind", "cross,saliency"}), {"a table holds one --kind"});
  expect_mistake(write("x.html", {"--matrix"}), {"x.html is the page alone; --matrix"});
  EXPECT_FALSE(fs::exists(folder / "x.csv"));
}

TEST(Attention, TheOldNameOfAnOptionIsUnderstood) {
  const TemporaryFolder folder;
  const auto table = [&](const std::string& name) {
    const Result result =
        attention(Toy::get().rnn, {"--text", "a b", "--kind", "integrated", name, "3"});
    EXPECT_EQ(result.status, 0) << result.err;
    return result;
  };
  const Result old = table("--steps"), present = table("--integration-steps");
  EXPECT_EQ(old.out, present.out);
  EXPECT_THAT(old.err,
              HasSubstr("attention --steps: the name of this option is --integration-steps"));
  EXPECT_THAT(present.err, Not(HasSubstr("is called")));
}

// "ababab" has several pieces, so there are views of pieces and of words.
TEST(Attention, ThePageBeginsWithTheUnitThatWasAskedFor) {
  const TemporaryFolder folder;
  const std::string model = Toy::get().transformer;
  const auto page_of = [&](const std::string& kind, bool words) {
    std::vector<std::string> options = {"--text",     "ababab b", "--target", "b ababab",
                                        "--kind",     kind,       "--beside", model,
                                        "--pictures", "none",     "-o",       folder.path()};
    if (words) options.emplace_back("--words");
    const Result result = attention(model, options);
    product(result);
    EXPECT_THAT(result.err, Not(HasSubstr("cut the text into other pieces")));
    return read_file(folder / "attention.html");
  };
  for (const std::string kind : {"cross", "erasure"})
    for (const bool words : {false, true}) {
      const std::string page = page_of(kind, words);
      std::string asked = "\"unit\":\"pieces\"", other = "\"unit\":\"words\"";
      if (words) std::swap(asked, other);
      ASSERT_NE(page.find(other), std::string::npos) << kind;
      EXPECT_LT(page.find(asked), page.find(other)) << kind;
    }
}

TEST(Attention, TakesItsTargetFromOnePlace) {
  expect_mistake(attention(Toy::get().rnn, {"--text", "a", "--target", "a", "--target-file", "x"}),
                 {"--target", "excludes", "--target-file"});
}

// An empty text would count as none: standard input, or the model's own translation.
TEST(Attention, AnOptionWithoutItsTextIsAMistake) {
  for (const char* option :
       {"--text", "--input", "--target", "--target-file", "--beside", "--output"})
    expect_mistake(attention(Toy::get().rnn, {option, ""}, "a b\n"),
                   {std::string(option) + ": is empty; give it a value"});
}

TEST(Attention, WhatTheModelDoesNotHaveIsNamed) {
  expect_mistake(attention(Toy::get().transformer, {"--text", "a b", "--layer", "2"}),
                 {"layer 2", "has 2"});
  expect_mistake(attention(Toy::get().transformer, {"--text", "a b", "--head", "4"}),
                 {"head 4", "has 4"});
  expect_mistake(attention(Toy::get().rnn, {"--text", "a b", "--layer", "first"}),
                 {"--layer", "'first'"});
  expect_mistake(attention(Toy::get().rnn, {"--text", "a b", "--kind", "encoder"}), {"encoder"});
}

/// The views of the page, by kind, in which a temperature does to the weights what it would do to
/// the scores.
std::set<std::string> softmax_on_page(const std::string& model, const std::string& kind,
                                      const std::string& heads) {
  const TemporaryFolder folder;
  product(attention(model, {"--text", "a b", "--target", "a", "--kind", kind, "--head", heads,
                            "--pictures", "none", "-o", folder.path()}));
  std::set<std::string> said;
  const std::string page = read_file(folder / "attention.html");
  for (const std::string& part : split(page, '{')) {
    const std::size_t at = part.find("\"softmax\":");
    if (at != std::string::npos && part.find("\"head\":") != std::string::npos)
      said.insert(part.substr(at + 10, part[at + 10] == 't' ? 4 : 5));
  }
  return said;
}

TEST(Attention, ThePageKnowsWhichWeightsAreASoftmax) {
  const Toy& toy = Toy::get();
  EXPECT_THAT(softmax_on_page(toy.rnn, "cross", "mean"), ElementsAre("true"));  // of one head
  EXPECT_THAT(softmax_on_page(toy.transformer, "cross,encoder,decoder", "all"),
              ElementsAre("true"));
  EXPECT_THAT(softmax_on_page(toy.transformer, "cross", "mean"), ElementsAre("false"));
  EXPECT_THAT(softmax_on_page(toy.transformer, "rollout,saliency", "mean"), ElementsAre("false"));
  const TemporaryFolder folder;
  write_toy_pairs(folder, "train", 40, 1);
  write_toy_pairs(folder, "valid", 5, 2);
  const std::string rnn = "{type: rnn, embedding_size: 8, hidden_size: 8, attention: luong_dot, ";
  train_toy(write_toy_config(folder, {"local", rnn + "window: local_p}", "updates: 1"}));
  train_toy(
      write_toy_config(folder, {"sparse", rnn + "attention_normaliser: sparsemax}", "updates: 1"}));
  train_toy(write_toy_config(
      folder, {"linear",
               "{type: transformer, width: 8, feed_forward: 8, heads: 2, encoder_layers: 1, "
               "decoder_layers: 1, self_attention: linear}",
               "updates: 1"}));
  for (const char* model : {"local", "sparse"})
    EXPECT_THAT(softmax_on_page(folder / model, "cross", "0"), ElementsAre("false")) << model;
  EXPECT_THAT(softmax_on_page(folder / "linear", "encoder", "0"), ElementsAre("false"));
  EXPECT_THAT(softmax_on_page(folder / "linear", "cross", "0"), ElementsAre("true"));
}

// Rotated only in the numerator, rows of linear attention are no shares.
TEST(Attention, WeightsThatAPictureCannotShowAreTold) {
  const TemporaryFolder folder;
  write_toy_pairs(folder, "train", 40, 1);
  write_toy_pairs(folder, "valid", 5, 2);
  train_toy(write_toy_config(
      folder, {"linear",
               "{type: transformer, width: 8, feed_forward: 8, heads: 2, encoder_layers: 1, "
               "decoder_layers: 1, self_attention: linear, positions: rotary}",
               "updates: 1"}));
  const auto told = [&](const std::string& kind) {
    return run_heed({"attention", folder / "linear", "--kind", kind, "--layer", "all", "--head",
                     "all", "--text", "a b c d e f a b c d e f a b c d e f", "-o",
                     folder / ("pictures_" + kind)})
        .err;
  };
  EXPECT_THAT(told("encoder"), HasSubstr("some weights are below 0 or above 1"));
  EXPECT_THAT(told("cross"), Not(HasSubstr("some weights")));
}

TEST(Attention, AModelWithoutItSaysSo) {
  const TemporaryFolder folder;
  write_toy_pairs(folder, "train", 40, 1);
  write_toy_pairs(folder, "valid", 5, 2);
  train_toy(write_toy_config(folder, {"none", kNone, "updates: 2"}));
  expect_mistake(attention(folder / "none", {"--text", "a b"}), {"attention"});
  // Other evidence it has.
  const std::string out = folder / "evidence";
  product(attention(folder / "none", {"--text", "a b", "--target", "b a", "--kind",
                                      "saliency,integrated,erasure", "-o", out}));
  const std::string page = read_file(out + "/attention.html");
  for (const std::string kind : {"saliency", "integrated", "erasure"}) {
    EXPECT_THAT(read_file(out + "/attention-" + kind + ".csv"), HasSubstr("source_token"));
    EXPECT_TRUE(std::filesystem::exists(out + "/sentence1-" + kind + ".svg"));
    EXPECT_THAT(page, HasSubstr("\"kind\":\"" + kind + "\""));
  }
}

}  // namespace
}  // namespace heed::cli
