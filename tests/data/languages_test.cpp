#include "data/languages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "data/batch.h"
#include "data/corpus.h"
#include "data/corpus_reader.h"
#include "data/example.h"
#include "message.h"
#include "temporary_folder.h"

namespace heed::data {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Languages : public testing::Test {
 protected:
  text::Vocabulary with(const std::vector<std::string>& symbols) const {
    return text::train_vocabulary(
        {.files = {folder.write("text",
                                "a b c d abcd abc ab bcd cd\ndcba cba ba dcb dc d c b a\n")},
         .size = 20,
         .algorithm = "bpe",
         .symbols = symbols});
  }
  /// The symbols before source and target.
  std::vector<std::string> begin(const DataConfig& config, text::Vocabulary source,
                                 text::Vocabulary target) const {
    begin_with_languages(config, source, target);
    std::vector<std::string> all;
    for (const int32_t id : source.beginning()) all.push_back(source.piece(id));
    all.emplace_back("|");
    for (const int32_t id : target.beginning()) all.push_back(target.piece(id));
    return all;
  }
  static DataConfig of(const std::string& source, const std::string& target) {
    DataConfig config;
    config.source_language = source;
    config.target_language = target;
    return config;
  }

  TemporaryFolder folder;
};

TEST_F(Languages, AreFoundInEveryForm) {
  const auto v = with({"deu_Latn", "__fr__", "<en>", "<2es>", ">>nld<<", "<it>"});
  EXPECT_THAT(languages_of(v), ElementsAre("deu_Latn", "fr", "en", "es", "nld", "it"));
  EXPECT_THAT(begin(of("", ""), v, v), ElementsAre("|"));
  EXPECT_THAT(begin(of("deu_Latn", "fr"), v, v), ElementsAre("deu_Latn", "|", "__fr__"));
  EXPECT_THAT(begin(of("en", "<it>"), v, v), ElementsAre("<en>", "|", "<it>"));
  for (const char* own : {"deu_Latn", "fr", "en", "it"}) EXPECT_TRUE(has_symbol_of(own, v)) << own;
  for (const char* other : {"es", "nld", "a", "zz"}) EXPECT_FALSE(has_symbol_of(other, v)) << other;
  // Symbols that name the target stand before the source.
  EXPECT_THAT(begin(of("", "nld"), v, v), ElementsAre(">>nld<<", "|"));
  EXPECT_THAT(begin(of("en", "es"), v, v), ElementsAre("<en>", "<2es>", "|"));
  EXPECT_THAT(begin(of("", "nld"), with({">>nld<<"}), with({"<de>"})), ElementsAre(">>nld<<", "|"));
}

TEST_F(Languages, AreRefusedByKeyWhereThereIsNoSymbol) {
  const auto some = with({"deu_Latn", "eng_Latn", ">>fra<<"}), none = with({});
  EXPECT_THAT(languages_of(none), IsEmpty());
  const auto refusal = [&](const DataConfig& config, const text::Vocabulary& source,
                           const text::Vocabulary& target) {
    return message_of<UserError>([&] { begin(config, source, target); });
  };
  EXPECT_EQ(refusal(of("deu_Lat", ""), some, some),
            "data.source_language: the vocabulary has no symbol for 'deu_Lat'; did you mean "
            "'deu_Latn'?");
  EXPECT_EQ(refusal(of("", "xyz"), some, some),
            "data.target_language: the vocabulary has no symbol for 'xyz'; allowed: deu_Latn, "
            "eng_Latn, fra");
  EXPECT_EQ(refusal(of("fra", ""), some, some).substr(0, 21), "data.source_language:");
  EXPECT_EQ(refusal(of("de", "fr"), some, none).substr(0, 21), "data.source_language:");
  EXPECT_EQ(refusal(of("", "de"), some, none).substr(0, 21), "data.target_language:");
  // Without symbols they are names.
  EXPECT_THAT(begin(of("de", "en"), none, none), ElementsAre("|"));
}

TEST_F(Languages, ShiftNoLinkOfWords) {
  text::Vocabulary source = with({"<de>", "<en>"}), target = source;
  const auto plain = source;
  begin_with_languages(of("de", "en"), source, target);
  CorpusFiles files;
  files.source = folder.write("c.src", "a b c\n");
  files.target = folder.write("c.tgt", "c d\n");
  files.alignment = folder.write("c.align", "0-1 2-0\n");
  const CorpusReading reading{.keep_text = true, .aligned = true};
  const Corpus with_symbols = read_corpus({files}, source, target, reading),
               without = read_corpus({files}, plain, plain, reading);
  EXPECT_NE(with_symbols.fingerprint(), without.fingerprint());
  for (const bool drawn : {false, true}) {
    const auto pair = [&](const Corpus& corpus) {
      return drawn ? corpus.sample(0, 0.0, 3) : corpus.example(0);
    };
    Example one = pair(without);
    ASSERT_FALSE(one.links.empty());
    one.source.insert(one.source.begin(), source.beginning()[0]);
    one.target.insert(one.target.begin(), target.beginning()[0]);
    for (PieceLink& link : one.links) {
      ++link.source;
      ++link.target;
    }
    EXPECT_EQ(pair(with_symbols).source, one.source);
    EXPECT_EQ(pair(with_symbols).target, one.target);
    EXPECT_EQ(pair(with_symbols).links, one.links);
  }
}

// Symbols of languages that a vocabulary gets when it is trained.

TEST(SymbolsOfFresh, AreThereForLanguagesWithoutOne) {
  DataConfig config;
  EXPECT_THAT(symbols_of_fresh(config), IsEmpty());
  config.source_language = "de";
  config.target_language = "fr";
  EXPECT_THAT(symbols_of_fresh(config), ElementsAre("<de>", "<2fr>"));
  config.target_language = "de";
  EXPECT_THAT(symbols_of_fresh(config), ElementsAre("<de>", "<2de>"));
  config.target_language = "fr";
  config.vocabulary.symbols = {"__fr__", "<x>"};
  EXPECT_THAT(symbols_of_fresh(config), ElementsAre("__fr__", "<x>", "<de>"));
}

TEST(LanguagePairs, AreThoseOfTheConfigurationOrOfTheNamesOfItsFiles) {
  EXPECT_EQ(language_of_file("data/x.y/train.de"), "de");
  EXPECT_EQ(language_of_file("train.en.gz"), "en");
  EXPECT_EQ(language_of_file("train.en.zst"), "en");
  EXPECT_EQ(language_of_file("pairs.tsv"), "");
  EXPECT_EQ(language_of_file("train"), "");
  EXPECT_EQ(language_of_file("memory.tmx.gz#pt-BR"), "pt-BR");
  DataConfig config;
  EXPECT_EQ(language_pair(config).source, "");
  config.valid = {.source = "valid.cs", .target = "valid.sk"};
  EXPECT_EQ(language_pair(config).target, "sk");
  config.train = {{.source = "train.de", .target = "train.en.gz"}, {.source = "more.fr"}};
  config.target_language = "eng_Latn";
  EXPECT_EQ(language_pair(config).source, "de");
  EXPECT_EQ(language_pair(config).target, "eng_Latn");
}

}  // namespace
}  // namespace heed::data
