#include "http/message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace heed::http {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(Form, HasFieldsInTheirOrder) {
  EXPECT_THAT(urlencoded_fields("q=a+b%26c&q=%C3%A9&x=%c3%A9%2B1"),
              ElementsAre(Pair("q", "a b&c"), Pair("q", "\u00e9"), Pair("x", "\u00e9+1")));
  EXPECT_THAT(urlencoded_fields("a+%3D=1&b&c=&=d"),
              ElementsAre(Pair("a =", "1"), Pair("b", ""), Pair("c", ""), Pair("", "d")));
  EXPECT_THAT(urlencoded_fields("&&a=1&"), ElementsAre(Pair("a", "1")));
  EXPECT_THAT(urlencoded_fields(""), IsEmpty());
}

TEST(Form, KeepsTextThatIsNotEncoded) {
  EXPECT_THAT(urlencoded_fields("q=a\nb\r\n\nc&d=e\n"),
              ElementsAre(Pair("q", "a\nb\r\n\nc"), Pair("d", "e\n")));
  EXPECT_THAT(urlencoded_fields("q=1+1=2=&d=="), ElementsAre(Pair("q", "1 1=2="), Pair("d", "=")));
  EXPECT_THAT(urlencoded_fields("q=50%&d=%4&e=%zz%4g%%41%"),
              ElementsAre(Pair("q", "50%"), Pair("d", "%4"), Pair("e", "%zz%4g%A%")));
  const std::string odd = {'a', '\0', 'b', '\xff'};
  EXPECT_THAT(urlencoded_fields("q=a%00b%FF"), ElementsAre(Pair("q", odd)));
}

}  // namespace
}  // namespace heed::http
