#include "data/config.h"

#include <gtest/gtest.h>

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
  EXPECT_EQ(wrong(config), "data.valid.target: no file is given");
  config.valid.target = "valid.en";
  EXPECT_EQ(wrong(config), "(nothing thrown)");
  config.train.resize(1);
  EXPECT_EQ(wrong(config), "data.train.source: no file is given");
  config.train[0] = {.source = "a.de", .target = "a.en"};
  config.train.push_back({.source = "b.de"});
  EXPECT_EQ(wrong(config), "data.train.1.target: no file is given");
}

TEST(DataConfig, AFileIsNotItsOwnTranslation) {
  DataConfig config;
  config.test = {.source = "a.de", .target = "a.de"};
  EXPECT_EQ(wrong(config), "data.test: source and target are the same file, 'a.de'");
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

}  // namespace
}  // namespace heed::data
