#include "data/config.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "config/sound_schema.h"
#include "message.h"

namespace heed::data {
namespace {

std::string wrong(const DataConfig& config) {
  return message_of<config::ConfigError>([&] { check(config); });
}

TEST(DataConfig, IsASoundSchemaWhoseDefaultsPass) {
  config::expect_sound_schema<DataConfig>("data");
  EXPECT_EQ(wrong({}), "(nothing thrown)");
}

TEST(DataConfig, FilesComeInPairs) {
  DataConfig config;
  config.valid.source = "valid.de";
  const std::string no_file = "target: no file is given; only a .tsv file has both sides";
  EXPECT_EQ(wrong(config), "data.valid." + no_file);
  config.valid.target = "valid.en";
  EXPECT_EQ(wrong(config), "(nothing thrown)");
  config.train.resize(1);
  EXPECT_EQ(wrong(config), "data.train.source: no file is given");
  config.train[0] = {.source = "a.de", .target = "a.en"};
  config.train.push_back({.source = "b.de"});
  EXPECT_EQ(wrong(config), "data.train.1." + no_file);
}

TEST(DataConfig, CorporaThatAreNamedHaveTheirKeysInOneOrder) {
  DataConfig config;
  config.test = {.source = "t.tsv"};
  config.more_valid = {{.name = "talks", .source = "v.tsv"}};
  config.train = {{.source = "a.tsv"}, {.source = "b.de", .target = "b.en"}};
  for (const auto& [key, files] : corpora_of(config)) files->source = "new " + files->source;
  std::string found;
  for (const auto& [key, files] : corpora_of(std::as_const(config)))
    found += key + " " + files->source + "; ";
  EXPECT_EQ(found,
            "data.train.0 new a.tsv; data.train.1 new b.de; data.more_valid.0 new v.tsv; data.test "
            "new t.tsv; ");
  EXPECT_TRUE(corpora_of(DataConfig{}).empty());
}

TEST(DataConfig, ATsvFileAndAStreamHaveBothSides) {
  DataConfig config;
  for (const char* path : {"a.tsv", "a.tsv.gz", "a.tsv.zst", "-", "/dev/fd/63"}) {
    config.train = {{.source = path}};
    EXPECT_EQ(wrong(config), "(nothing thrown)") << path;
  }
  EXPECT_EQ(files_text("a.tsv", ""), "a.tsv");
  EXPECT_EQ(files_text("a.de", "a.en"), "a.de + a.en");
}

TEST(DataConfig, StreamsAreRefusedWhereTheyWouldBeReadTwice) {
  DataConfig config;
  config.train = {{.source = "a.tsv"}};
  const auto message = [&] {
    return message_of<UserError>([&] { require_files(config, "heed bottleneck"); });
  };
  EXPECT_EQ(message(), "(nothing thrown)");
  config.train.push_back({.source = "-"});
  EXPECT_EQ(message(),
            "data.train.1: '-' can be read only once, and heed bottleneck reads it several times; "
            "save it to a file");
}

TEST(DataConfig, TagsAreSymbolsOfTheSourceVocabulary) {
  DataConfig config;
  config.vocabulary.symbols = {"<de>", "<bt>"};
  config.train = {{.source = "a.tsv"},
                  {.source = "b.tsv", .tag = "<bt>"},
                  {.source = "c.tsv", .tag = "<noisy>"},
                  {.source = "d.tsv", .tag = "<noisy>"}};
  EXPECT_EQ(wrong(config), "(nothing thrown)");
  EXPECT_EQ(source_symbols(config), (std::vector<std::string>{"<de>", "<bt>", "<noisy>"}));
  config.train[1].tag = "back translation";
  EXPECT_EQ(wrong(config),
            "data.train.1.tag: the symbol 'back translation' has a blank, a comma, a quotation "
            "mark or U+2581 in it");
  config.train[1].tag = "";
  config.valid = {.source = "v.tsv", .tag = "<bt>"};
  EXPECT_EQ(wrong(config), "data.valid.tag: only training corpora have a tag");
  config.valid = {};
  config.test = {.source = "v.tsv", .alignment = "v.align"};
  EXPECT_EQ(wrong(config), "data.test.alignment: only training corpora have an alignment");
}

TEST(DataConfig, OnlyTrainingCorporaHaveAWeightAndValidHasNoName) {
  DataConfig config;
  config.train = {{.source = "a.tsv", .weight = 2}};
  config.valid = {.source = "v.tsv"};
  config.more_valid = {{.name = "talks", .source = "t.tsv"}};
  EXPECT_EQ(wrong(config), "(nothing thrown)");
  config.more_valid[0].weight = 0.5;
  EXPECT_EQ(wrong(config), "data.more_valid.0.weight: only training corpora have a weight");
  config.more_valid[0].weight = 1;
  config.valid.name = "captions";
  EXPECT_EQ(wrong(config),
            "data.valid.name: only data.train and the sets of data.more_valid have one");
}

TEST(DataConfig, EachSetOfMoreValidHasItsFiles) {
  DataConfig config;
  config.more_valid = {{.name = "news", .source = "n.tsv"}, {.name = "talks"}};
  EXPECT_EQ(wrong(config), "data.more_valid.1.source: no file is given");
  config.more_valid[1].target = "t.en";
  EXPECT_EQ(wrong(config), "data.more_valid.1.source: no file is given");
  config.more_valid[1].source = "t.en";
  EXPECT_EQ(wrong(config), "data.more_valid.1: source and target are the same file, 't.en'");
  config.more_valid[1].source = "t.de";
  EXPECT_EQ(wrong(config), "(nothing thrown)");
}

TEST(DataConfig, AFileIsNotItsOwnTranslation) {
  DataConfig config;
  config.test = {.source = "a.de", .target = "a.de"};
  EXPECT_EQ(wrong(config), "data.test: source and target are the same file, 'a.de'");
}

TEST(DataConfig, ATranslationMemoryHasALanguageForEachSide) {
  DataConfig config;
  config.test = {.source = "m.tmx#de", .target = "m.tmx#en"};
  EXPECT_EQ(wrong(config), "(nothing thrown)");
  for (const char* source : {"m.tmx#de", "m.tmx"}) {
    config.test = {.source = source};
    EXPECT_EQ(wrong(config),
              "data.test: a translation memory has a side for each of its languages; name both, "
              "source: m.tmx#de and target: m.tmx#en for German and English");
  }
  config.test = {.source = "m.tmx#de", .target = "m.tmx#de"};
  EXPECT_EQ(wrong(config), "data.test: source and target are the same file, 'm.tmx#de'");
}

TEST(DataConfig, ATsvFileHasNoOtherFileBesideIt) {
  DataConfig config;
  config.train = {{.source = "p.tsv.gz", .target = "c.en"}};
  EXPECT_EQ(wrong(config),
            "data.train: p.tsv.gz has both sides, as its name says, and c.en is given with it; "
            "rename it if it has one side, or give it alone");
  config.train = {{.source = "c.de", .target = "p.tsv"}};
  EXPECT_EQ(wrong(config),
            "data.train: p.tsv has both sides, as its name says, and c.de is given with it; "
            "rename it if it has one side, or give it alone");
}

TEST(DataConfig, WhatMayBeCleanedAwayHasNames) {
  const config::EachOneOf flaws{flaw_names};
  EXPECT_EQ(flaws({"duplicates", "encoding"}), "");
  EXPECT_EQ(flaws({}), "");
  EXPECT_EQ(flaws({"overlap", "duplicate"}),
            "unknown value 'duplicate'; did you mean 'duplicates'?");
}

TEST(DataConfig, AJointVocabularyIsOneModel) {
  DataConfig config;
  config.vocabulary.source = "joint.spm";
  EXPECT_EQ(wrong(config), "(nothing thrown)");
  config.vocabulary.target = "en.spm";
  EXPECT_EQ(wrong(config),
            "data.vocabulary.target: with kind: joint there is one model, vocabulary.source; leave "
            "this empty, or set "
            "kind: separate");
  config.vocabulary.kind = VocabularyKind::separate;
  EXPECT_EQ(wrong(config), "(nothing thrown)");
}

TEST(DataConfig, KeysOfPiecesAreForThemAlone) {
  DataConfig config;
  config.pieces = true;
  EXPECT_EQ(wrong(config),
            "data.pieces: is for data.vocabulary.algorithm: pieces; set that, or leave it out");
  config.pieces = false;
  config.vocabulary.codes = {"bpe.codes"};
  EXPECT_TRUE(wrong(config).starts_with("data.vocabulary.codes: is for "));
  config.vocabulary.algorithm = VocabularyAlgorithm::pieces;
  EXPECT_EQ(wrong(config), "(nothing thrown)");
  config.vocabulary.codes.emplace_back("other.codes");
  EXPECT_EQ(wrong(config), "data.vocabulary.codes: 2 files; with kind: joint there are at most 1");
  config.vocabulary.kind = VocabularyKind::separate;
  EXPECT_EQ(wrong(config), "(nothing thrown)");
  config.vocabulary.codes.clear();
  config.vocabulary.split_unknown = true;
  EXPECT_TRUE(wrong(config).starts_with("data.vocabulary.split_unknown: "));
}

TEST(DataConfig, WhatChangesTextDoesNotGoWithPieces) {
  const auto wrong_with = [](auto set) {
    DataConfig config;
    config.vocabulary.algorithm = VocabularyAlgorithm::pieces;
    set(config);
    const std::string message = wrong(config);
    return message.substr(0, message.find(':'));
  };
  EXPECT_EQ(wrong_with([](DataConfig& config) { config.subword_sampling = 0.1; }),
            "data.subword_sampling");
  EXPECT_EQ(wrong_with([](DataConfig& config) { config.noise.typos = 0.1; }), "data.noise");
  EXPECT_EQ(wrong_with([](DataConfig& config) { config.vocabulary.coverage = 0.99; }),
            "data.vocabulary.coverage");
  EXPECT_EQ(wrong_with([](DataConfig& config) { config.vocabulary.byte_fallback = true; }),
            "data.vocabulary.byte_fallback");
  EXPECT_EQ(wrong_with([](DataConfig& config) { config.vocabulary.normalise = Normalise::nfc; }),
            "data.vocabulary.normalise");
  const auto aligned = [](bool pieces) {
    return [pieces](DataConfig& config) {
      config.train.resize(1);
      config.train[0].source = "a";
      config.train[0].target = "b";
      config.train[0].alignment = "links";
      config.pieces = pieces;
    };
  };
  EXPECT_EQ(wrong_with(aligned(false)), "data.train.alignment");
  EXPECT_EQ(wrong_with(aligned(true)), "(nothing thrown)");
}

}  // namespace
}  // namespace heed::data
