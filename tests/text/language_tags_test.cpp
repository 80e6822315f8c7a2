#include "text/language_tags.h"

#include <gtest/gtest.h>

namespace heed::text {
namespace {

TEST(LanguageTags, HaveNames) {
  EXPECT_EQ(language_name("de"), "German");
  EXPECT_EQ(language_name("src"), "src");
  EXPECT_EQ(language_called("German"), "de");
  EXPECT_EQ(language_called("german (Austria)"), "de");
  EXPECT_EQ(language_called("Germanic"), "");
  EXPECT_EQ(language_called("German_Austria"), "de");
  EXPECT_EQ(language_called("Chinese - Simplified"), "zh");
  EXPECT_EQ(language_called("German_Def"), "");
  EXPECT_EQ(language_called("FRANÇAIS"), "fr");
  EXPECT_EQ(language_called("Allemand"), "de");
  EXPECT_EQ(language_called("deu"), "de");
  EXPECT_EQ(language_called(""), "");
  EXPECT_TRUE(is_known_language("zh"));
  EXPECT_FALSE(is_known_language("in"));
}

}  // namespace
}  // namespace heed::text
