// heed vocab with symbols, bytes and an older vocabulary, and what is trained with them.
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "cli/program.h"
#include "cli/toy.h"
#include "text/vocabulary.h"

namespace heed::cli {
namespace {

using ::testing::HasSubstr;

TEST(Vocab, HasSymbolsAndBytes) {
  const TemporaryFolder folder;
  write_toy_pairs(folder, "train", 100, 1);
  const Result result =
      run_heed({"vocab", folder / "train.src", folder / "train.tgt", "--size", "300", "--algorithm",
                "bpe", "--symbols", "<de>,<en>", "--byte-fallback", "-o", folder / "v.spm"});
  EXPECT_EQ(product(result), "");
  const auto vocabulary = text::Vocabulary::load(folder / "v.spm");
  EXPECT_EQ(vocabulary.encode("<en> a b").front(), 5);
  EXPECT_EQ(vocabulary.decode(vocabulary.encode("<de> a \u00e9")), "<de> a \u00e9");
  expect_mistake(
      run_heed({"vocab", folder / "train.src", "--symbols", "<de>,<de>", "-o", folder / "v.spm"}),
      {"--symbols", "'<de>' is given twice"});
}

TEST(Vocab, AListHasNoEmptyParts) {
  const TemporaryFolder folder;
  write_toy_pairs(folder, "train", 100, 1);
  for (const char* symbols : {",", "<de>,", ",<de>", "<de>,,<en>"}) {
    const std::string said = "--symbols: '" + std::string(symbols) + "' has an empty part";
    const std::vector<std::string> vocab{"vocab", folder / "train.src", "-o", folder / "v.spm"};
    for (const std::vector<std::string>& list :
         {std::vector<std::string>{"--symbols", symbols}, {"--symbols=" + std::string(symbols)}}) {
      std::vector<std::string> command = vocab;
      command.insert(command.end(), list.begin(), list.end());
      expect_mistake(run_heed(command), {said});
    }
  }
  expect_mistake(run_heed({"prune", "model", "--heads", "cross.0.0,"}),
                 {"--heads: 'cross.0.0,' has an empty"});
}

TEST(Vocab, ReadsTheColumnThatIsAskedFor) {
  const TemporaryFolder folder;
  const std::string text = folder.write("pairs.tsv", "ab ba\txy yx\nba ab\tyx xy\n");
  // The letters, of b and y, that have a piece.
  const auto letters = [&](const std::vector<std::string>& column) {
    std::vector<std::string> command{"vocab", text,         "--size",      "10",
                                     "-o",    folder / "v", "--algorithm", "bpe"};
    command.insert(command.end(), column.begin(), column.end());
    product(run_heed(command));
    const auto vocabulary = text::Vocabulary::load(folder / "v");
    std::string known;
    for (const char* letter : {"b", "y"})
      if (vocabulary.encode(letter).back() != text::kUnknown) known += letter;
    return known;
  };
  EXPECT_EQ(letters({"--column", "source"}), "b");
  EXPECT_EQ(letters({"--column", "target"}), "y");
  EXPECT_EQ(letters({"--column", "both"}), "by");
  EXPECT_EQ(letters({}), "by");
}

TEST(Vocab, ExtendsAnOlderOne) {
  const TemporaryFolder folder;
  write_toy_pairs(folder, "train", 100, 1);
  const std::string old = folder / "old.spm", more = folder / "more.spm";
  product(
      run_heed({"vocab", folder / "train.src", "--size", "32", "--algorithm", "bpe", "-o", old}));
  const std::string text = folder.write("new.tsv", "xyz xyz\tzyx\nxy xyz\tzyx yx\n");
  const Result result = run_heed({"vocab", text, "--extend", old, "--size", "36", "-o", more});
  EXPECT_EQ(product(result), "");
  EXPECT_THAT(result.err, HasSubstr("36 pieces, 4 of them new"));
  const auto before = text::Vocabulary::load(old), after = text::Vocabulary::load(more);
  for (int32_t id = 0; id < 32; ++id) EXPECT_EQ(after.piece(id), before.piece(id));
  EXPECT_EQ(after.decode(after.encode("xyz zyx")), "xyz zyx");
  EXPECT_THAT(run_heed({"vocab", text, "--extend", old, "--size", "99", "-o", more}).err,
              HasSubstr("no more pieces for the 99 of --size"));
  expect_mistake(run_heed({"vocab", text, "--extend", old, "--size", "32", "-o", more}),
                 {"--size", "32 pieces already"});
  expect_mistake(run_heed({"vocab", text, "--extend", old, "--algorithm", "bpe", "-o", more}),
                 {"--extend", "--algorithm"});
  expect_mistake(run_heed({"vocab", text, "--extend", folder / "none", "-o", more}), {"none"});
}

TEST(Vocab, DoesNotReplaceWhatItReads) {
  const TemporaryFolder folder;
  write_toy_pairs(folder, "train", 100, 1);
  const std::string text = folder / "train.src", old = folder / "old.spm",
                    other_name = folder / "./old.spm";
  product(run_heed({"vocab", text, "--size", "32", "--algorithm", "bpe", "-o", old}));
  const std::string before = read_file(text), pieces = read_file(old);
  expect_mistake(run_heed({"vocab", text, "--size", "32", "-o", text}),
                 {text + ": is read by this command", "name another file"});
  expect_mistake(run_heed({"vocab", text, "--extend", old, "--size", "36", "-o", other_name}),
                 {other_name + ": is read by this command"});
  EXPECT_EQ(read_file(text), before);
  EXPECT_TRUE(read_file(old) == pieces);
}

struct Tagged : testing::Test {
  TemporaryFolder folder;
  std::string run = folder / "run";

  /// Pairs of 1 or 2 words whose tag says what the translation is: <back> reverses, <same> copies.
  /// All translations begin with the tag <en>.
  void write_two_languages(const std::string& name, int count, unsigned seed) {
    std::mt19937 random(seed);
    std::string text;
    for (int i = 0; i < count; ++i) {
      const auto word = [&] { return std::string(1, static_cast<char>('a' + random() % 6)); };
      const std::string first = word(), second = word();
      const bool back = random() % 2 == 0;
      text += (back ? "<back> " : "<same> ") + first + " " + second + "\t<en> " +
              (back ? second + " " + first : first + " " + second) + "\n";
    }
    folder.write(name + ".tsv", text);
  }
  std::string write_config(const std::string& train, const std::string& vocabulary, int updates) {
    return folder.write(
        "my.yaml",
        "output: " + run +
            "\nseed: 7\ndevice: cpu\nprecision: fp32\nthreads: 1\nmodel: " + kTransformer +
            "\ntraining: {batch_size: 400, label_smoothing: 0.0, warmup: 10, "
            "learning_rate: 0.01, schedule: cosine, validate_every: 1000, save_every: 1000, "
            "validate_bleu: false, updates: " +
            std::to_string(updates) +
            "}\n"
            "data:\n  train: " +
            train + "\n  valid: {source: " + (folder / "valid.tsv") + "}\n  vocabulary: {" +
            vocabulary + "}\n");
  }
};

TEST_F(Tagged, LanguageTagsAreOnePieceFromTheVocabularyToTheTranslation) {
  write_two_languages("train", 600, 1);
  write_two_languages("valid", 10, 2);
  train_toy(write_config("{source: " + (folder / "train.tsv") + "}",
                         "algorithm: bpe, size: 20, symbols: [<back>, <same>, <en>]", 250),
            {"--set", "model.dropout=0"});
  const auto vocabulary = text::Vocabulary::load(run + "/joint.spm");
  EXPECT_EQ(vocabulary.encode("<back> a b").size(), vocabulary.encode("a b").size() + 1);
  const std::vector<std::string> lines =
      lines_of(product(run_heed({"translate", run}, "<back> a b\n<same> a b\n<back> f c\n")));
  EXPECT_THAT(lines, testing::ElementsAre("<en> b a", "<en> a b", "<en> c f"));
}

TEST_F(Tagged, ACorpusOfBackTranslationsHasATag) {
  folder.write("real.tsv", "a b\tb a\nc d e\te d c\n");
  folder.write("back.tsv", "b a\ta b\nd c\tc d\n");
  folder.write("valid.tsv", "a c\tc a\n");
  const std::string two = "[{source: " + (folder / "real.tsv") +
                          "}, {source: " + (folder / "back.tsv") + ", tag: <bt>}]";
  train_toy(write_config(two, "algorithm: bpe, size: 16", 2));
  const auto vocabulary = text::Vocabulary::load(run + "/joint.spm");
  EXPECT_TRUE(vocabulary.has_symbol("<bt>"));
  // 3 + 5 and 4 + 4 letters, each after a blank or the line's beginning, and two tags.
  const std::string log = read_file(run + "/train.log");
  const auto count = [&](const std::string& line, const std::string& tag) {
    return vocabulary.encode(tag + line).size();
  };
  EXPECT_THAT(log, HasSubstr("2 of 2 pairs, " +
                             std::to_string(count("b a", "<bt> ") + count("d c", "<bt> ")) + " + " +
                             std::to_string(count("a b", "") + count("c d", "")) + " pieces"));
  // A ready vocabulary without the tag is refused, and extended it serves.
  product(run_heed({"vocab", folder / "real.tsv", "--size", "14", "--algorithm", "bpe", "-o",
                    folder / "old.spm"}));
  const std::string ready = write_config(two, "source: " + (folder / "old.spm"), 2);
  expect_mistake(
      run_heed({"-q", "train", ready, "--overwrite"}),
      {"old.spm: the vocabulary has no user-defined symbol '<bt>'", "heed vocab", "--extend"});
  product(run_heed({"vocab", folder / "back.tsv", "--extend", folder / "old.spm", "--symbols",
                    "<bt>", "--size", "15", "-o", folder / "new.spm"}));
  train_toy(write_config(two, "source: " + (folder / "new.spm"), 2), {"--overwrite"});
}

}  // namespace
}  // namespace heed::cli
