#include "config/schema.h"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "config/sound_schema.h"
#include "config/toy_config.h"
#include "config/view.h"

namespace heed::config {
namespace {

struct Bad {
  HEED_CONFIG(Bad);
  HEED_FIXED(int64_t, size, 0, "No full stop", (Between<int64_t>{1, 2}))
};

TEST(Schema, FieldsAreVisitedInTheOrderOfDeclaration) {
  ToyConfig toy;
  EXPECT_EQ(keys_of(view(toy)), (std::vector<std::string>{"name", "quick", "ends", "words", "train",
                                                          "model", "training"}));
}

TEST(Schema, AStructIsPlainToUse) {
  ToyConfig toy;
  EXPECT_EQ(toy.model.hidden_size, 512);
  EXPECT_EQ(toy.training.betas, (std::vector<double>{0.9, 0.98}));
  toy.model.colour = Colour::light_blue;
  EXPECT_EQ(name_of(toy.model.colour), "light_blue");
  EXPECT_EQ(name_of(Colour::auto_), "auto");
}

TEST(Schema, AllPathsGoIntoSectionsAndLists) {
  ToyConfig toy;
  const auto paths = all_paths(view(toy));
  for (const char* path : {"name", "train", "train.source", "training.early_stopping.patience"})
    EXPECT_NE(std::find(paths.begin(), paths.end(), path), paths.end()) << path;
  EXPECT_EQ(paths.size(), 18U);
}

TEST(Schema, BetweenIncludesItsEndsAndNoNan) {
  const Between<double> between{0.0, 0.9};
  EXPECT_EQ(between(0.0), "");
  EXPECT_EQ(between(0.9), "");
  EXPECT_EQ(between(0.95), "got 0.95, expected in [0, 0.9]");
  EXPECT_EQ(between(std::nan("")), "got nan, expected in [0, 0.9]");
  EXPECT_EQ(between(std::numeric_limits<double>::infinity()), "got inf, expected in [0, 0.9]");
}

TEST(Schema, NumbersAreWrittenShortAndExact) {
  EXPECT_EQ(number_text(1e9), "1000000000");
  EXPECT_EQ(number_text(1e-8), "1e-08");
  EXPECT_EQ(number_text(0.1), "0.1");
  EXPECT_EQ(number_text(-3), "-3");
}

TEST(Schema, EachBetweenNamesTheFirstOffender) {
  EXPECT_EQ((EachBetween<int64_t>{1, 7}({3, 8, 9})), "got 8, expected in [1, 7]");
  EXPECT_EQ((EachBetween<int64_t>{1, 7}({})), "");
}

TEST(Schema, TheCheckOfSchemasFindsABadOne) {
  testing::TestPartResultArray failures;
  {
    const testing::ScopedFakeTestPartResultReporter reporter(
        testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &failures);
    expect_sound_schema<Bad>("bad");
  }
  EXPECT_EQ(failures.size(), 2);
  expect_sound_schema<ToyConfig>("");
}

}  // namespace
}  // namespace heed::config
