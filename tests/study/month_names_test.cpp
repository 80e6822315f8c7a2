// Names of months in the languages whose number words are known.
#include "study/month_names.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <initializer_list>
#include <utility>

namespace heed::study {
namespace {

TEST(MonthNames, AreFoundInManyLanguages) {
  for (const auto& [text, month] :
       std::initializer_list<std::pair<const char*, std::size_t>>{{"on 3 January 2021", 1},
                                                                  {"Dec. 25", 12},
                                                                  {"im März", 3},
                                                                  {"le 3 août", 8},
                                                                  {"el 4 de enero", 1},
                                                                  {"4 settembre", 9},
                                                                  {"4 de outubro", 10},
                                                                  {"4 maart", 3},
                                                                  {"den 4 oktober", 10},
                                                                  {"4. desember", 12},
                                                                  {"4 listopada", 11},
                                                                  {"4 мая", 5},
                                                                  {"٤ يوليو", 7},
                                                                  {"۴ دسامبر", 12},
                                                                  {"४ दिसंबर", 12},
                                                                  {"八月四日", 8}}) {
    const auto named = months_named_in(text);
    EXPECT_TRUE(named.test(month - 1)) << text;
    EXPECT_EQ(named.count(), 1U) << text;
  }
}

TEST(MonthNames, AreNoOtherWords) {
  EXPECT_TRUE(months_named_in("A list of decent markets, octets and novels, long ago.").none());
  EXPECT_TRUE(months_named_in("").none());
}

}  // namespace
}  // namespace heed::study
