// Models of several languages, whose symbols begin lines.
#include "cli/toy.h"
#include "quick_scorer.h"

namespace heed::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// A model of three languages, made when the first test asks for it, which no test changes.
struct LanguageRun {
  TemporaryFolder folder;
  std::string run = folder / "run";

  LanguageRun() {
    const QuickScorer scorer;
    write_toy_pairs(folder, "train", 100, 1);
    write_toy_pairs(folder, "valid", 10, 2);
    train_toy(
        write_toy_config(
            folder, {.name = "run",
                     .model = kTransformer,
                     .training = "updates: 30, validate_every: 15, save_every: 30, "
                                 "learning_rate: 0.01",
                     .vocabulary = "size: 36, algorithm: bpe, symbols: [<de>, __fr__, nld_Latn]"}),
        {"--set", "data.source_language=de", "--set", "data.target_language=fr", "--set",
         "training.validate_bleu=true"});
  }
  static const LanguageRun& get() {
    static const LanguageRun made;
    return made;
  }
};

class LanguageSymbols : public testing::Test {
 protected:
  const TemporaryFolder& folder = LanguageRun::get().folder;
  const std::string run = LanguageRun::get().run;

  std::vector<std::string> pieces(const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"attention", run,    "--text", "a b c",
                                       "--layer",   "last", "--head", "0"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return lines_of(product(run_heed(arguments)));
  }
};

TEST_F(LanguageSymbols, BeginEachSideAndAreInNoText) {
  const std::string lines = "a b c\n\nef gh\n";
  const auto german = lines_of(product(run_heed({"translate", run}, lines)));
  ASSERT_EQ(german.size(), 3);
  EXPECT_EQ(german[1], "");
  for (const char* symbol : {"<de>", "__fr__", "nld_Latn"})
    for (const std::string& line : german) EXPECT_THAT(line, Not(HasSubstr(symbol)));
  const std::vector<std::string> other{"--source-language", "nld_Latn", "--target-language", "de"};
  const std::vector<std::string> own = pieces({}), changed = pieces(other);
  // sentence,layer,head,target_position,target_token,source_position,source_token,weight
  EXPECT_THAT(own[1], HasSubstr(",0,\"<s>__fr__\",0,\"<s><de>\","));
  EXPECT_THAT(changed[1], HasSubstr(",0,\"<s><de>\",0,\"<s>nld_Latn\","));
  std::vector<std::string> command{"score", run, folder / "valid.src", folder / "valid.tgt"};
  const std::string scores = product(run_heed(command));
  command.insert(command.end(), other.begin(), other.end());
  EXPECT_NE(product(run_heed(command)), scores);
  command.resize(command.size() - 4);
  command.insert(command.end(), {"--set", "data.source_language=de"});
  EXPECT_EQ(product(run_heed(command)), scores);
}

TEST_F(LanguageSymbols, ShiftNoWordOfAnAlignment) {
  const Result result =
      run_heed({"align", run, "--source", folder / "valid.src", "--target", folder / "valid.tgt"});
  EXPECT_THAT(result.err, Not(HasSubstr("other words")));
  const auto links = lines_of(product(result)), sources = lines_of(read_file(folder / "valid.src"));
  ASSERT_EQ(links.size(), sources.size());
  std::size_t linked = 0;
  for (std::size_t i = 0; i < links.size(); ++i) {
    const std::size_t words = split_words(sources[i]).size();
    for (const std::string& link : split_words(links[i])) {
      EXPECT_LT(std::stoul(link), words);
      EXPECT_LT(std::stoul(link.substr(link.find('-') + 1)), words);
      ++linked;
    }
  }
  EXPECT_GT(linked, 0);
  const auto translated = run_heed({"translate", run, "--alignment", "--scores"}, "a b c\n");
  EXPECT_THAT(translated.err, Not(HasSubstr("other words")));
  EXPECT_EQ(split(lines_of(product(translated)).at(0), '\t').size(), 4);
}

TEST_F(LanguageSymbols, OfAnEnsembleAreTheSame) {
  const TemporaryFolder copies;
  const std::string other = copies / "other";
  std::filesystem::copy(run, other, std::filesystem::copy_options::recursive);
  const std::string both = run + "," + other, config = other + "/config.yaml";
  std::string text = read_file(config);
  const std::string own = "target_language: fr";
  text.replace(text.find(own), own.size(), "target_language: de");
  write_atomic(config, text);
  expect_mistake(run_heed({"translate", both}, "a\n"),
                 {run, other, "different languages", "--target-language"});
  EXPECT_EQ(product(run_heed({"translate", both, "--target-language", "de"}, "a b\n")),
            product(run_heed({"translate", run, "--target-language", "de"}, "a b\n")));
}

TEST_F(LanguageSymbols, ThatAreNotThereAreRefused) {
  EXPECT_THAT(product(run_heed({"inspect", run})),
              HasSubstr("symbols, as of languages: de, fr, nld_Latn"));
  expect_mistake(run_heed({"translate", run, "--target-language", "nl"}, "a\n"),
                 {"data.target_language: the vocabulary has no symbol for 'nl'"});
  expect_mistake(run_heed({"translate", run, "--source-language", "nld_Lat"}, "a\n"),
                 {"data.source_language", "did you mean 'nld_Latn'?"});
}

}  // namespace
}  // namespace heed::cli
