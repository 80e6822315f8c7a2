#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "document/filled.h"
#include "document/inlays.h"
#include "document/restructured_text.h"
#include "document/segment_builder.h"
#include "document/stand_ins.h"
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
    // The words "A b c d" in their opposite order, and without the names of the placeholders.
    const Segment& segment = read.text().segments().at(0);
    EXPECT_EQ(segment.text, "A b X1 c X2 d");
    const Segment other = make_segment(segment.raw, segment.tokens, segment.writing, StandIns::no);
    return with_inlays(other, "d c b a", {4, {0, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 0}});
  };
  EXPECT_EQ(weighed("A b %s c %d d"), "d %s %d c b a");
  EXPECT_EQ(weighed("A b %1$s c %2$d d"), "d c %2$d b %1$s a");
}

TEST(PoDocument, PlaceholdersWithoutAFlagAreKept) {
  const auto text_of = [](const std::string& text) {
    return model_texts(read_into("de", "msgid \"" + text + "\"\nmsgstr \"\"\n", "po"));
  };
  EXPECT_THAT(text_of("Hello {user}, take {0} of {count} in {{ place }}"),
              ElementsAre("Hello X1, take X2 of X3 in X4"));
  EXPECT_THAT(text_of("At %s by %d%% of %(name)s by %1$s and %1 or %{who} and %@"),
              ElementsAre("At X1 by X2%% of X3 by X4 and X5 or X6 and X7"));
  EXPECT_THAT(text_of("On %A at %H:%M or %Y-%m-%d"),
              ElementsAre("On X1 at X2 or X3"));  // of strftime()
  EXPECT_THAT(text_of("100% of {this and that}, 5 % a day, 20%, http://a.org/a%20b"),
              ElementsAre("100% of {this and that}, 5 % a day, 20%, X1"));
  EXPECT_THAT(model_texts(read_into("de",
                                    "#, no-python-brace-format\nmsgid \"{a} %s\"\nmsgstr "
                                    "\"\"\n\n#, no-c-format\nmsgid \"{b} or %d of\"\nmsgstr \"\"\n",
                                    "po")),
              ElementsAre("{a} X1", "X1 or %d of"));
}

TEST(PoDocument, PlaceholdersOfDrupalAreKept) {
  const std::string header =
      "msgid \"\"\nmsgstr \"\"\n\"Project-Id-Version: Drupal core (10.3.0)\\n\"\n\n";
  const std::string text =
      "msgid \"Delete <a href=\\\":url\\\">%name</a> of @type-name by !user: me@example.org\"\n"
      "msgstr \"\"\n";
  EXPECT_THAT(model_texts(read_into("de", header + text, "po")),
              ElementsAre("Delete X1 of X2 by X3"));
  EXPECT_THAT(model_texts(read_into("de", "#: core/modules/node/node.module:12\n" + text, "po")),
              ElementsAre("Delete X1 of X2 by X3"));
}

TEST(PoDocument, AcceleratorsAreBesideALetterOfTheTranslation) {
  const auto filled_menu = [](const std::string& language, const std::vector<std::string>& ids,
                              const std::vector<std::string>& texts) {
    std::string bytes;
    for (const std::string& id : ids) bytes += "msgid \"" + id + "\"\nmsgstr \"\"\n\n";
    std::string all = filled(read_into(language, bytes, "po"), texts), out;
    for (std::size_t at = 0; (at = all.find("msgstr \"", at)) != std::string::npos;) {
      at += 8;
      out += all.substr(at, all.find("\"\n", at) - at) + '|';
    }
    return out;
  };
  EXPECT_EQ(filled_menu("de", {"&File", "E&xit", "R&D", "a &nbsp; b", "Save &As..."},
                        {"Datei", "Beenden", "F&E", "c d", "Speichern als..."}),
            "&Datei|&Beenden|F&E|c &nbsp; d|Speichern &als...|");
  EXPECT_EQ(
      filled_menu("de", {"_File", "_Text", "Sa_ve", "Print synta_x", "Bad file_name", "_a and _b"},
                  {"Datei", "Ein Text", "Sichern von ve", "Text drucken", "x X1", "_a _b"}),
      "_Datei|Ein _Text|Sichern _von ve|Te_xt drucken|x file_name|_a _b|");
  EXPECT_EQ(filled_menu("zh", {"&File...", "_x"}, {"\u6587\u4EF6...", "_x"}),
            "\u6587\u4EF6(&F)...|_x|");
  EXPECT_EQ(filled_menu("ru", {"&File"}, {"\u0424\u0430\u0439\u043B"}),
            "&\u0424\u0430\u0439\u043B|");
  // The mark of the header; a placeholder and a tag have no letters for it.
  const std::string header = "msgid \"\"\nmsgstr \"\"\n\"X-Accelerator-Marker: ~\\n\"\n\n";
  EXPECT_THAT(
      po_filled(header + "msgid \"~Open {name} <b>now</b>\"\nmsgstr \"\"\n", {"X1 jetzt oeffnen"}),
      HasSubstr("msgstr \"{name} jetzt <b>~oeffnen</b>\""));
  EXPECT_THAT(filled(read_into("de", header + "msgid \"~Open\"\nmsgstr \"\"\n", "po")),
              HasSubstr("msgstr \"~Open\""));
}

TEST(PoDocument, ACopiedCatalogueGetsTheTargetLanguage) {
  const std::string header =
                        "msgid \"\"\nmsgstr \"\"\n\"Language: en\\n\"\n"
                        "\"Plural-Forms: nplurals=2; plural=(n != 1);\\n\"\n\n",
                    messages =
                        "msgid \"one file\"\nmsgid_plural \"files\"\nmsgstr[0] \"\"\n"
                        "msgstr[1] \"\"\n";
  const std::string out = filled(read_into("ja", header + messages, "po"));
  EXPECT_THAT(out, HasSubstr("\"Language: ja\\n\"\n\"Plural-Forms: nplurals=1; plural=0;\\n\"\n"));
  EXPECT_THAT(out, HasSubstr("msgstr[0] \"files\"\n"));
  EXPECT_THAT(out, testing::Not(HasSubstr("msgstr[1]")));
  EXPECT_THROW(read_into("", header + messages, "po"), UserError);
}

TEST(PoDocument, QuotesStayBesidePlaceholdersKnownByTheirOrder) {
  const Document read = read_into(
      "de", "#, c-format\nmsgid \"Can't copy \\\"%s\\\" to \\\"%s\\\" now\"\nmsgstr \"\"\n", "po");
  EXPECT_THAT(model_texts(read), ElementsAre("Can't copy \"X1\" to \"X2\" now"));
  const Segment& segment = read.text().segments().at(0);
  EXPECT_TRUE(has_stand_ins(segment, "\"X1\" kann nicht nach \"X2\""));
  EXPECT_FALSE(has_stand_ins(segment, "\"X2\" erhaelt nicht \"X1\""));
  // Without names they keep their order, and their quotes.
  const Segment other = make_segment(segment.raw, segment.tokens, segment.writing, StandIns::no);
  EXPECT_EQ(other.text, "Can't copy to now");
  const std::string text =
      with_inlays(other, "kann jetzt nicht kopiert werden", diagonal_weights(5, 4));
  EXPECT_THAT(text, testing::ContainsRegex("\\\\\"%s\\\\\".*\\\\\"%s\\\\\""));
}

TEST(PoDocument, MarkupOfSphinxIsKept) {
  const std::string place = "#: ../../library/x.rst:12\n";
  const auto read = [&](const std::string& text) {
    return read_into("de", place + "msgid \"" + text + "\"\nmsgstr \"\"\n", "po");
  };
  EXPECT_THAT(model_texts(read("Call :func:`print` or ``a * b`` in |release|, see PEP_ and [1]_.")),
              ElementsAre("Call X1 or X2 in X3, see X4 and."));
  EXPECT_THAT(model_texts(read("See :ref:`the *old* guide <guide>` and `here <https://a.org>`_.")),
              ElementsAre("See the *old* guide and here."));
  EXPECT_THAT(model_texts(read("A **very bold** and *slanted* word: 2 * 3, \\\\*args, a_b")),
              ElementsAre("A very bold and slanted word: 2 * 3, *args, a_b"));
  EXPECT_THAT(
      filled(read("See `here <https://a.org>`_ and **bold** it."), {"SIEHE HIER UND FETT *ES."}),
      HasSubstr("SIEHE `HIER <https://a.org>`_ UND **FETT** \\\\*ES."));
  EXPECT_THAT(model_texts(read("x = 1\\n# One\\n")), IsEmpty());  // a block of code
  EXPECT_THAT(model_texts(read(">>> print(1)")), IsEmpty());
  // Without a reference, as in files of translation services, the markup itself says it.
  EXPECT_THAT(
      model_texts(read_into(
          "de", "msgid \"**A**\"\nmsgstr \"\"\n\nmsgid \":func:`abs` of\"\nmsgstr \"\"\n", "po")),
      ElementsAre("A", "X1 of"));
  // A text of Chinese has no blanks, and reStructuredText needs something there.
  const Document chinese =
      read_into("zh", place + "msgid \"Use ``print`` for **all** texts\"\nmsgstr \"\"\n", "po");
  EXPECT_THAT(filled(chinese, {"\u7528X1\u628A\u6240\u6709\u6253"}),
              HasSubstr("\u7528\\\\ ``print``\\\\ \u628A"));
  EXPECT_EQ(with_markup_apart("a`b<c>`_``d``\"\n\"e*f**g*h **i**."),
            "a\\\\ `b <c>`_\\\\ ``d``\\\\ \"\n\"e\\\\ *f*\\\\ *g*\\\\ h **i**.");
  EXPECT_EQ(with_markup_apart("`a\"\n\"<c>`_"), "`a\"\n\" <c>`_");
  EXPECT_EQ(with_markup_apart("See ` <c>`_ and :ref:` <d>`."), "See `<c>`_ and :ref:`d`.");
  EXPECT_THAT(filled(chinese), HasSubstr("msgstr \"Use ``print`` for **all** texts\""));
}

TEST(PoDocument, TextsOfMessagesOfIcuAreTranslated) {
  const Document read = read_into(
      "de", "msgid \"{n, plural, =0 {No files} one {# file} other {# files}}\"\nmsgstr \"\"\n",
      "po");
  EXPECT_THAT(model_texts(read), ElementsAre("No files", "X1 file", "X1 files"));
  EXPECT_THAT(filled(read, {"KEINE", "X1 DATEI", "X1 DATEIEN"}),
              HasSubstr("msgstr \"{n, plural, =0 {KEINE} one {# DATEI} other {# DATEIEN}}\""));
  const Document inside = read_into(
      "de",
      "msgid \"Hello {who}, you have {n, plural, one {{x} file} other {# {g, select, m {his} other "
      "{their}} files}}.\"\nmsgstr \"\"\n",
      "po");
  EXPECT_THAT(model_texts(inside),
              ElementsAre("Hello X1, you have X2.", "X1 file", "his", "their", "files"));
  EXPECT_THAT(filled(inside, {"HALLO X1, SIE HABEN X2.", "X1 DATEI", "SEINE", "IHRE", "DATEIEN"}),
              HasSubstr("msgstr \"HALLO {who}, SIE HABEN {n, plural, one {{x} DATEI} other {# {g, "
                        "select, m {SEINE} other {IHRE}} DATEIEN}}.\""));
  // Braces that do not fit together are text.
  EXPECT_THAT(model_texts(read_into("de", "msgid \"{n, plural, one {a\"\nmsgstr \"\"\n", "po")),
              ElementsAre("{n, plural, one {a"));
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
  // The first Russian form is that of 21, too, so it needs the number.
  EXPECT_EQ(filled(read, {"X1 FAJLA", "X1 FAJLY", "X1 FAJLOV"}),
            header + "#, fuzzy\n" + plural +
                "msgstr[0] \"%d FAJLA\"\nmsgstr[1] \"%d FAJLY\"\nmsgstr[2] \"%d FAJLOV\"\n");
  const Document words = read_into(
      "ru", header + "msgid \"One file\"\nmsgid_plural \"Files\"\nmsgstr[0] \"\"\nmsgstr[1] \"\"\n",
      "po");
  EXPECT_THAT(model_texts(words), ElementsAre("One file", "Files", "Files"));
  const std::string half = header + plural + "msgstr[0] \"x\"\nmsgstr[1] \"\"\n";
  EXPECT_EQ(filled(read_into("ru", half, "po")), half);
  const std::string other =
      "msgid \"\"\nmsgstr \"\"\n\"Plural-Forms: nplurals=INTEGral-Forms: nplurals=INTEGER; "
      "plural=EXPRESSION;\\n\"\n\n";
  EXPECT_THAT(
      message_of<UserError>([&] { read_into("de", other + plural + "msgstr[0] \"\"\n", "po"); }),
      HasSubstr("says no number of forms"));
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

TEST(PoDocument, AHeaderWithoutALanguageGetsOne) {
  EXPECT_THAT(po_filled("msgid \"\"\nmsgstr \"X: y\\n\"\n\nmsgid \"a\"\nmsgstr \"\"\n", {"A"}),
              HasSubstr("msgstr \"X: y\\n\"\n\"Language: de\\n\"\n\n"));
  EXPECT_THAT(po_filled("msgid \"\"\nmsgstr \"X: y\"\n\nmsgid \"a\"\nmsgstr \"\"\n", {"A"}),
              HasSubstr("msgstr \"X: y\"\n\"\\n\"\n\"Language: de\\n\"\n\n"));
  EXPECT_THAT(filled(read_into(
                  "target", "msgid \"\"\nmsgstr \"X: y\\n\"\n\nmsgid \"a\"\nmsgstr \"\"\n", "po")),
              HasSubstr("msgstr \"X: y\\n\"\n\n#, fuzzy"));
}

TEST(PoDocument, ACatalogueOfTheTextsLanguageNeedsAnother) {
  const auto message = [](const std::string& target, const std::string& translation) {
    return message_of<UserError>([&] {
      read_into(target,
                "msgid \"\"\nmsgstr \"Language: en\\n\"\n\nmsgid \"a\"\nmsgstr \"\"\n\nmsgid "
                "\"b\"\nmsgstr \"" +
                    translation + "\"\n",
                "po");
    });
  };
  EXPECT_EQ(message("de", ""), "(nothing thrown)");
  EXPECT_THAT(message("target", ""), HasSubstr("--target-language en"));
  EXPECT_THAT(message("de", "c"), HasSubstr("take a model of that language"));
  EXPECT_EQ(message("target", "c"), "(nothing thrown)");
  EXPECT_EQ(message("en", ""), "(nothing thrown)");
}

TEST(PoDocument, PluralsOfATemplateAskForTheLanguage) {
  const auto message = [](const std::string& target) {
    return message_of<UserError>([&] {
      read_into(target, "msgid \"a\"\nmsgid_plural \"b\"\nmsgstr[0] \"\"\nmsgstr[1] \"\"\n", "po");
    });
  };
  EXPECT_THAT(message("target"), HasSubstr("--target-language de"));
  EXPECT_THAT(message("xx"), Not(HasSubstr("--target")));
}

TEST(PoDocument, ReferencesOfHtmlAreCharacters) {
  const Document read =
      read_into("de",
                "msgid \"It can&rsquo;t be &quot;A&amp;B&quot;.\"\nmsgstr \"\"\n\n"
                "msgid \"&larr; Older\"\nmsgstr \"\"\n\n"
                "msgid \"R&D &madeup; a\"\nmsgstr \"\"\n",
                "po");
  EXPECT_THAT(model_texts(read), ElementsAre("It can’t be \"A&B\".", "Older", "R&D &madeup; a"));
  EXPECT_THAT(filled(read, {"Geht’s \"A&B\" <", "Alt", "R&D < a"}),
              testing::AllOf(HasSubstr("msgstr \"Geht&rsquo;s &quot;A&amp;B&quot; &lt;\""),
                             HasSubstr("msgstr \"&larr; Alt\""), HasSubstr("msgstr \"R&D < a\"")));
}

TEST(PoDocument, NumberedPlaceholdersNeedNoFlag) {
  EXPECT_THAT(po_filled("msgid \"Row %1$d - column %2$d\"\nmsgstr \"\"\n", {"Zeile X1 - X2"}),
              HasSubstr("msgstr \"Zeile %1$d - %2$d\""));
}

TEST(PoDocument, FormsBetweenBarsAreTextsOfTheirOwn) {
  const Document read =
      read_into("de",
                "msgid \"{0} No file|{1} One file|]1,Inf] %count% files\"\nmsgstr \"\"\n\n"
                "msgid \"One apple|Many apples\"\nmsgstr \"\"\n\n"
                "msgid \"Home | {{ name|upper }}\"\nmsgstr \"\"\n",
                "po");
  EXPECT_THAT(model_texts(read), ElementsAre("No file", "One file", "X1 files", "One apple",
                                             "Many apples", "Home | X1"));
  EXPECT_THAT(
      filled(read, {"Keine", "Eine", "X1 Dateien", "Apfel", "Äpfel", "X1 | A"}),
      testing::AllOf(HasSubstr("msgstr \"{0} Keine|{1} Eine|]1,Inf] %count% Dateien\""),
                     HasSubstr("msgstr \"Apfel|Äpfel\""), HasSubstr("{{ name|upper }} | A")));
  EXPECT_THAT(model_texts(read_into("de", "msgid \"One apple|Many apples\"\nmsgstr \"\"\n", "po")),
              ElementsAre("One apple|Many apples"));
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

TEST(Po, AMessageThatIsNoLongerUsedEndsWhatStoodBefore) {
  const auto read = [](const std::string& bytes) { return read_into("de", bytes, "po"); };
  const std::string gone = "#~ msgid \"b\"\n#~ msgstr \"\"\n";
  EXPECT_THAT(message_of<UserError>([&] { read("msgid \"a\"\n" + gone); }),
              HasSubstr("line 2: the message before it has no msgstr"));
  EXPECT_THAT(message_of<UserError>([&] { read("msgid \"a\"\nmsgstr \"\"\n" + gone + "\"c\"\n"); }),
              HasSubstr("line 5: a string stands there without a keyword before it"));
  EXPECT_THAT(message_of<UserError>([&] { read("msgid \"a\"\n# b\n\"c\"\nmsgstr \"\"\n"); }),
              HasSubstr("line 3: a string stands there without a keyword before it"));
  EXPECT_THAT(model_texts(read("#, c-format\n" + gone + "msgid \"a\"\nmsgstr \"\"\n")),
              ElementsAre("a"));
}

TEST(Po, AMessageWithCodeOfSphinxMakesNoDocumentationOfAProgram) {
  const std::string file =
      "#: cli.py:10\nmsgid \"It is in ``sphinx.ext`` here.\"\nmsgstr \"\"\n\n"
      "#: cli.py:12\n#, python-format\nmsgid \"no file in %r\"\nmsgstr \"\"\n\n"
      "#: cli.py:13\nmsgid \"The *.po files of {name}.\"\nmsgstr \"\"\n";
  EXPECT_THAT(model_texts(read_into("de", file, "po")),
              ElementsAre("It is in X1 here.", "no file in X1", "The X1 files of X2."));
}

TEST(Po, AMessageMayHavePlaceholdersOfBothKinds) {
  const std::string file =
      "#, python-brace-format, python-format\nmsgid \"in %(dir)s{sep}a.txt\"\nmsgstr \"\"\n";
  EXPECT_THAT(model_texts(read_into("de", file, "po")), ElementsAre("in X1"));
  EXPECT_EQ(po_filled(file, {"X1"}),
            "#, fuzzy, python-brace-format, python-format\nmsgid \"in %(dir)s{sep}a.txt\"\nmsgstr "
            "\"%(dir)s{sep}a.txt\"\n");
}

TEST(Po, AFlagComesBeforeWhatTheFileShows) {
  const std::string file =
      "#: a.rst:1\nmsgid \"It is in ``x``.\"\nmsgstr \"\"\n\n"
      "#, python-brace-format\nmsgid \"no *file* in {a}\"\nmsgstr \"\"\n";
  EXPECT_THAT(model_texts(read_into("de", file, "po")),
              ElementsAre("It is in X1.", "no *file* in X1"));
}

TEST(Po, CodeInBackticksStays) {
  EXPECT_THAT(
      model_texts(read_into("de",
                            "msgid \"Run `npm install` or ``x y`` in `here' and `there'.\"\n"
                            "msgstr \"\"\n",
                            "po")),
      ElementsAre("Run X1 or X2 in `here' and `there'."));
}

TEST(Po, EscapesThatATextIsAboutStay) {
  EXPECT_THAT(model_texts(read_into("de",
                                    "msgid \"Lines end in \\\\n or (\\\\r\\\\n), not C:\\\\new.\"\n"
                                    "msgstr \"\"\n",
                                    "po")),
              ElementsAre("Lines end in X1 or (X2), not X3."));
}

TEST(Po, CodeOfDocumentsStays) {
  const std::string notes = "#. (itstool) path: section/p\n#: C/index.page:12\n",
                    message =
                        "msgid \"Run <cmd>make it</cmd> and <filename>a b</filename>.\"\n"
                        "msgstr \"\"\n\n";
  EXPECT_THAT(model_texts(read_into("de", notes + message, "po")), ElementsAre("Run X1 and X2."));
  EXPECT_THAT(model_texts(read_into("de", message, "po")), ElementsAre("Run make it and a b."));
  EXPECT_THAT(model_texts(read_into("de",
                                    "#. Tag: screen\nmsgid \"make the house\"\nmsgstr \"\"\n\n"
                                    "#. Tag: para\nmsgid \"One <command>x\"\nmsgstr \"\"\n\n"
                                    "#: C/a.xml:10(programlisting)\nmsgid \"two\"\nmsgstr \"\"\n",
                                    "po")),
              ElementsAre("One x"));
}

TEST(PoDocument, AnAddressEndsBeforeAnEscapedQuote) {
  const Document read = read_into("de",
                                  R"(msgid "Open \"http://a.org\" or \"www.b.org/c?d=1\".")"
                                  "\nmsgstr \"\"\n",
                                  "po");
  EXPECT_THAT(model_texts(read), ElementsAre("Open \"X1\" or \"X2\"."));
  EXPECT_THAT(filled(read, {"Siehe \"X2\" oder \"X1\"."}),
              HasSubstr(R"(msgstr "Siehe \"www.b.org/c?d=1\" oder \"http://a.org\".")"));
}

TEST(PoDocument, AReferenceIsNoAccelerator) {
  const Document read =
      read_into("de", "msgid \"Open <b>a &amp; b</b> &File\"\nmsgstr \"\"\n", "po");
  EXPECT_THAT(model_texts(read), ElementsAre("Open a & b File"));
  EXPECT_THAT(filled(read, {"Öffne a & b Datei"}),
              HasSubstr("msgstr \"Ö&ffne <b>a &amp; b</b> Datei\""));
}

TEST(PoDocument, NumbersOfListsStay) {
  const Document read =
      read_into("de",
                "msgid \"\"\n\"Steps:\\n\"\n\"1. One dog\\n\"\n\"2. Two dogs\\n\"\n"
                "\"Both run\"\nmsgstr \"\"\n\nmsgid \"3. May\"\nmsgstr \"\"\n",
                "po");
  EXPECT_THAT(model_texts(read), ElementsAre("Steps:", "One dog", "Two dogs Both run", "3. May"));
  EXPECT_THAT(filled(read, {"Schritte:", "Ein Hund", "Zwei Hunde laufen", "3. Mai"}),
              HasSubstr("\"Schritte:\\n\"\n\"1. Ein Hund\\n\"\n\"2. Zwei"));
}

TEST(PoDocument, WhatProgramsShowAsMarkdownIsAroundItsText) {
  const auto read = [](const std::string& text) {
    return read_into("de", "msgid \"" + text + "\"\nmsgstr \"\"\n", "po");
  };
  const Document page =
      read("**Bold** and [the page](https://a.org/b) with ^[one dog](inflect: true)");
  EXPECT_THAT(model_texts(page), ElementsAre("Bold and the page with one dog"));
  EXPECT_THAT(
      filled(page, {"Fett und die Seite mit einem Hund"}),
      HasSubstr(
          "msgstr \"**Fett** und [die Seite](https://a.org/b) mit ^[einem Hund](inflect: true)\""));
  EXPECT_THAT(model_texts(read("**See [the page](/b/#c).**")), ElementsAre("See the page."));
  for (const std::string text :
       {"2 ** 3 and a[i](x) or [b](c d) and [%s](%s) and ** e **", "a [b] (c) [d](e"})
    EXPECT_THAT(filled(read(text)), HasSubstr("msgstr \"" + text + "\"")) << text;
  EXPECT_THAT(model_texts(read("a [b] (c/d) [e](f")), ElementsAre("a [b] (c/d) [e](f"));
  EXPECT_THAT(model_texts(read("2 ** 3 and ** e **")), ElementsAre("2 ** 3 and ** e **"));
}

TEST(PoDocument, WhoTranslatesIsLeftToThem) {
  EXPECT_THAT(
      model_texts(read_into("de",
                            "msgctxt \"NAME OF TRANSLATORS\"\nmsgid \"Your names\"\nmsgstr \"\"\n\n"
                            "msgctxt \"EMAIL OF TRANSLATORS\"\nmsgid \"Your emails\"\nmsgstr \"\"\n"
                            "\nmsgid \"translator-credits\"\nmsgstr \"\"\n\n"
                            "msgctxt \"form\"\nmsgid \"Your names\"\nmsgstr \"\"\n",
                            "po")),
      ElementsAre("Your names"));
}

}  // namespace
}  // namespace heed::document
