// Heads that are silenced and taken out, evidence besides attention, and how far they agree.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>
#include <utility>

#include "base/strings.h"
#include "cli/program.h"
#include "cli/toy.h"
#include "csv.h"

namespace heed::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;

using Rows = std::vector<std::vector<std::string>>;

Rows csv_rows(const std::string& path) {
  return parse_csv(read_file(path));
}

std::string of_toy(const std::string& name) {
  return Toy::get().folder / name;
}

/// The first pairs of the toy's test set: as many as what is computed of each of them is dear.
struct FewPairs {
  TemporaryFolder folder;
  std::string source = folder.write("few.src", first_of("test.src")),
              target = folder.write("few.tgt", first_of("test.tgt"));

  static std::string first_of(const std::string& name) {
    auto lines = lines_of(read_file(of_toy(name)));
    lines.resize(6);
    return join(lines, "\n") + "\n";
  }
};

TEST(AblatedHeads, AreAllOfTheModelAndItsLayers) {
  const TemporaryFolder folder;
  const std::string out = product(
      run_heed({"heads", Toy::get().transformer, "--source", of_toy("valid.src"), "--target",
                of_toy("valid.tgt"), "--ablate", "--output", folder / "a.csv"}));
  EXPECT_THAT(out, AllOf(HasSubstr("nothing"), HasSubstr("cross.0.0"), HasSubstr("BLEU")));
  const Rows rows = csv_rows(folder / "a.csv");
  // Names of columns, and a line for each head and for all heads of each layer.
  const std::size_t heads =
      std::ranges::count_if(rows, [](const auto& row) { return split(row[0], '.').size() == 3; });
  const std::size_t layers =
      std::ranges::count_if(rows, [](const auto& row) { return row[0].ends_with(", all"); });
  EXPECT_EQ(rows.size(), 1 + heads + layers);
  EXPECT_EQ(heads, 24U);
  EXPECT_EQ(layers, 6U);
  // Some head is needed.
  EXPECT_TRUE(std::ranges::any_of(
      rows, [](const auto& row) { return row[0] != "silenced" && std::stod(row[1]) > 0.01; }));
  expect_mistake(run_heed({"heads", Toy::get().rnn, "--source", of_toy("valid.src"), "--target",
                           of_toy("valid.tgt"), "--ablate"}),
                 {"no Transformer"});
}

TEST(AblatedHeads, AreMeasuredWithNothingElse) {
  const std::vector<std::string> heads{"heads",    Toy::get().transformer,
                                       "--source", of_toy("valid.src"),
                                       "--target", of_toy("valid.tgt")};
  const auto with = [&](std::vector<std::string> options) {
    options.insert(options.begin(), heads.begin(), heads.end());
    return run_heed(options);
  };
  for (const std::vector<std::string>& other :
       std::vector<std::vector<std::string>>{{"--json"},
                                             {"--words"},
                                             {"--gold", "x"},
                                             {"--antecedents", "x"},
                                             {"--kind", "cross"},
                                             {"--separators", "and"},
                                             {"--threshold", "50"}}) {
    std::vector<std::string> options = other;
    options.push_back("--ablate");
    expect_mistake(with(options), {"heads: ", other.front(), "excludes", "--ablate"});
  }
  expect_mistake(with({"--no-bleu"}), {"--no-bleu", "requires", "--ablate"});
  expect_mistake(with({"--swap-gold"}), {"--swap-gold", "requires", "--gold"});
}

TEST(AblatedHeads, NeedPairs) {
  const TemporaryFolder folder;
  const std::string empty = folder.write("empty", "");
  expect_mistake(
      run_heed({"heads", Toy::get().transformer, "--source", empty, "--target", empty, "--ablate"}),
      {empty + ": empty; no pair to measure by"});
}

TEST(AblatedHeads, AreNotMeasuredOnBlankPairs) {
  const TemporaryFolder folder;
  const std::string source = "a b c\nb c d\n", target = "c b a\nd c b\n";
  const auto with = [&](const std::string& blank) {
    const std::string from = folder.write("s", source + blank),
                      to = folder.write("t", target + blank);
    const Result score = run_heed({"score", Toy::get().transformer, from, to});
    return product(run_heed({"heads", Toy::get().transformer, "--source", from, "--target", to,
                             "--ablate", "--no-bleu"})) +
           score.err.substr(score.err.find("2 pairs, "));
  };
  EXPECT_EQ(with("\n\n\n\n"), with(""));
}

TEST(Heads, SeparatorsMayHaveBlanksAround) {
  const TemporaryFolder folder;
  const std::string source = folder.write("s", "b c b d\nb a b e\nc b\n"),
                    target = folder.write("t", "d b c b\ne b a b\nb c\n");
  const auto with = [&](const std::string& separators) {
    return run_heed({"heads", Toy::get().transformer, "--source", source, "--target", target,
                     "--words", "--json", "--separators", separators});
  };
  EXPECT_EQ(product(with(" a, b ")), product(with("a,b")));
  EXPECT_NE(product(with("a, b")), product(with("a")));
  expect_mistake(with("a,b c"), {"--separators: 'b c' is not one word"});
  expect_mistake(with("a, ,b"), {"--separators: ' ' is not one word"});
}

TEST(Heads, TakeNoGoldThatTheyHaveNoUseFor) {
  const TemporaryFolder folder;
  const std::string source = folder.write("s", "a b\n"), target = folder.write("t", "b a\n"),
                    gold = folder.write("g", "0-1 1-0\n"),
                    file = folder.write("a",
                                        "line\tpronoun\tantecedent\ttarget_pronoun\tgender\n"
                                        "0\t0\t1\t1\tm\n");
  const auto with = [&](const std::string& kinds, std::vector<std::string> more) {
    more.insert(more.begin(), {"heads", Toy::get().transformer, "--source", source, "--target",
                               target, "--gold", gold, "--json", "--kind", kinds});
    return run_heed(more);
  };
  const std::string refused = "--gold: not used by --kind ";
  expect_mistake(with("decoder", {}), {refused + "decoder; add cross"});
  expect_mistake(with("encoder,decoder", {}), {refused + "encoder,decoder; add cross"});
  expect_mistake(with("encoder", {"--antecedents", file}), {refused + "encoder; add cross"});
  product(with("encoder,cross", {}));
  // The decoder finds antecedents through these links.
  expect_mistake(run_heed({"heads", Toy::get().transformer, "--source", source, "--target", target,
                           "--json", "--kind", "decoder", "--antecedents", file}),
                 {"--antecedents: --kind decoder finds them through the links of --gold"});
  // The decoder has its role beside or without cross-attention.
  const auto json = nlohmann::json::parse(product(with("decoder", {"--antecedents", file})));
  for (const auto& head : json["heads"]) EXPECT_EQ(head["shares"]["antecedent"]["rows"], 1);
}

TEST(Prune, HasNoUseForAShareToKeepOfNamedHeads) {
  const TemporaryFolder folder;
  expect_mistake(run_heed({"prune", Toy::get().transformer, "--heads", "encoder.0.0", "--keep",
                           "90", "-o", folder / "x"}),
                 {"--keep", "excludes", "--heads"});
  EXPECT_FALSE(std::filesystem::exists(folder / "x"));
}

TEST(Prune, MeasuresByPairsOfTheModelsLanguages) {
  const TemporaryFolder folder;
  const std::string source = folder.write("source", "a b\nb a c\n"),
                    target = folder.write("target", "zzz yyy\nyyy zzz\n"),
                    empty = folder.write("empty", "");
  const auto by = [&](const std::string& from, const std::string& to) {
    return run_heed({"prune", Toy::get().transformer, "--source", from, "--target", to, "-o",
                     folder / "smaller"});
  };
  expect_mistake(by(empty, empty), {empty + ": empty; no pair to measure by"});
  expect_mistake(by(source, target), {"BLEU of the whole model is 0", "languages?"});
  EXPECT_FALSE(std::filesystem::exists(folder / "smaller"));
}

TEST(Prune, FindsWhatIsInItsWayBeforeTheSearch) {
  const TemporaryFolder folder;
  write_toy_pairs(folder, "train", 40, 1);
  write_toy_pairs(folder, "valid", 5, 2);
  train_toy(write_toy_config(
      folder, {"shared",
               "{type: transformer, width: 8, feed_forward: 8, heads: 2, kv_heads: 1, "
               "encoder_layers: 1, decoder_layers: 1}",
               "updates: 1"}));
  const auto prune = [&](const std::string& model, const std::string& out) {
    return run_heed({"prune", model, "--source", of_toy("valid.src"), "--target",
                     of_toy("valid.tgt"), "-o", out});
  };
  // One line each: the search would have told of the first head.
  expect_mistake(prune(folder / "shared", folder / "smaller"),
                 {folder / "shared", "share keys (model.kv_heads)"});
  expect_one_line_error(prune(Toy::get().transformer, "/dev/null/smaller"), 1, {"/dev/null"});
}

TEST(Prune, KeepsTheConfigurationOfTheModel) {
  const TemporaryFolder folder;
  const std::string whole = Toy::get().transformer, smaller = folder / "smaller";
  product(run_heed({"prune", whole, "--heads", "encoder.0.0", "--set", "decoding.beam_size=3",
                    "--device", "auto", "-o", smaller}));
  std::vector<std::string> before = lines_of(read_file(whole + "/config.yaml")),
                           after = lines_of(read_file(smaller + "/config.yaml"));
  for (auto* lines : {&before, &after})
    std::erase_if(*lines, [](const std::string& line) {
      return line.starts_with("output:") || line.find("pruned_heads:") != std::string::npos;
    });
  EXPECT_EQ(after, before);
}

TEST(Prune, WritesTheModelWithoutTheHeads) {
  const TemporaryFolder folder;
  const std::string smaller = folder / "smaller";
  product(run_heed({"prune", Toy::get().transformer, "--heads", "encoder.0.0", "-o", smaller}));
  EXPECT_THAT(read_file(smaller + "/config.yaml"), HasSubstr("encoder.0.0"));
  const std::string scores =
      product(run_heed({"score", smaller, of_toy("valid.src"), of_toy("valid.tgt")}));
  EXPECT_NE(scores, product(run_heed({"score", Toy::get().transformer, of_toy("valid.src"),
                                      of_toy("valid.tgt")})));
  EXPECT_THAT(split(product(run_heed({"translate", smaller, of_toy("valid.src")})), '\n'),
              SizeIs(21));
  expect_mistake(
      run_heed({"prune", Toy::get().transformer, "--heads", "cross.7.0", "-o", folder / "x"}),
      {"no head cross.7.0"});
  expect_mistake(run_heed({"prune", Toy::get().transformer, "-o", folder / "x"}), {"--heads"});
}

TEST(Prune, KeepsTheQualityThatWasAskedFor) {
  const TemporaryFolder folder;
  const auto bleu_of = [](const std::string& model) {
    const std::string out = product(run_heed(
        {"evaluate", model, "--source", of_toy("valid.src"), "--reference", of_toy("valid.tgt")}));
    return std::stod(out.substr(out.find("BLEU ") + 5));
  };
  const std::string smaller = folder / "smaller";
  const auto lines =
      lines_of(product(run_heed({"prune", Toy::get().transformer, "--source", of_toy("valid.src"),
                                 "--target", of_toy("valid.tgt"), "--keep", "99", "-o", smaller})));
  EXPECT_GE(bleu_of(smaller), 99. / 100 * bleu_of(Toy::get().transformer));
  ASSERT_GE(lines.size(), 3U);  // names of columns, the whole model, and without one head
  EXPECT_THAT(lines[0], HasSubstr("heads left"));
  EXPECT_EQ(split_words(lines[1])[0], "24");
  const auto words = split_words(lines[2]);
  ASSERT_GE(words.size(), 2U) << lines[2];
  EXPECT_EQ(words[0], "23");
  const std::string config = read_file(smaller + "/config.yaml");
  const std::regex head(R"((encoder|decoder|cross)\.\d\.\d)");
  const auto gone = static_cast<std::size_t>(
      std::distance(std::sregex_iterator(config.begin(), config.end(), head), {}));
  EXPECT_LE(gone, lines.size() - 2);
  EXPECT_GE(gone, lines.size() - 3);  // the last one may be one too many
  if (gone > 0) {
    EXPECT_THAT(config, HasSubstr(words[1]));
  }
}

TEST(Evidence, StandsBesideAttention) {
  const TemporaryFolder folder;
  const FewPairs pairs;
  for (const std::string& model : {Toy::get().rnn, Toy::get().transformer}) {
    const bool transformer = model == Toy::get().transformer;
    const std::string kinds =
        std::string("cross,saliency,integrated,erasure") + (transformer ? ",rollout" : "");
    product(run_heed({"attention", model, "--input", pairs.source, "--target-file", pairs.target,
                      "--kind", kinds, "-o", folder / "out"}));
    for (const std::string& kind : split(kinds, ',')) {
      const Rows rows = csv_rows(folder / ("out/attention-" + kind + ".csv"));
      ASSERT_GT(rows.size(), 10U) << kind;
    }
  }
  EXPECT_THAT(read_file(folder / "out/attention.html"), HasSubstr("erasure"));
  expect_mistake(run_heed({"attention", Toy::get().rnn, "--input", of_toy("test.src"), "--kind",
                           "rollout", "-o", folder / "out"}),
                 {"rollout"});
}

// --words: the row of a target word adds up to the same as those of its pieces, of integrated
// gradients; erasure has a column for each word.
TEST(Evidence, OfWordsIsOfWholeWords) {
  const FewPairs pairs;
  const auto signed_of = [&](const std::string& kind, bool words) {
    std::vector<std::string> command{
        "attention",     Toy::get().transformer, "--input", pairs.source,
        "--target-file", pairs.target,           "--kind",  kind,
        "--signed"};
    if (words) command.push_back("--words");
    return parse_csv(product(run_heed(command)));
  };
  const auto total = [](const Rows& rows) {
    double sum = 0;
    for (std::size_t i = 1; i < rows.size(); ++i) sum += std::stod(rows[i].back());
    return sum;
  };
  const Rows pieces = signed_of("integrated", false), words = signed_of("integrated", true);
  EXPECT_LT(words.size(), pieces.size());
  EXPECT_NEAR(total(words), total(pieces), 1e-3 * static_cast<double>(pieces.size()));
  EXPECT_EQ(signed_of("erasure", true).size(), words.size());
  EXPECT_EQ(signed_of("erasure", false).size(), pieces.size());
}

TEST(Evidence, StepsAndDrawsMatter) {
  const TemporaryFolder folder;
  const auto integrated = [](const std::string& steps) {
    return product(run_heed({"attention", Toy::get().rnn, "--text", "a b c", "--target", "c b a",
                             "--kind", "integrated", "--signed", "--integration-steps", steps}));
  };
  EXPECT_NE(integrated("2"), integrated("40"));
  const std::string source = folder.write("s", "a b c d\nf e\n"),
                    target = folder.write("t", "d c b a\ne f\n");
  const auto faithful = [&](const std::string& steps, const std::string& draws) {
    product(run_heed({"faithful", Toy::get().rnn, "--source", source, "--target", target,
                      "--integration-steps", steps, "--draws", draws, "-o", folder / "f.csv"}));
    return read_file(folder / "f.csv");  // more digits than the table has
  };
  const std::string once = faithful("2", "1");
  EXPECT_EQ(faithful("2", "1"), once);
  EXPECT_NE(faithful("40", "1"), once);
  EXPECT_NE(faithful("2", "9"), once);
}

// A page about no pairs would say that the model has no attention.
TEST(Faithful, AndItsKinNeedPairs) {
  const TemporaryFolder folder;
  const std::string empty = folder.write("empty", ""), blank = folder.write("blank", "\n \n");
  for (const auto& [file, told] :
       {std::pair(empty, ": empty; no pair"), std::pair(blank, ": blank lines only; no pair")}) {
    const std::vector<std::string> pair{Toy::get().rnn, "--source", file, "--target", file};
    for (std::vector<std::string> words :
         {std::vector<std::string>{"faithful", "--html", folder / "page.html"},
          {"heads", "--json"},
          {"align", "--json", "--gold", file}}) {
      words.insert(words.begin() + 1, pair.begin(), pair.end());
      expect_mistake(run_heed(words), {file + told});
    }
    product(run_heed({"align", pair[0], pair[1], pair[2], pair[3], pair[4]}));
  }
  std::string many;
  for (int i = 0; i < 1100; ++i) many += "a ";
  const std::string file = folder.write("long", many + "\n");
  const Result result = run_heed({"faithful", Toy::get().rnn, "--source", file, "--target", file,
                                  "--html", folder / "page.html"});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, HasSubstr("heed: faithful: all pairs of " + file + " are too long"));
  EXPECT_FALSE(std::filesystem::exists(folder / "page.html"));
}

TEST(Faithful, TurnsNoGoldRoundThatIsNotGiven) {
  expect_mistake(run_heed({"faithful", Toy::get().rnn, "--source", of_toy("test.src"), "--target",
                           of_toy("test.tgt"), "--swap-gold"}),
                 {"--swap-gold", "requires", "--gold"});
}

TEST(Faithful, ComparesHeadsWithOtherEvidence) {
  const TemporaryFolder folder;
  const FewPairs pairs;
  for (const std::string& model : {Toy::get().rnn, Toy::get().transformer}) {
    const std::string out =
        product(run_heed({"faithful", model, "--source", pairs.source, "--target", pairs.target,
                          "--draws", "2", "--integration-steps", "2", "-o", folder / "f.csv"}));
    EXPECT_THAT(out, AllOf(HasSubstr("attention"), HasSubstr("saliency"), HasSubstr("erasure"),
                           HasSubstr("integrated")));
    const Rows rows = csv_rows(folder / "f.csv");
    EXPECT_EQ(rows[0][3], "saliency");
    for (std::size_t i = 1; i < rows.size(); ++i) {
      if (rows[i][3].empty()) continue;
      EXPECT_LE(std::abs(std::stod(rows[i][3])), 1);
    }
  }
}

}  // namespace
}  // namespace heed::cli
