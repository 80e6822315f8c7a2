// Symbols of languages that a vocabulary gets when it is trained.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/languages.h"

namespace heed::data {
namespace {

using ::testing::ElementsAre, ::testing::IsEmpty;

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

}  // namespace
}  // namespace heed::data
