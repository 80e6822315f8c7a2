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
  EXPECT_THAT(items_of("urls", "{https://a.org/{id}}, [www.b.org/c[1]] and (http://d.e/{f}/g}."),
              UnorderedElementsAre("https://a.org/{id}", "www.b.org/c[1]", "http://d.e/{f}/g"));
  EXPECT_THAT(items_of("urls", "ftp://ä.de/ü http://x.jp/a<b>"),
              UnorderedElementsAre("ftp://ä.de/ü", "http://x.jp/a"));
  EXPECT_THAT(items_of("urls", "http:// www. xhttp://a.b äwww.a.b"), IsEmpty());
  EXPECT_THAT(items_of("emails", "a.b+c@d-e.org. <x@y.zz>, no@host, @x.de a@b.c1, x@y..zz"),
              UnorderedElementsAre("a.b+c@d-e.org", "x@y.zz"));
}

std::vector<std::string> names_in(const std::string& text) {
  std::vector<std::string> out;
  for (const auto& [item, times] : kept_items_in(text, {.names = true})) out.push_back(item);
  return out;
}

TEST(Kept, Files) {
  EXPECT_THAT(names_in("Edit config.yaml. \"src/main.cpp\", (README.TXT), a/b-c_d.tar.gz: main.c!"),
              UnorderedElementsAre("config.yaml", "src/main.cpp", "README.TXT", "a/b-c_d.tar.gz",
                                   "main.c"));
  EXPECT_THAT(names_in("/etc/heed/x, ~/.profile; ../y ./run C:\\a\\b.doc /usr/share/doc/."),
              UnorderedElementsAre("/etc/heed/x", "~/.profile", "../y", "./run", "C:\\a\\b.doc",
                                   "/usr/share/doc"));
  EXPECT_THAT(names_in("and/or, km/h, 24/7, TCP/IP /s d.h. z.B. u.a.m. Ende.Das example.org 1.5 "
                       "a.py( x.txté äx.md config.Yaml .txt ... // a=b.txt"),
              IsEmpty());
  EXPECT_THAT(items_of("urls", "config.yaml /etc/hosts.conf user_name"), IsEmpty());
}

TEST(Kept, NamesOfPrograms) {
  EXPECT_THAT(
      names_in("Set min_copier_version, (MERGE_HEAD) or \"INSTALLED_APPS\": max_len_2. x86_64!"),
      UnorderedElementsAre("min_copier_version", "MERGE_HEAD", "INSTALLED_APPS", "max_len_2",
                           "x86_64"));
  EXPECT_THAT(
      names_in("settings.INSTALLED_APPS, std::is_same::value get_user() f_name(x) is_valid"),
      UnorderedElementsAre("settings.INSTALLED_APPS", "std::is_same::value", "get_user()",
                           "f_name(x)", "is_valid"));
  EXPECT_THAT(
      names_in(
          "see da/LC_MESSAGES/a.mo, A.\\_b_name, \\_run_it, set_to('x') set_a(b, c) get_it(x."),
      UnorderedElementsAre("da/LC_MESSAGES/a.mo", "A.\\_b_name", "\\_run_it", "set_to('x')",
                           "get_it"));
  EXPECT_THAT(
      names_in("$MERGE_HEAD %USER_NAME% --dry_run @on_load _private_name name__in_list see_\\_"
               " min\\_copier\\_version"),
      UnorderedElementsAre("$MERGE_HEAD", "%USER_NAME%", "--dry_run", "@on_load", "_private_name",
                           "name__in_list", "min\\_copier\\_version"));
  EXPECT_THAT(
      names_in("de_DE pt_BR progress_bar-Option 用get_user取 foo_bar=1 a.foo_bar."),
      UnorderedElementsAre("de_DE", "pt_BR", "progress_bar", "get_user", "foo_bar", "a.foo_bar"));
  EXPECT_THAT(names_in("Leser_innen leser_innen LESER_INNEN jede_r student_in der_die einer_eines "
                       "tod_s niño_a __init__ __two_words__ _two_words_ _very_ a_b o_o the____cat "
                       "MyClass_name größe_max max_größe foo_bar@ 1_000 x__y__z"),
              IsEmpty());
}

TEST(Kept, FilesAreAlsoAddressesWithOtherSchemes) {
  EXPECT_THAT(names_in("See weblate://project/component, (git+ssh://a.org/b) or x://."),
              UnorderedElementsAre("weblate://project/component", "git+ssh://a.org/b"));
  EXPECT_THAT(names_in("Take docs/screenshots/*.png, *.txt, **/*.py and 2*3, *one* or **two**."),
              UnorderedElementsAre("docs/screenshots/*.png", "*.txt", "**/*.py"));
  EXPECT_THAT(names_in("Use %23Weblate or a%20b%20c, %20 of %20lik."),
              UnorderedElementsAre("%23Weblate"));
  EXPECT_THAT(names_in("Go to http://<user>@a.org/b, git://a/{c}/d or e://<f g>"),
              UnorderedElementsAre("http://<user>@a.org/b", "git://a/{c}/d"));
  EXPECT_THAT(kept_items_in("weblate://a/b", {.urls = true}), testing::IsEmpty());
}

TEST(Kept, AddressesEndWhereAnotherScriptBegins) {
  EXPECT_THAT(items_of("urls",
                       "请看 https://example.org/a。然后 访问https://example.org/b查看详情。 "
                       "https://x.kr/c2를 www.y.jp/dを смотри https://z.ru/eи"),
              UnorderedElementsAre("https://example.org/a", "https://example.org/b",
                                   "https://x.kr/c2", "www.y.jp/d", "https://z.ru/e"));
  EXPECT_THAT(
      items_of("urls", "https://zh.wikipedia.org/wiki/中国 http://пример.рф/путь2 http://ü.de/é"),
      UnorderedElementsAre("https://zh.wikipedia.org/wiki/中国", "http://пример.рф/путь2",
                           "http://ü.de/é"));
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
              UnorderedElementsAre("5", "50", "7", "10–20", "5", "30", "8"));
  EXPECT_THAT(items_of("emails", "„a@b.de“"), UnorderedElementsAre("a@b.de"));
}

// A megabyte; what looks at it again and again takes an hour.
TEST(Kept, LongTextsAreReadOnce) {
  std::string zeros;
  for (int i = 0; i < 1000; ++i) zeros += "%" + std::string(998, '0') + "x";
  EXPECT_THAT(items_of("placeholders", zeros), IsEmpty());
  std::string keys, dashes;
  for (int i = 0; i < 200000; ++i) keys += "q:", dashes += "1-";
  EXPECT_THAT(items_of("numbers", keys + "1"), UnorderedElementsAre("1"));
  EXPECT_THAT(items_of("numbers", dashes + "1"), UnorderedElementsAre(dashes + "1"));
}

TEST(Kept, Numbers) {
  EXPECT_THAT(items_of("numbers", "5, 1.000,50 12:30 1/2/24. 5km A4 7 7-8"),
              UnorderedElementsAre("5", "1.000,50", "12:30", "1/2/24", "5", "7", "7-8"));
  EXPECT_THAT(items_of("numbers",
                       "2021-04-03T10:30:00Z 2021-04-03T10:30+02:00 2021-04-03Tx 1_000 "
                       "555-123-4567 10-20 1-2-3"),
              UnorderedElementsAre("2021-04-03T10:30:00Z", "2021-04-03T10:30+02:00", "2021-04-03",
                                   "1_000", "555-123-4567", "10-20", "1-2-3"));
  EXPECT_THAT(items_of("numbers", "v1.2.3 T10:30 a1,5"), IsEmpty());
  EXPECT_THAT(items_of("numbers", "x5 \u00E45 H2O"), IsEmpty());
}

// A part that comes back alone, or in another place, makes another number.
TEST(Kept, NumbersAreWhole) {
  for (const char* item : {"978-3-16-148410-0",
                           "3-16-148410-X",
                           "123-4567",
                           "1914–18",
                           "1914‑1918",
                           "10:30-12:45",
                           "1 000-2 000",
                           "49-30-123456",
                           "03−1234−5678",
                           "１２－３４",
                           "00:1A:2B:3C:4D:5E",
                           "00-1A-2B-3C-4D-5E",
                           "AA:1B:2C:3D:4E:5F",
                           "001A.2B3C.4D5E",
                           "550e8400-e29b-41d4-a716-446655440000",
                           "e50e8400-e29b-41d4-a716-446655440000",
                           "2001:db8::1",
                           "0x1F",
                           "3f2a9c1",
                           "1A-2B",
                           "AB12-CD34-EF56",
                           "2021-04-03T1030",
                           "1.6e-19",
                           "6.02E+23",
                           "10²³",
                           "10⁻⁵",
                           "10^6",
                           "10^{-23}",
                           "5×10⁶",
                           "5 x 10^6",
                           "3·10⁻⁵",
                           "1.5×10^6",
                           "2,5\u00A0\u00D7\u00A010^-3",
                           "2½"})
    for (const char* end : {"", ".", ", then", ") and", " km"})
      EXPECT_THAT(items_of("numbers", std::string("see ") + item + end), UnorderedElementsAre(item))
          << item << end;
  EXPECT_THAT(items_of("numbers", "10-20km 5-year-old a 3-bed flat 1st-2nd COVID-19 B-12"),
              UnorderedElementsAre("10-20", "5", "3", "1", "2", "19", "12"));
  EXPECT_THAT(items_of("numbers", "1 - 2, 5- 7 -8 4x100 m, 3D 10.5km 12.-13."),
              UnorderedElementsAre("1", "2", "5", "7", "8", "4", "10.5", "3", "12", "13"));
  EXPECT_THAT(items_of("numbers", "6 x 10 cm, 9 × 100⁵, 11^a, 21^{3"),
              UnorderedElementsAre("6", "10", "9", "100⁵", "11", "21", "3"));
  EXPECT_THAT(items_of("numbers", "x1-2 A12:34b-c5-6 a3f29c1b dead-beef-cafe v1–2"), IsEmpty());
}

TEST(Kept, NumbersAsLanguagesWriteThem) {
  EXPECT_THAT(
      items_of("numbers", "1 000 000, 1\u202F000\u00A0000,50 1'234'567 1\u2019000 3\uFF0E5"),
      UnorderedElementsAre("1 000 000", "1\u202F000\u00A0000,50", "1'234'567", "1\u2019000",
                           "3\uFF0E5"));
  EXPECT_THAT(
      items_of("numbers", "\uFF11\uFF12\u5186 \u0661\u0662\u066B\u0665 \u0967\u0968,\u0969"),
      UnorderedElementsAre("\uFF11\uFF12", "\u0661\u0662\u066B\u0665", "\u0967\u0968,\u0969"));
  EXPECT_THAT(items_of("numbers", "15.30 15:30 12.5.1990 1990-05-12 2016-17"),
              UnorderedElementsAre("15.30", "15:30", "12.5.1990", "1990-05-12", "2016-17"));
  EXPECT_THAT(items_of("numbers", "2016 300 5 12 1 0000 1\t000"),
              UnorderedElementsAre("2016", "300", "5", "12", "1", "0000", "1", "000"));
}

TEST(Kept, Placeholders) {
  EXPECT_THAT(
      items_of("placeholders",
               "{a} {0} {{ b c }} ${d} %{e} #{f} %s %d %1$lld %-5.2f %0-5d %(g)s %1 <x id='1'/>"),
      UnorderedElementsAre("{a}", "{0}", "{{ b c }}", "${d}", "%{e}", "#{f}", "%s", "%d", "%1$lld",
                           "%-5.2f", "%0-5d", "%(g)s", "%1", "<x id='1'/>"));
  EXPECT_THAT(items_of("placeholders", "{a b} 5%s 100 % sicher %sicher {{ {a <b> <b c/"),
              IsEmpty());
}

TEST(Kept, PlaceholdersOfFluentIcuQtDjangoAndI18next) {
  for (const char* item : {"{ $name }",
                           "{ name }",
                           "{ -brand }",
                           "{-brand}",
                           "{ NUMBER($n, minimumFractionDigits: 2) }",
                           "{ \"{\" }",
                           "{ $n -> [one] { $n } dog *[other] { $n } dogs }",
                           "{0, number}",
                           "{when, date, short}",
                           "{count, plural, one {# dog rested} other {# dogs rested}}",
                           "{sex, select, male {his} other {their}}",
                           "%n",
                           "%L1",
                           "%Ln",
                           "{% if dog %}",
                           "{%- endif -%}",
                           "{# a comment #}",
                           "{{- name }}",
                           "{{ n | upper }}",
                           "{{{raw}}}",
                           "$t(name)",
                           "$t(key, {\"count\": 1})",
                           "%{name}",
                           "<<name>>",
                           "[[name]]",
                           "__NAME__"}) {
    const std::string text = std::string("the dog ") + item + " rested";
    EXPECT_THAT(items_of("placeholders", text), UnorderedElementsAre(item)) << text;
  }
  EXPECT_THAT(
      items_of("placeholders", "{ in words } {a b {c} d} {5, rue x} {note: a} 5%n {$5 a day}"),
      UnorderedElementsAre("{c}"));
  EXPECT_THAT(items_of("placeholders", "x__y__z [[a b]] [x] :name @name #tag { \u4F60 \u597D }"),
              IsEmpty());
}

TEST(Kept, PlaceholdersOfSymfonyErbRubyAndBrowsers) {
  for (const char* item : {"%count%", "<%= count %>", "<%- a.b | c %>", "%<count>d", "%<n>.2f",
                           "$COUNT$", "$name$", "\\{count\\}"}) {
    const std::string text = std::string("the dog [") + item + "] rested";
    EXPECT_THAT(items_of("placeholders", text), UnorderedElementsAre(item)) << text;
  }
  EXPECT_THAT(items_of("placeholders", "%.2f%% of %d %%"),
              UnorderedElementsAre("%.2f", "%%", "%d", "%%"));
  EXPECT_THAT(items_of("placeholders", "100%% of $count or $5 and $6, 5 % is <% a > $a b$"),
              IsEmpty());
}

TEST(Kept, APlaceholderMayHaveTextInside) {
  EXPECT_TRUE(has_text_inside("{count, plural, one {# dog} other {# dogs}}"));
  EXPECT_TRUE(has_text_inside("{ $n -> [one] a dog *[other] dogs }"));
  EXPECT_FALSE(has_text_inside("{0, number}"));
  EXPECT_FALSE(has_text_inside("{ $n }"));
  EXPECT_FALSE(has_text_inside("%s"));
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

TEST(Kept, NumbersMayBeginWithAPoint) {
  EXPECT_THAT(items_of("numbers", "by .5 points (.25) and v.7, see p.3 ..4"),
              UnorderedElementsAre(".5", ".25", "7", "3", "4"));
}

}  // namespace
}  // namespace heed::text
