#include "serve/translated_files.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace heed::serve {
namespace {

TEST(TranslatedFiles, AreFoundByTheirKeysForHalfAnHour) {
  TranslatedFiles files;
  const auto now = TranslatedFiles::Clock::now();
  const std::string first = files.add("../x/film.srt", "a", now),
                    second = files.add("C:\\film.srt", "bc", now);
  EXPECT_EQ(first.size(), 32);
  EXPECT_NE(first, second);
  EXPECT_EQ(files.find(first, now)->name, "film.srt");
  EXPECT_EQ(files.find(second, now)->name, "film.srt");
  EXPECT_EQ(files.find(second, now)->bytes, "bc");
  EXPECT_FALSE(files.find("", now).has_value());
  EXPECT_TRUE(files.find(first, now + std::chrono::minutes(30)).has_value());
  EXPECT_FALSE(files.find(first, now + std::chrono::minutes(31)).has_value());
}

TEST(TranslatedFiles, TheOldestGoWhereAllAreTooLarge) {
  TranslatedFiles files(10);
  const std::string first = files.add("a", std::string(6, 'a')),
                    second = files.add("b", std::string(4, 'b'));
  EXPECT_TRUE(files.find(first).has_value());
  const std::string third = files.add("c", "c");
  EXPECT_FALSE(files.find(first).has_value());
  EXPECT_TRUE(files.find(second).has_value());
  const std::string large = files.add("d", std::string(11, 'd'));
  EXPECT_FALSE(files.find(second).has_value() || files.find(third).has_value());
  EXPECT_EQ(files.find(large)->bytes.size(), 11);
}

}  // namespace
}  // namespace heed::serve
