#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "document/filled.h"
#include "message.h"

namespace heed::document {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// The translation that a PO file gets for `bytes`, which end in an empty msgstr.
std::string po_filled(const std::string& bytes, const std::vector<std::string>& translations) {
  return filled(read_into("de", bytes, "po"), translations);
}

TEST(PoDocument, EmptyMessagesAreFilledAndMarked) {
  const std::string text =
      "# A comment\n#: a.c:1\nmsgid \"One\"\nmsgstr \"\"\n\n#, no-wrap\nmsgctxt \"menu\"\nmsgid "
      "\"Two\"\nmsgstr \"\"\n\n#, fuzzy\nmsgid \"Three\"\nmsgstr \"Drei\"\n\n#~ msgid \"Four\"\n#~ "
      "msgstr \"\"\n";
  const Document read = read_into("de", text, "po");
  EXPECT_THAT(model_texts(read), ElementsAre("One", "Two"));
  EXPECT_THAT(read.lines(), ElementsAre(3, 8));
  EXPECT_EQ(filled(read, {"Eins", "\"Zwei\" \\ zwei"}),
            "# A comment\n#: a.c:1\n#, fuzzy\nmsgid \"One\"\nmsgstr \"Eins\"\n\n#, fuzzy, "
            "no-wrap\nmsgctxt \"menu\"\nmsgid \"Two\"\nmsgstr \"\\\"Zwei\\\" \\\\ zwei\"\n\n#, "
            "fuzzy\nmsgid \"Three\"\nmsgstr \"Drei\"\n\n#~ msgid \"Four\"\n#~ msgstr \"\"\n");
}

TEST(PoDocument, LineEndsAndPreviousMessagesStay) {
  EXPECT_EQ(po_filled("#| msgid \"On\"\r\nmsgid \"One\"\r\nmsgstr \"\"\r\n", {"Eins"}),
            "#, fuzzy\r\n#| msgid \"On\"\r\nmsgid \"One\"\r\nmsgstr \"Eins\"\r\n");
  EXPECT_EQ(po_filled("msgid \"One\" msgstr \"\"", {"Eins"}),
            "#, fuzzy\nmsgid \"One\" msgstr \"Eins\"");
}

TEST(PoDocument, StringsOverSeveralLinesAreOneText) {
  const Document read = read_into("de",
                                  "msgid \"\"\n\"One two \"\n\"three\"\n\" "
                                  "four.\\n\"\n\"\\n\"\n\"Fi\"\n\"ve\\n\"\nmsgstr \"\"\n",
                                  "po");
  EXPECT_THAT(model_texts(read), ElementsAre("One two three four.", "Five"));
  EXPECT_EQ(
      filled(read),
      "#, fuzzy\nmsgid \"\"\n\"One two \"\n\"three\"\n\" four.\\n\"\n\"\\n\"\n\"Fi\"\n\"ve\\n"
      "\"\nmsgstr \"\"\n\"One two \"\n\"three\"\n\" four.\\n\"\n\"\\n\"\n\"Fi\"\n\"ve\\n\"\n");
  EXPECT_THAT(filled(read, {"Eins zwei drei vier.", "Fuenf"}),
              testing::EndsWith("msgstr \"\"\n\"Eins \"\n\"zwei drei vier.\\n\"\n\"\\n\"\n\"Fuenf"
                                "\\n\"\n"));
}

TEST(PoDocument, LineFeedsAtTheEndsStay) {
  EXPECT_THAT(po_filled("msgid \"\\nOne\\n\"\nmsgstr \"\"\n", {"Eins"}),
              HasSubstr("msgstr \"\\nEins\\n\"\n"));
  const Document list = read_into(
      "de", "msgid \"Usage:\\n  -a  all of\\n  them\\tnow\\nor\\nlater\"\nmsgstr \"\"\n", "po");
  EXPECT_THAT(model_texts(list), ElementsAre("Usage:", "-a  all of", "them", "now or later"));
}

TEST(PoDocument, EscapesAreCharacters) {
  const Document read =
      read_into("de", "msgid \"\\x41\\102 \\\"c\\\" \\303\\244 \\\\ d\"\nmsgstr \"\"\n", "po");
  EXPECT_THAT(model_texts(read), ElementsAre("AB \"c\" ä \\ d"));
  EXPECT_THAT(filled(read), HasSubstr("msgstr \"\\x41\\102 \\\"c\\\" \\303\\244 \\\\ d\"\n"));
}

TEST(PoDocument, PlaceholdersOfFormatsAreKept) {
  const auto text_of = [](const std::string& flag, const std::string& text) {
    return model_texts(
        read_into("de", "#, " + flag + "\nmsgid \"" + text + "\"\nmsgstr \"\"\n", "po"));
  };
  EXPECT_THAT(text_of("c-format", "At %-5.2lf of %1$s, %<PRIu64> and 5%% of it"),
              ElementsAre("At X1 of X2 and 5% of it"));
  EXPECT_THAT(text_of("python-format", "The %(name)s is 5 % of it"),
              ElementsAre("The X1 is 5 % of it"));
  EXPECT_THAT(text_of("python-brace-format", "The {name} and {{that}} {0:>8} one"),
              ElementsAre("The X1 and {that} X2 one"));
  EXPECT_THAT(text_of("qt-format", "Page %1 of the book"), ElementsAre("Page X1 of the book"));
  EXPECT_THAT(text_of("no-c-format", "5 %d of"), ElementsAre("5 %d of"));
  EXPECT_THAT(po_filled("#, c-format\nmsgid \"All of %s\"\nmsgstr \"\"\n", {"100% von"}),
              HasSubstr("msgstr \"100%% von %s\"\n"));
  EXPECT_THAT(po_filled("#, python-brace-format\nmsgid \"All of {}\"\nmsgstr \"\"\n", {"{von}"}),
              HasSubstr("msgstr \"{{von}} {}\"\n"));
}

TEST(PoDocument, PlaceholdersKnownByTheirOrderKeepIt) {
  const auto weighed = [](const std::string& text) {
    const Document read =
        read_into("de", "#, c-format\nmsgid \"" + text + "\"\nmsgstr \"\"\n", "po");
    // The words in their opposite order, in "A b c d" or in "A b X1 c X2 d".
    const bool has_names = read.text().segments().at(0).text.find("X1") != std::string::npos;
    const WordWeights turned =
        has_names ? WordWeights{6, {0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0,
                                    0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0}}
                  : WordWeights{4, {0, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 0}};
    return read.text().with({with_inlays(read.text().segments().at(0), "d c b a", turned)});
  };
  EXPECT_THAT(weighed("A b %s c %d d"), HasSubstr("msgstr \"d %s %d c b a\""));
  EXPECT_THAT(weighed("A b %1$s c %2$d d"), HasSubstr("msgstr \"d c %2$d b %1$s a\""));
}

TEST(PoDocument, TagsInMessagesAreTags) {
  const Document read = read_into(
      "de", "msgid \"Press <a href=\\\"x\\\">this key</a>.<br/>Then a < b.\"\nmsgstr \"\"\n", "po");
  EXPECT_THAT(model_texts(read), ElementsAre("Press this key.", "Then a < b."));
  EXPECT_THAT(filled(read, {"DRUECK DIESE TASTE.", "X"}),
              HasSubstr("msgstr \"DRUECK <a href=\\\"x\\\">DIESE TASTE</a>.<br/>X\""));
}

TEST(PoDocument, AllPluralFormsAreFilledOrNone) {
  const std::string header =
      "msgid \"\"\nmsgstr \"\"\n\"Language: ru\\n\"\n\"Plural-Forms: nplurals=3; plural=(n%10==1 "
      "&& "
      "\"\n\"n%100!=11 ? 0 : 2);\\n\"\n\n";
  const std::string plural = "msgid \"One file\"\nmsgid_plural \"%d files\"\n";
  const Document read = read_into("ru", header + plural + "msgstr[0] \"\"\nmsgstr[1] \"\"\n", "po");
  EXPECT_EQ(filled(read, {"ODIN FAJL", "%d FAJLY", "%d FAJLY"}),
            header + "#, fuzzy\n" + plural +
                "msgstr[0] \"ODIN FAJL\"\nmsgstr[1] \"%d FAJLY\"\nmsgstr[2] \"%d FAJLY\"\n");
  // The first Russian form is that of 21, too, so it needs the number where msgfmt looks at it.
  const Document numbered =
      read_into("ru", header + "#, c-format\n" + plural + "msgstr[0] \"\"\nmsgstr[1] \"\"\n", "po");
  EXPECT_THAT(model_texts(numbered), ElementsAre("X1 files", "X1 files", "X1 files"));
  const std::string half = header + plural + "msgstr[0] \"x\"\nmsgstr[1] \"\"\n";
  EXPECT_EQ(filled(read_into("ru", half, "po")), half);
  // Without a header the language says how many; Japanese has one, which is that of all numbers.
  EXPECT_EQ(filled(read_into("ja", plural + "msgstr[0] \"\"\nmsgstr[1] \"\"\n", "po")),
            "#, fuzzy\n" + plural + "msgstr[0] \"%d files\"\n");
  EXPECT_THAT(message_of<UserError>([&] { read_into("tlh", plural + "msgstr[0] \"\"\n", "po"); }),
              HasSubstr("line 1: the message has plural forms"));
}

TEST(PoDocument, AMessageWithoutWordsGetsItsBytes) {
  EXPECT_THAT(filled(read_into("de",
                               "#, c-format\nmsgid \"One\"\nmsgid_plural \"%d: %s\"\nmsgstr[0] "
                               "\"\"\nmsgstr[1] \"\"\n",
                               "po"),
                     {"Eins"}),
              HasSubstr("msgstr[0] \"Eins\"\nmsgstr[1] \"%d: %s\"\n"));
}

TEST(PoDocument, TheHeaderOfATemplateBecomesThatOfATranslation) {
  EXPECT_THAT(
      filled(read_into("de",
                       "#, fuzzy\nmsgid \"\"\nmsgstr \"\"\n\"Project-Id-Version: PACKAGE\\n\"\n"
                       "\"Language: \\n\"\n\"Content-Type: text/plain; charset=CHARSET\\n\"\n\n"
                       "msgid \"a file\"\nmsgid_plural \"files\"\nmsgstr[0] \"\"\nmsgstr[1] \"\"\n",
                       "po")),
      HasSubstr("\"Language: de\\n\"\n\"Content-Type: text/plain; charset=UTF-8\\n\"\n"
                "\"Plural-Forms: nplurals=2; plural=(n != 1);\\n\"\n\n"));
}

TEST(PoDocument, OtherFilesAreRefused) {
  const auto message = [](const std::string& bytes) {
    return message_of<UserError>([&] { read_into("de", bytes, "po"); });
  };
  const std::string header = "msgid \"\"\nmsgstr \"\"\n";
  EXPECT_THAT(message(header + "\"Content-Type: text/plain; charset=ISO-8859-1\\n\"\n"),
              HasSubstr("charset is ISO-8859-1"));
  EXPECT_THAT(message(header + "\"Language: fr\\n\"\n"), HasSubstr("language is fr"));
  EXPECT_THAT(message(header + "\"Plural-Forms: nplurals=2; plural=n/0;\\n\"\n"),
              HasSubstr("Plural-Forms is 'nplurals=2; plural=n/0;'"));
  EXPECT_THAT(message("msgid \"a\"\nmsgstr \"b\nmsgid \"c\"\n"),
              HasSubstr("line 2: the string has no closing quote"));
  EXPECT_THAT(message("Just text.\n"), HasSubstr("line 1: 'Just text.' is no part of a PO file"));
  EXPECT_THAT(message("msgid \"a\"\nmsgstr\n"), HasSubstr("line 2: a keyword has no string"));
  EXPECT_THAT(message("msgid \"a\"\nmsgstr[x] \"\"\n"), HasSubstr("is digits in brackets"));
  EXPECT_THAT(message("msgid \"a\"\nmsgstr[0 \"\"\n"), HasSubstr("is digits in brackets"));
  EXPECT_THAT(message("\"a\"\n"), HasSubstr("without a keyword"));
  EXPECT_THAT(message("msgid \"a\"\nmsgid \"b\"\nmsgstr \"\"\n"), HasSubstr("has no msgstr"));
}

}  // namespace
}  // namespace heed::document
