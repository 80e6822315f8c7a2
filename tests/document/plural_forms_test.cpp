#include "document/plural_forms.h"

#include <gtest/gtest.h>

#include <string>

namespace heed::document {
namespace {

TEST(PluralForms, AreCountedAndOneHasItsForm) {
  const auto forms = [](const std::string& header) {
    const auto found = plural_forms(header);
    return found ? std::to_string(found->count) + " " + std::to_string(found->of_one) : "none";
  };
  EXPECT_EQ(forms("nplurals=1; plural=0;"), "1 0");
  EXPECT_EQ(forms(" nplurals = 2 ; plural = n != 1 ; "), "2 0");
  EXPECT_EQ(forms("nplurals=2; plural=n == 1"), "2 1");
  EXPECT_EQ(forms("nplurals=3; plural=n%10==1 && n%100!=11 ? 2 : n >= 2 ? 0 : 1;"), "3 2");
  EXPECT_EQ(forms("nplurals=5; plural=(n%2)*5/2+8/4-!(n<=1)+!(n>0);"), "5 4");
  EXPECT_EQ(forms("nplurals=INTEGER; plural=EXPRESSION;"), "none");
  EXPECT_EQ(forms("nplurals=1; plural=n;"), "none");
  EXPECT_EQ(forms("nplurals=2; plural=n % 0;"), "none");
  EXPECT_EQ(forms("nplurals=2; plural=(n != 1;"), "none");
  EXPECT_EQ(forms("nplurals=2; plural=" + std::string(1000, '(') + ";"), "none");
  EXPECT_EQ(forms("nplurals=0; plural=0;"), "none");
  EXPECT_EQ(forms(""), "none");
}

TEST(PluralForms, EachNumberUpToAThousandHasAForm) {
  const auto is_one = [](const std::string& header) { return plural_forms(header).has_value(); };
  // As msgfmt -c (gettext 0.21), but for the number of forms, which it compares with messages.
  EXPECT_FALSE(is_one("nplurals=2; plural=n;"));           // values as large as 1000
  EXPECT_FALSE(is_one("nplurals=2; plural=n-1;"));         // without a sign: 18446744073709551615
  EXPECT_TRUE(is_one("nplurals=2; plural=n-1<1;"));        // without a sign: only 1 is less
  EXPECT_FALSE(is_one("nplurals=2; plural=1/n;"));         // division by zero
  EXPECT_TRUE(is_one("nplurals=2; plural=n ? 1/n : 0;"));  // of which nobody asks the result
  EXPECT_TRUE(is_one("nplurals=2; plural=n && 1/n;"));
  EXPECT_FALSE(is_one("nplurals=2; plural=n==1000 ? 2 : 0;"));
  EXPECT_FALSE(is_one("nplurals=1000000000; plural=0;"));  // of no language
  EXPECT_FALSE(is_one("nplurals=INTEGral-Forms: nplurals=INTEGER; plural=EXPRESSION;"));
  EXPECT_FALSE(is_one("nplurals=2; plural=-n;"));
  EXPECT_FALSE(is_one("nplurals=2; plural=" + std::string(3000, '1') + ";"));
}

TEST(PluralForms, TheFormOfOneMayBeThatOfOtherNumbers) {
  const auto is_shared = [](const std::string& language) {
    return plural_forms(plural_header(language))->is_shared;
  };
  EXPECT_FALSE(is_shared("de"));
  EXPECT_FALSE(is_shared("fr"));  // 0 and 1
  EXPECT_TRUE(is_shared("ru"));   // 1, 21, 31
}

TEST(PluralForms, OfLanguagesCanBeRead) {
  for (const auto& [language, count] : {std::pair{"ja", 1},
                                        {"de_AT", 2},
                                        {"pt-BR", 2},
                                        {"ru", 3},
                                        {"pl", 3},
                                        {"sl", 4},
                                        {"ga", 5},
                                        {"ar", 6}}) {
    const auto found = plural_forms(plural_header(language));
    ASSERT_TRUE(found) << language;
    EXPECT_EQ(found->count, count) << language;
    EXPECT_EQ(found->of_one, std::string(language) == "ar" ? 1 : 0) << language;
  }
  EXPECT_EQ(plural_header("tlh"), "");
  EXPECT_EQ(plural_header("target"), "");
}

}  // namespace
}  // namespace heed::document
