#include "text/kept.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heed::text {
namespace {

using testing::IsEmpty;
using testing::UnorderedElementsAre;

std::vector<std::string> items_of(const std::string& name, const std::string& text) {
  std::vector<std::string> out;
  for (const auto& [item, times] : kept_items_in(text, kept_of({name})))
    for (int64_t i = 0; i < times; ++i) out.push_back(item);
  return out;
}

TEST(Kept, Addresses) {
  EXPECT_THAT(items_of("urls", "see https://x.de/a_(b)?c=1&d=%20#e, (www.y.org), mailto:a@b.c."),
              UnorderedElementsAre("https://x.de/a_(b)?c=1&d=%20#e", "www.y.org", "mailto:a@b.c"));
  EXPECT_THAT(items_of("urls", "ftp://ä.de/ü http://x.jp/a<b>"),
              UnorderedElementsAre("ftp://ä.de/ü", "http://x.jp/a"));
  EXPECT_THAT(items_of("urls", "http:// www. xhttp://a.b äwww.a.b"), IsEmpty());
  EXPECT_THAT(items_of("emails", "a.b+c@d-e.org. <x@y.zz>, no@host, @x.de a@b.c1, x@y..zz"),
              UnorderedElementsAre("a.b+c@d-e.org", "x@y.zz"));
}

TEST(Kept, AddressesOfAnyLength) {
  const std::string letters(1200, 'a'), umlauts = [] {
    std::string out;
    for (int i = 0; i < 600; ++i) out += "ä";
    return out;
  }();
  for (const std::string& path : {letters, umlauts})
    EXPECT_THAT(items_of("urls", "see https://x.org/" + path + ". Then"),
                UnorderedElementsAre("https://x.org/" + path));
}

TEST(Kept, AnyPunctuationIsBesideWords) {
  EXPECT_THAT(items_of("urls", "„https://x.org“ «www.y.org» HTTPS://Z.ORG.，then 你www.a.cn。"),
              UnorderedElementsAre("https://x.org", "www.y.org", "HTTPS://Z.ORG", "www.a.cn"));
  EXPECT_THAT(items_of("numbers", "£5 €50 §7 10–20 n°5 hat\u00A030 第8章"),
              UnorderedElementsAre("5", "50", "7", "10", "20", "5", "30", "8"));
  EXPECT_THAT(items_of("emails", "„a@b.de“"), UnorderedElementsAre("a@b.de"));
}

// A megabyte; what looks at it again and again takes an hour.
TEST(Kept, LongTextsAreReadOnce) {
  std::string zeros;
  for (int i = 0; i < 1000; ++i) zeros += "%" + std::string(998, '0') + "x";
  EXPECT_THAT(items_of("placeholders", zeros), IsEmpty());
}

TEST(Kept, Numbers) {
  EXPECT_THAT(items_of("numbers", "5, 1.000,50 12:30 1/2/24. 5km A4 7 7-8"),
              UnorderedElementsAre("5", "1.000,50", "12:30", "1/2/24", "5", "7", "7", "8"));
  EXPECT_THAT(items_of("numbers", "x5 \u00E45 H2O"), IsEmpty());
}

TEST(Kept, Placeholders) {
  EXPECT_THAT(
      items_of("placeholders",
               "{a} {0} {{ b c }} ${d} %{e} #{f} %s %d%% %1$lld %-5.2f %0-5d %(g)s %1 <x id='1'/>"),
      UnorderedElementsAre("{a}", "{0}", "{{ b c }}", "${d}", "%{e}", "#{f}", "%s", "%d", "%1$lld",
                           "%-5.2f", "%0-5d", "%(g)s", "%1", "<x id='1'/>"));
  EXPECT_THAT(items_of("placeholders", "{a b} 5%s 100 % sicher %sicher {{ {a <b> <b c/"),
              IsEmpty());
}

TEST(Kept, OnlyWhatIsNamed) {
  EXPECT_THAT(kept_items_in("http://a.b 5 {x} a@b.cd", KeepOptions()), IsEmpty());
  EXPECT_THAT(items_of("emails", "http://a.b 5 {x}"), IsEmpty());
  EXPECT_FALSE(kept_of({}).any());
  KeepOptions kept = kept_of({"numbers"});
  EXPECT_TRUE(kept_item_at("5", 0, kept).stays);
  kept.taken = {"5"};
  EXPECT_FALSE(kept_item_at("5", 0, kept).stays);
  EXPECT_EQ(kept_item_at("5", 0, kept).bytes, 1U);
}

}  // namespace
}  // namespace heed::text
