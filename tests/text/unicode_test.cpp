#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "text/utf8.h"

namespace heed::text {
namespace {

using testing::ElementsAre;

TEST(LowerCase, FollowsPythonBeyondAscii) {
  EXPECT_EQ(lower_case("ÄÖÜ ΟΔΟΣ ЖУК İ ẞ"), "äöü οδος жук i\u0307 ß");
  // Python 3.11 prints the same: accents that are characters of their own end no word.
  EXPECT_EQ(lower_case("ΟΣ\u0301 ΟΣ\u0301Ο ΟΟ\u0301Σ"), "ος\u0301 οσ\u0301ο οο\u0301ς");
}

TEST(Unicode, ReplacesWhatIsNoUtf8) {
  EXPECT_EQ(encode_utf8(decode_utf8("a\xffz\xc3")), "a\uFFFDz\uFFFD");
  EXPECT_EQ(one_clean_line("a\r\nb"), "a  b");
  EXPECT_THAT(unicode_words("a\u00a0b\u2003c\x1c"), ElementsAre("a", "b", "c"));
}

TEST(Unicode, KnowsEverySeparatorAtWhichAReaderMaySplit) {
  for (const char* separator :
       {"\n", "\v", "\f", "\r", "\x1c", "\x1d", "\x1e", "\u0085", "\u2028", "\u2029"})
    EXPECT_EQ(one_clean_line(std::string("a") + separator + "b"), "a b");
  EXPECT_EQ(one_clean_line(std::string("a\0b", 3)), "a b");
  EXPECT_EQ(one_clean_line("a\tb\u00a0c\x1f"), "a\tb\u00a0c\x1f");
}

}  // namespace
}  // namespace heed::text
