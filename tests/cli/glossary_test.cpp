// heed translate --glossary, and heed evaluate --glossary.
#include <random>
#include <string>

#include "base/format.h"
#include "cli/program.h"
#include "cli/toy.h"

namespace heed::cli {
namespace {

using ::testing::HasSubstr;

class GlossaryOption : public testing::TestWithParam<const char*> {
 protected:
  const std::string model_ = Toy::get().folder / GetParam();
  const TemporaryFolder folder_;

  std::string glossary(const std::string& text) const { return folder_.write("terms.tsv", text); }
  Result translate(const std::string& terms, std::string_view input,
                   const std::vector<std::string>& more = {}) const {
    std::vector<std::string> all{"translate", model_, "--glossary", glossary(terms)};
    all.insert(all.end(), more.begin(), more.end());
    return run_heed(all, input);
  }
};

INSTANTIATE_TEST_SUITE_P(Models, GlossaryOption, testing::Values("rnn", "transformer"),
                         [](const auto& info) { return std::string(info.param); });

/// Whether `word` is one of the words of `line`.
bool has_word(const std::string& line, const std::string& word) {
  return (" " + line + " ").find(" " + word + " ") != std::string::npos;
}

// The model writes the line backwards, and knows nothing of these terms.
TEST_P(GlossaryOption, EveryLineWithATermHasItsTarget) {
  const std::string terms = "# a comment\n\na\tgh\ni j\tef fe\nD\tba\tb\n";
  const std::string input = "a b c\nc e\nh i j\n\nd e\n";
  const Result result = translate(terms, input);
  const auto lines = lines_of(product(result));
  ASSERT_EQ(lines.size(), 5U);
  EXPECT_TRUE(has_word(lines[0], "gh")) << lines[0];
  EXPECT_EQ(lines[1], "e c");  // without a term
  EXPECT_TRUE(has_word(lines[2], "ef fe")) << lines[2];
  EXPECT_EQ(lines[3], "");
  EXPECT_TRUE(has_word(lines[4], "ba") || has_word(lines[4], "b")) << lines[4];
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(product(translate(terms, input, {"--batch", "1"})), result.out);
  // Two models of the same kind, and the same terms.
  std::vector<std::string> twice{"translate", model_ + "," + model_, "--glossary", glossary(terms)};
  EXPECT_TRUE(has_word(lines_of(product(run_heed(twice, "a b c\n"))).at(0), "gh"));
  for (const char* setting : {"decoding.mbr=3", "decoding.no_repeat_ngram=3", "precision=fp32",
                              "decoding.weights=int8", "decoding.length_penalty=none"})
    EXPECT_TRUE(
        has_word(lines_of(product(translate(terms, "a b c\n", {"--set", setting}))).at(0), "gh"))
        << setting;
  for (const std::string& line : lines_of(product(translate(terms, "a b\n", {"--n-best", "3"}))))
    EXPECT_THAT(line, HasSubstr("gh"));
}

TEST_P(GlossaryOption, MayBeOfAnotherProgram) {
  const std::string csv =
      folder_.write("terms.csv", "\uFEFFComment;Source;Target\r\n\"a\nb\";\"a\";gh\r\n;d;\r\n");
  const Result result = run_heed({"translate", model_, "--glossary", csv}, "a b c\n");
  EXPECT_TRUE(has_word(lines_of(product(result)).at(0), "gh")) << result.out;
  EXPECT_THAT(result.err, HasSubstr("terms.csv: line 4: no term, or no translation"));
  expect_mistake(translate("a;gh\nb;c;d\n", "a\n"),
                 {"terms.tsv: line 2: 3 columns, and the first row has 2"});
}

TEST_P(GlossaryOption, WithoutTermsNothingChanges) {
  const std::string input = read_file(Toy::get().folder / "test.src");
  const std::vector<std::string> scores = {"--scores"};
  const std::string free = product(run_heed({"translate", model_, "--scores"}, input));
  EXPECT_EQ(product(translate("nowhere\tgh\n", input, scores)), free);
  EXPECT_EQ(product(translate("", input, scores)), free);
}

TEST_P(GlossaryOption, GoesWithAPrefix) {
  const std::string prefixes = folder_.write("prefixes", "c\n");
  const auto line =
      lines_of(product(translate("a\tgh\n", "a b c\n", {"--prefix", prefixes}))).at(0);
  EXPECT_TRUE(line.starts_with("c")) << line;
  EXPECT_TRUE(has_word(line, "gh")) << line;
}

TEST_P(GlossaryOption, TellsOfTermsThatCannotBeObeyed) {
  // Seven words, and no room for more than eleven pieces.
  const std::string long_term = "a\tab ba cd dc ef fe gh hg ij a b c d e f\n";
  const Result result = translate(long_term, "a\na\n", {"--set", "decoding.max_length_ratio=0.1"});
  EXPECT_EQ(lines_of(product(result)).size(), 2U);
  EXPECT_THAT(result.err, HasSubstr("2 terms of decoding.glossary not obeyed, line 1, 2"));
  expect_mistake(translate("b\tc\na\tß\n", "a b\n"),
                 {"terms.tsv: line 2: the vocabulary has no pieces for 'ß'; leave out its term"});
}

TEST_P(GlossaryOption, RefusesWhatCannotBe) {
  expect_mistake(translate("a\tb\n\nc\n", "a\n"),
                 {"terms.tsv: line 3: 'c' is not a term, a tab and its target"});
  expect_mistake(translate("a\tb\n", "a\n", {"--beam", "1"}),
                 {"decoding.glossary", "decoding.beam_size"});
  expect_mistake(translate("a\tb\n", "a\n", {"--sample"}),
                 {"decoding.glossary", "decoding.sampling"});
  expect_mistake(run_heed({"translate", model_, "--glossary", folder_ / "absent"}, "a\n"),
                 {"absent"});
  expect_mistake(run_heed({"translate", model_, "--glossary", "-"}, "a\tb\n"),
                 {"--glossary -", "standard input"});
}

TEST_P(GlossaryOption, LooksForTermsInWhatIsRead) {
  const std::string terms = folder_.write("terms.tsv", "d\tgh\n");
  const auto first_of = [&](const std::string& limit) {
    return product(run_heed(
        {"translate", model_, "--glossary", terms, "--set", "decoding.max_source_length=" + limit},
        "a b c d\n"));
  };
  EXPECT_THAT(first_of("4"), HasSubstr("gh"));
  EXPECT_THAT(first_of("2"), Not(HasSubstr("gh")));
}

/// Each word has two translations, between which only a term can tell.
struct InlineGlossary : testing::Test {
  TemporaryFolder folder;

  std::string write_corpus(const std::string& name, int count, unsigned seed) {
    const std::vector<std::string> words{"alpha", "bravo", "delta", "gamma", "hotel", "india"};
    std::mt19937 random(seed);
    std::string source, target, links;
    for (int i = 0; i < count; ++i) {
      const unsigned length = 2 + random() % 3;
      for (unsigned w = 0; w < length; ++w) {
        const std::string& word = words[random() % words.size()];
        source += (w > 0 ? " " : "") + word;
        target += (w > 0 ? " " : "") + word.substr(0, 3) + (random() % 2 == 0 ? "one" : "two");
        links += fmt::format("{0}-{0} ", w);
      }
      source += "\n";
      target += "\n";
      links += "\n";
    }
    folder.write(name + ".src", source);
    folder.write(name + ".tgt", target);
    return folder.write(name + ".align", links);
  }
};

TEST_F(InlineGlossary, AModelUsesTheTermsInItsSource) {
  const std::string links = write_corpus("train", 1500, 1);
  write_corpus("valid", 20, 2);
  const std::string config = write_toy_config(
      folder, {.name = "run",
               .model = kTransformer,
               .training = "learning_rate: 0.01, schedule: cosine, updates: 200, validate_every: "
                           "100, save_every: 200",
               .vocabulary = "kind: joint, size: 60, algorithm: bpe"});
  expect_mistake(run_heed({"train", config, "--set", "data.terms=0.5"}),
                 {"data.terms: ", "data.train.alignment"});
  train_toy(config, {"--set", "data.train.alignment=" + links, "--set", "data.terms=0.5", "--set",
                     "model.dropout=0"});
  const std::string model = folder / "run", input = read_file(folder / "valid.src");
  for (const std::string ending : {"one", "two"}) {
    const std::string terms = folder.write("terms.tsv", "bravo\tbra" + ending + "\n");
    const auto lines = lines_of(product(run_heed({"translate", model, "--glossary", terms, "--set",
                                                  "decoding.glossary_inline=true", "--beam", "1"},
                                                 input)));
    ASSERT_EQ(lines.size(), 20U);
    const auto sources = lines_of(input);
    int obeyed = 0, all = 0;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (sources[i].find("bravo") == std::string::npos) continue;
      ++all;
      obeyed += lines[i].find("bra" + ending) != std::string::npos;
    }
    EXPECT_GE(all, 5);
    EXPECT_EQ(obeyed, all) << ending;
  }
  // Lengths are compared without the terms that stand in the source.
  const std::string all = folder.write("terms.tsv", "alpha\talpone\nbravo\tbraone\n");
  const std::string flagged = product(run_heed(
      {"translate", model, "--flags", "--glossary", all, "--set", "decoding.glossary_inline=true"},
      "alpha bravo alpha bravo alpha bravo alpha\n"));
  EXPECT_THAT(flagged, Not(HasSubstr("length")));
  expect_mistake(
      run_heed({"translate", Toy::get().transformer, "--set", "decoding.glossary_inline=true"},
               "a\n"),
      {"decoding.glossary_inline: ", "data.terms"});
}

TEST(EvaluateGlossary, CountsTermsThatAreObeyed) {
  const TemporaryFolder folder;
  const std::string hypothesis = folder.write("hypothesis", "a dog\na cat\nDogs\n"),
                    source = folder.write("source", "ein Hund\nein Hund\nHunde und Hund\n"),
                    reference = folder.write("reference", "a dog\na Dog\nhounds\n"),
                    terms = folder.write("terms.tsv", "hund\tdog\n");
  std::vector<std::string> command{"evaluate", "--hypothesis", hypothesis, "--reference",
                                   reference,  "--glossary",   terms};
  expect_mistake(run_heed(command), {"give --source and --glossary both or neither"});
  command.insert(command.end(), {"--source", source, "--set", "evaluation.metrics=[bleu]"});
  EXPECT_THAT(product(run_heed(command)),
              HasSubstr("\nterms obeyed 50.00 % (1 of 2 that references obey)\n"));
  command.insert(command.end(), {"--set", "decoding.glossary_exact_case=true"});
  EXPECT_THAT(product(run_heed(command)),
              HasSubstr("\nterms obeyed 0.00 % (0 of 0 that references obey)\n"));
}

}  // namespace
}  // namespace heed::cli
