// Translation memories as files of lines, in the forms in which programs write them.
#include "text/tmx_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "compressed.h"
#include "message.h"
#include "temporary_folder.h"
#include "text/lines.h"
#include "text/pairs.h"

namespace heed::text {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A memory with these units, in a file of `folder`.
std::string memory(const TemporaryFolder& folder, const std::string& units,
                   const std::string& name = "m.tmx") {
  return folder.write(name,
                      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                      "<!DOCTYPE tmx SYSTEM \"tmx14.dtd\">\n<tmx version=\"1.4\">\n"
                      "<header srclang=\"en\"><note>a note</note></header>\n<body>\n" +
                          units + "</body>\n</tmx>\n");
}
std::string variant(const std::string& language, const std::string& segment) {
  return "<tuv xml:lang=\"" + language + "\"><prop type=\"x\">no text</prop><seg>" + segment +
         "</seg></tuv>";
}
std::string unit(const std::string& variants) {
  return "<tu>" + variants + "</tu>\n";
}

std::string text_in_utf16(const std::string& ascii) {
  std::string out = "\xFF\xFE";
  for (const char c : ascii) out += {c, '\0'};
  return out;
}

TEST(TmxLines, OfTwoLanguagesBelongToEachOther) {
  const TemporaryFolder folder;
  const std::string file =
      memory(folder, unit(variant("en", "One &lt;b&gt; &amp; two") + variant("de", "Eins")) +
                         unit(variant("en", "No German")) +
                         unit(variant("de", "Drei \u20AC") + variant("en", "Three")) +
                         unit(variant("fr", "Quatre")));
  EXPECT_THAT(read_lines(file + "#en"), ElementsAre("One <b> & two", "No German", "Three", ""));
  EXPECT_THAT(read_lines(file + "#de"), ElementsAre("Eins", "", "Drei \u20AC", ""));
  EXPECT_THAT(read_lines(file + "#fr"), ElementsAre("", "", "", "Quatre"));
  EXPECT_EQ(read_pairs(file + "#de", file + "#en").target[2], "Three");
  EXPECT_EQ(count_lines(file + "#en"), 4);
}

TEST(TmxLines, AreOfTheLanguageThatIsNearest) {
  const TemporaryFolder folder;
  const std::string file = memory(
      folder, unit(variant("en-US", "color") + variant("en_GB", "colour") + variant("EN", "hue")) +
                  unit(variant("en-GB", "  ") + variant("en-US", "center")) +
                  unit(variant("eng", "grey") + variant("e", "x")));
  EXPECT_THAT(read_lines(file + "#en-GB"), ElementsAre("colour", "", ""));
  EXPECT_THAT(read_lines(file + "#en"), ElementsAre("hue", "center", ""));
  EXPECT_THAT(read_lines(file + "#en_us"), ElementsAre("color", "center", ""));
}

// OmegaT 3.6 writes this as level 2, and the text without codes as level 1.
TEST(TmxLines, HaveNoNativeCode) {
  const TemporaryFolder folder;
  const std::string file = memory(
      folder, unit(variant("EN-GB",
                           "The <bpt i=\"0\" x=\"0\">&lt;b0&gt;</bpt>dog<ept i=\"0\">&lt;/b0&gt;"
                           "</ept> sleeps &amp; runs.")) +
                  unit(variant("EN-GB",
                               "<ph>&lt;img alt=\"<sub>Text</sub>\"/&gt;</ph><hi>A <hi>b</hi></hi>"
                               "<it pos=\"begin\">c</it><ut>d</ut> <![CDATA[<e>]]><!-- f -->")));
  EXPECT_THAT(read_lines(file + "#en"), ElementsAre("The dog sleeps & runs.", "A b <e>"));
}

TEST(TmxLines, HaveNoLineEndsAndTabsInside) {
  const TemporaryFolder folder;
  const std::string file =
      memory(folder, unit(variant("en", "\n   Two\r\n\t lines  with\ta tab.&#10;")) +
                         unit(variant("en", "no\u00A0break&#13;here")));
  EXPECT_THAT(read_lines(file + "#en"),
              ElementsAre("Two lines  with a tab.", "no\u00A0break here"));
}

// TMX 1.1 has `lang`; Trados writes UTF-16, and files without indentation.
TEST(TmxLines, AreReadFromOlderFormsEncodingsAndArchives) {
  const TemporaryFolder folder;
  const std::string old =
      "<tmx version=\"1.1\"><header/><body><tu><tuv lang=\"DE\"><seg>Hund</seg></tuv></tu></body>"
      "</tmx>";
  for (const auto& [name, bytes] : std::vector<std::pair<std::string, std::string>>{
           {"a.tmx", old},
           {"b.TMX", "\xEF\xBB\xBF" + old},
           {"c.tmx.gz", gzip(old)},
           {"d.tmx.zst", zstd(old)},
           {"e.tmx", text_in_utf16("<?xml version=\"1.0\" encoding=\"utf-16\"?>\n" + old)},
           {"f.tmx", "<?xml version=\"1.0\" encoding=\"iso-8859-1\"?>" + old}})
    EXPECT_THAT(read_lines(folder.write(name, bytes) + "#de"), ElementsAre("Hund")) << name;
}

TEST(TmxLines, HaveTheCharactersOfEntities) {
  const TemporaryFolder folder;
  const std::string good = memory(folder, unit(variant("en", "a&nbsp;b&uuml;c"))),
                    bad = memory(folder, unit(variant("en", "a")) + unit(variant("en", "&x;")),
                                 "bad.tmx");
  EXPECT_THAT(read_lines(good + "#en"), ElementsAre("a\u00A0b\u00FCc"));
  EXPECT_EQ(message_of<UserError>([&] { read_lines(bad + "#en"); }),
            bad + "#en:2: line 7 of the file: &x; has no meaning here; write the character");
}

TEST(TmxLines, OfAMemoryWithoutTheLanguageAreAnError) {
  const TemporaryFolder folder;
  const std::string file =
      memory(folder, unit(variant("en", "a") + variant("de", "b")) + unit(variant("en", "c")));
  EXPECT_EQ(message_of<UserError>([&] { read_lines(file + "#fr"); }),
            file + "#fr:1: no unit has a text in 'fr'; its languages: de (1 unit), en (2 units)");
  EXPECT_THAT(message_of<UserError>([&] { read_lines(file + "#1"); }),
              HasSubstr("'1' after # is no language"));
  EXPECT_THAT(message_of<UserError>([&] { read_lines(memory(folder, "", "e.tmx") + "#en"); }),
              HasSubstr("a TMX without a unit"));
}

TEST(TmxLines, OfADamagedFileAreAnErrorAfterTheUnitsBefore) {
  const TemporaryFolder folder;
  const std::string units = unit(variant("en", "a")) + unit(variant("en", "b"));
  const std::string cut =
      folder.write("cut.tmx", "<tmx><header/><body>\n" + units + "<tu><tuv xml:lang=\"en\"><se");
  LineReader reader(cut + "#en");
  std::string line;
  ASSERT_TRUE(reader.next(line) && reader.next(line));
  EXPECT_EQ(line, "b");
  EXPECT_EQ(message_of<UserError>([&] { reader.next(line); }),
            cut + "#en:3: line 4 of the file: the file ends before its end; copy it again");
  const std::string bad = folder.write("bad.tmx", "<tmx><body>\n<tu></body>");
  EXPECT_EQ(message_of<UserError>([&] { read_lines(bad + "#en"); }),
            bad + "#en:1: line 2 of the file: it is not well-formed XML (mismatched tag)");
  const std::string page = folder.write("page.tmx", "<!DOCTYPE html>\n<html><p>404");
  EXPECT_THAT(message_of<UserError>([&] { read_lines(page + "#en"); }),
              HasSubstr("a page of HTML"));
  const std::string other = folder.write("other.tmx", "<xliff><file/></xliff>");
  EXPECT_THAT(message_of<UserError>([&] { read_lines(other + "#en"); }),
              HasSubstr("it begins with <xliff>, not with <tmx>"));
  const std::string gone = folder / "gone.tmx";
  EXPECT_THAT(message_of<UserError>([&] { require_text_file(gone + "#en", "data.train.source"); }),
              HasSubstr("data.train.source: no file '" + gone + "'"));
}

TEST(TmxLines, OfAnotherEncodingSayHowToConvertIt) {
  const TemporaryFolder folder;
  const std::string file = folder.write(
      "a b.tmx", "<?xml version=\"1.0\" encoding=\"windows-1252\" ?>\n<tmx><header/><body>" +
                     unit("<tuv xml:lang=\"en\"><seg>\x93quoted\x94</seg></tuv>") +
                     "</body></tmx>\n");
  const std::string message = message_of<UserError>([&] { read_lines(file + "#en"); });
  const std::string start = file + "#en:1: in the encoding windows-1252; convert it: ";
  ASSERT_TRUE(message.starts_with(start)) << message;
  std::string cure = message.substr(start.size());
  cure.replace(cure.size() - 7, 7, folder / "new.tmx");
  ASSERT_EQ(std::system(cure.c_str()), 0) << cure;
  EXPECT_THAT(read_lines(folder / "new.tmx#en"), ElementsAre("\u201Cquoted\u201D"));
}

TEST(TmxLines, AreOfAFileOfThatNameOnly) {
  EXPECT_EQ(file_of_lines("a/m.tmx#de"), "a/m.tmx");
  EXPECT_EQ(tmx_side("m.tmx.gz#pt-BR")->language, "pt-BR");
  for (const char* path : {"m.tmx", "corpus#de", "m.tmx.bz2#de", "m.tsv#de", "", "#de"})
    EXPECT_FALSE(tmx_side(path)) << path;
}

TEST(TmxLines, NeedALanguage) {
  const TemporaryFolder folder;
  const std::string units = unit(variant("en-GB", "a") + "<tuv\n lang='de'><seg>b</seg></tuv>");
  const std::string file = memory(folder, units), other = memory(folder, units, "m.xml");
  EXPECT_EQ(message_of<UserError>([&] { read_lines(file); }),
            file + ": a translation memory (TMX); name the language of the side after it, '" +
                file + "#en-GB' or '" + file + "#de'");
  EXPECT_EQ(message_of<UserError>([&] { read_lines(other); }),
            other +
                ": a translation memory (TMX); let its name end in .tmx, and name the language "
                "of the side after it, 'NEW.tmx#en-GB' or 'NEW.tmx#de'");
  const std::string utf16 = folder.write("u.tmx", text_in_utf16("<tmx/>"));
  EXPECT_THAT(message_of<UserError>([&] { read_lines(utf16); }),
              HasSubstr("such as '" + utf16 + "#de'"));
}

// The text of units is text, even where it looks like a page.
TEST(TmxLines, MayBeginWithATag) {
  const TemporaryFolder folder;
  const std::string file =
      memory(folder, unit(variant("en", "&lt;html&gt;")) + unit(variant("en", "&lt;head&gt;")));
  EXPECT_THAT(read_lines(file + "#en"), ElementsAre("<html>", "<head>"));
}

TEST(TmxLines, AreReadInConstantMemory) {
  const TemporaryFolder folder;
  const std::string file = folder / "large.tmx";
  constexpr int64_t kUnits = 50'000;
  {
    std::ofstream out(file);
    out << "<tmx version=\"1.4\"><header/><body>\n";
    const std::string text(150, 'x');
    for (int64_t i = 0; i < kUnits; ++i) out << unit(variant("en", text) + variant("de", text));
    out << "</body></tmx>\n";
  }
  rusage before{}, after{};
  getrusage(RUSAGE_SELF, &before);
  EXPECT_EQ(count_lines(file + "#de"), kUnits);
  getrusage(RUSAGE_SELF, &after);
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 8 << 10);  // KiB; the file has 20 MB
}

}  // namespace
}  // namespace heed::text
