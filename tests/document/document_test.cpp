#include "document/document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <optional>
#include <random>

#include "base/error.h"
#include "base/strings.h"
#include "document/inlays.h"
#include "document/segment_builder.h"
#include "document/stand_ins.h"
#include "document/word_weights.h"
#include "text/utf8.h"
#include "text/words.h"

namespace heed::document {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Texts = std::vector<std::string>;

Document document(const std::string& bytes, const std::string& format) {
  return {bytes, *format_named(format), {.read = {.source_language = "en"}}};
}

Texts texts_of(const Document& document) {
  Texts texts;
  for (const Segment& segment : document.text().segments()) texts.push_back(segment.text);
  return texts;
}

Texts texts_in(const std::string& bytes, const std::string& format) {
  return texts_of(document(bytes, format));
}

/// The document with these translations of its segments, by diagonal attention.
std::string with(const Document& document, const Texts& translations) {
  Texts out;
  for (std::size_t i = 0; i < translations.size(); ++i) {
    const Segment& segment = document.text().segments().at(i);
    out.push_back(translated_in_order(segment, translations[i]));
  }
  return document.text().with(out);
}

/// The document of one segment, with its translation, whose word j is that of words links[j].
std::string put(const std::string& bytes, const std::string& format, const std::string& text,
                const std::string& translation,
                const std::vector<std::vector<std::size_t>>& links) {
  const Document read = document(bytes, format);
  const Segment& segment = read.text().segments().at(0);
  EXPECT_EQ(segment.text, text);
  return read.text().with(
      {with_inlays(segment, translation,
                   weights_of(links, static_cast<std::size_t>(text::count_words(segment.text))))});
}

/// Letters of ASCII as capitals: another text of the same length.
Texts in_capitals(Texts texts) {
  for (std::string& text : texts)
    for (char& c : text)
      if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return texts;
}

std::string capitals_of(const std::string& bytes, const std::string& format) {
  const Document read = document(bytes, format);
  return with(read, in_capitals(texts_of(read)));
}

/// The document with one translation in place of each text.
std::string with_each(const std::string& bytes, const std::string& format,
                      const std::string& translation) {
  const Document read = document(bytes, format);
  return with(read, Texts(texts_of(read).size(), translation));
}

TEST(PlainDocument, SentencesStandOverLinesOfAParagraph) {
  const std::string text = "One two.  Three\nfour five. Six\n\n  Seven\r\n\r\nEight";
  EXPECT_THAT(texts_in(text, "txt"),
              ElementsAre("One two.", "Three four five.", "Six", "Seven", "Eight"));
  EXPECT_THAT(document(text, "txt").lines(), ElementsAre(1, 1, 2, 4, 6));
  EXPECT_EQ(capitals_of(text, "txt"), "ONE TWO.  THREE\nFOUR FIVE. SIX\n\n  SEVEN\r\n\r\nEIGHT");
}

TEST(PlainDocument, ItemsQuotationsAndShortLinesAreReadByThemselves) {
  EXPECT_THAT(texts_in("- one\n  two\n- three\n1. four\n2. five\n> six\n> seven\n", "txt"),
              ElementsAre("one two", "three", "four", "five", "six seven"));
  const std::string wide(60, 'x');
  EXPECT_THAT(texts_in("Title\n" + wide + "\nin\n2. of\n", "txt"),
              ElementsAre("Title", wide + " in", "of"));
  EXPECT_THAT(texts_in(wide + "\n   " + wide + "\n" + wide + "\n", "txt"),
              ElementsAre(wide, wide + " " + wide));
}

TEST(PlainDocument, OrnamentsAroundTitlesStay) {
  const std::string text =
      "*** The old house ***\n== The garden ==\n[ Notes ]\n  -=[ The dog ]=-\n/* One cat. Two */\n";
  EXPECT_THAT(texts_in(text, "txt"),
              ElementsAre("The old house", "The garden", "Notes", "The dog", "One cat.", "Two"));
  EXPECT_EQ(capitals_of(text, "txt"),
            "*** THE OLD HOUSE ***\n== THE GARDEN ==\n[ NOTES ]\n  -=[ THE DOG ]=-\n/* ONE CAT. "
            "TWO */\n");
  // These are no titles.
  EXPECT_THAT(texts_in("- the dog -\n", "txt"), ElementsAre("the dog"));
  EXPECT_THAT(texts_in("[ ] buy bread\n", "txt"), ElementsAre("[ ] buy bread"));
  EXPECT_THAT(texts_in("-- the dog\n", "txt"), ElementsAre("-- the dog"));
}

TEST(Document, FieldsInARowAreAParagraphEach) {
  EXPECT_THAT(
      texts_in("From: Ann Lee\nReply-To: Bob Ray\nSubject: The meeting\n\nNote: it is late.\n",
               "txt"),
      ElementsAre("From: Ann Lee", "Reply-To: Bob Ray", "Subject: The meeting",
                  "Note: it is late."));
}

TEST(Document, ATextWithoutALetterIsItsOwnTranslation) {
  EXPECT_THAT(texts_in("## 4.5.4 - 2024-01-16\n\n- [#2131](u)\n- Fix 3.\n", "markdown"),
              ElementsAre("Fix 3."));
  EXPECT_THAT(texts_in("<p>10 %</p><td>1 394,50</td><td>\u0664\u0665</td><p>x 10</p>", "html"),
              ElementsAre("x 10"));
  EXPECT_THAT(texts_in("--192.168.1.2.889\n\n540\n", "txt"), IsEmpty());
}

TEST(PlainDocument, WhatHasNoWordsStays) {
  for (const std::string text : {"", "\n", "\uFEFF", " \t\r\n", "***\n---", "\r\r", "“…”"}) {
    EXPECT_THAT(texts_in(text, "txt"), IsEmpty()) << text;
    EXPECT_EQ(with(document(text, "txt"), {}), text);
  }
  EXPECT_EQ(capitals_of("\uFEFFa\r\n", "txt"), "\uFEFFA\r\n");
}

TEST(Document, PlainTextKeepsAddressesAndFiles) {
  EXPECT_THAT(
      texts_in("Siehe https://x.org/a_(b), a@x.org. Dann src/a.cpp oder (config.yaml).", "txt"),
      ElementsAre("Siehe X1.", "Dann X1 oder (X2)."));
  EXPECT_THAT(texts_in("https://x.org\n\na@x.org\n\n/usr/share/doc\n", "txt"), IsEmpty());
}

TEST(Document, PlainTextKeepsCode) {
  for (const std::string code :
       {"$ pip install x", "  $ ./run test \\\n      --all", ">>> f(x)\n... g", "C:\\x> dir b",
        "me@host:~/a$ make install it now", "[me@host ~]$ make it",
        "Traceback (most recent call last):\n  File \"a.py\", line 3, in g\n    return only this\n"
        "KeyError: no such key is there",
        "\tat org.x.F.g(F.java:12)", "    for a in b:\n        f(a)\n\n        x = 1",
        "    if a not in the list of b:\n        f()", "    from typing import Any\n    x = {}"}) {
    EXPECT_THAT(texts_in("One.\n\n" + code + "\n\nTwo.\n", "txt"), ElementsAre("One.", "Two."))
        << code;
  }
  // Text with such signs is text.
  for (const std::string text :
       {"$ 5 is too much", ">>> said he", "    The function f(x) is used in this",
        "    Call the file(s)", "    # Set up the default values", "at home (now)",
        "x@y.org: $ is a sign", "... and then"}) {
    EXPECT_THAT(texts_in("One.\n\n" + text + "\n", "txt"), testing::SizeIs(2)) << text;
  }
  // The first line of a paragraph may be indented.
  EXPECT_THAT(texts_in("    f(x) ist\nso schön.\n", "txt"), ElementsAre("f(x) ist so schön."));
  // A sentence between lines of code is text.
  EXPECT_THAT(texts_in("    a = f()\n    # This is a comment here.\n    b = g()\n", "txt"),
              ElementsAre("This is a comment here."));
}

TEST(Document, PlainTextKeepsDrawnTables) {
  const std::string table =
      "+------+-----+\n| Name | Age |\n+======+=====+\n| Ann  |   5 |\n+------+-----+\n";
  EXPECT_THAT(texts_in("Title\n=====\n" + table + "The end.\n", "txt"),
              ElementsAre("Title", "The end."));
  EXPECT_THAT(texts_in("┌────┬────┐\n│ ab │ cd │\n└────┴────┘\n", "txt"), IsEmpty());
  EXPECT_THAT(texts_in(" id | name\n----+------\n  1 | Ann\n\n", "txt"), IsEmpty());
  EXPECT_THAT(texts_in("| a | b |\n| c | d |\n", "txt"), IsEmpty());
  // A sentence in a cell is text, and so is a box with one column.
  const std::string option =
      "+----+---------------------------+\n| -v | Says more than it did. |\n"
      "+----+---------------------------+\n";
  EXPECT_THAT(texts_in(option, "txt"), ElementsAre("Says more than it did."));
  EXPECT_EQ(with(document(option, "txt"), {"Mehr."}),
            "+----+---------------------------+\n| -v | Mehr. |\n"
            "+----+---------------------------+\n");
  const std::string box = "+-------------+\n| Read this   |\n| before use. |\n+-------------+\n";
  EXPECT_THAT(texts_in(box, "txt"), ElementsAre("Read this before use."));
  EXPECT_EQ(with(document(box, "txt"), {"Lies das vor Benutzung."}),
            "+-------------+\n| Lies das   |\n| vor Benutzung. |\n+-------------+\n");
  // These are no tables.
  EXPECT_THAT(texts_in("He | she.\n", "txt"), ElementsAre("He | she."));
  EXPECT_THAT(texts_in("Wait\n...\nNow\n", "txt"), testing::SizeIs(2));
}

TEST(MarkdownDocument, LinesBreakAtTheBlankNearestToTheSameShare) {
  const std::string text = "aaaa bbbb\ncccc\ndddd";  // of 19 bytes the breaks are at 9 and 14
  EXPECT_EQ(with_each(text, "markdown", "1 2 3 4 5 6 7 8 9 0"), "1 2 3 4 5\n6 7\n8 9 0");
  EXPECT_EQ(with_each(text, "markdown", "one two"), "one\ntwo");
  EXPECT_EQ(with_each(text, "markdown", "one"), "one");
  EXPECT_EQ(with_each(text, "markdown", "a verylongwordattheend x"), "a\nverylongwordattheend\nx");
}

TEST(MarkdownDocument, NoLineOfATranslationBecomesAnItem) {
  EXPECT_EQ(with_each("aaaa\nbbbb", "markdown", "aaa - bbb"), "aaa -\nbbb");
  EXPECT_EQ(with_each("aaaa\nbbbb", "markdown", "aa # bb"), "aa #\nbb");
}

TEST(PlainDocument, ScriptsWithoutBlanksAreJoinedAndBrokenWithoutThem) {
  EXPECT_THAT(texts_in("今天下雨\n我不出门\n", "txt"), ElementsAre("今天下雨我不出门"));
  EXPECT_EQ(with_each("ab cd\nef gh\n", "txt", "今天下雨了吗"), "今天下\n雨了吗\n");
}

TEST(PlainDocument, TheLetterOMayBeABullet) {
  const std::string text =
      "o One two.\n  o Three four\n    five.\no Six.\n\nVimos todo\no Brasil.\n";
  for (const char* const format : {"txt", "markdown"}) {
    EXPECT_THAT(texts_in(text, format),
                ElementsAre("One two.", "Three four five.", "Six.", "Vimos todo o Brasil."))
        << format;
    EXPECT_EQ(with_each("o One two.\no Three.\n", format, "X"), "o X\no X\n");
  }
}

TEST(PlainDocument, ABlankTranslationLeavesItsSentence) {
  EXPECT_EQ(with_each("One. Two.", "txt", " "), "One. Two.");
  EXPECT_THROW(with(document("One. Two.", "txt"), {"x"}), Bug);
}

TEST(PlainDocument, SentencesThatAreTooLongAreCut) {
  const Document cut("Short.\n\nOne two, three\nfour five. Six.", *format_named("txt"),
                     {.read = {.source_language = "en"},
                      .fits = [](const std::string& text) { return text.size() <= 16; }});
  EXPECT_THAT(texts_of(cut), ElementsAre("Short.", "One two,", "three four five.", "Six."));
  EXPECT_EQ(cut.too_long(), 1);
  EXPECT_EQ(cut.first_too_long(), 3);
  EXPECT_EQ(with(cut, {"a", "b", "c d", "e"}), "a\n\nb c\nd e");
}

TEST(Document, ItemsInOneWordHaveOneName) {
  EXPECT_THAT(
      texts_in("It is {{ width }}x{{ height }}px. Not {{ a }}, {{ b }} or {{ c }}s {{ d }}.", "md"),
      ElementsAre("It is X1.", "Not X1 or X2s X3."));
  EXPECT_EQ(with(document("It is {{ w }}x{{ h }}px now.", "md"), {"Now X1 is it."}),
            "Now {{ w }}x{{ h }}px is it.");
  EXPECT_THAT(texts_in("See {{ a }}.b{{ c }} and {{ d }}long{{ e }}.", "md"),
              ElementsAre("See X1 and X2."));
}

TEST(Document, AddressesEndBeforeWhatIsWrittenWithAnEscape) {
  const std::string
      po =
          "msgid \"\"\nmsgstr \"\"\n\nmsgid \"Open \\\"http://localhost\\\", %\\n\"\nmsgstr \"\"\n",
      json = R"({"t": "Open \"http://a.org\" or http:\/\/a.org\/b or a\u0040b.org now"})";
  EXPECT_EQ(with(document(po, "po"), {"NOW \"X1\", %"}),
            "msgid \"\"\nmsgstr \"\"\n\n#, fuzzy\nmsgid \"Open \\\"http://localhost\\\", %\\n\"\n"
            "msgstr \"NOW \\\"http://localhost\\\", %\\n\"\n");
  const Document read(json, *format_named("jsonl"), {.read = {.columns = {"t"}}});
  EXPECT_THAT(texts_of(read), ElementsAre("Open \"X1\" or X2 or X3 now"));
  EXPECT_EQ(with(read, {"\"X3\" X2 \"X1\""}),
            R"({"t": "\"a\u0040b.org\" http:\/\/a.org\/b \"http://a.org\""})");
  EXPECT_THAT(texts_in("<p>See https://a.org/?a=1&amp;b=2&gt; or a&#64;b.org now.", "html"),
              ElementsAre("See X1> or X2 now."));
}

TEST(Document, AddressesMayHaveItems) {
  for (const char* const format : {"txt", "md", "html"})
    EXPECT_THAT(texts_in("It is (https://{{ a }}{{ b }}/c?d={{ e }}), see http://www.{{ f }}/g. "
                         "Now {{ h }} too.",
                         format),
                ElementsAre("It is (X1), see X2.", "Now X1 too."))
        << format;
}

TEST(PlainDocument, TagsOfTemplatesMayHaveSeveralLines) {
  const std::string mail =
      "{# One\n\ntwo #}\n{{ f('three',\n     a=b) }}\nFour {{ g(c,\nd) }} five.\n{# "
      "never\nclosed\n";
  EXPECT_THAT(texts_in(mail, "txt"), ElementsAre("Four X1 five.", "{# never", "closed"));
}

TEST(PlainDocument, TagsOfTemplatesStay) {
  const std::string mail =
      "{% load i18n %}\n{% if a %}\nHello {{ user.name }}, you have {{ n }} messages.\n"
      "{% endif %}The {% if b %}one{% else %}two{% endif %} dogs.\n";
  EXPECT_THAT(texts_in(mail, "txt"),
              ElementsAre("Hello X1, you have X2 messages.", "The X1 dogs.", "one", "two"));
  EXPECT_EQ(with_each("{% load a %}\nOne {{ b }} two.\n", "txt", "X1 a."),
            "{% load a %}\n{{ b }} a.\n");
  EXPECT_THAT(texts_in("a {b} <c> {{d", "txt"), ElementsAre("a {b} <c> {{d"));
}

TEST(Document, SymbolsThatTheVocabularyLacksStay) {
  const auto read = [](const std::string& text, const char* format) {
    return Document(text, *format_named(format), {.knows = [](const std::string& character) {
                      return std::string("©—€✔😀“。").find(character) == std::string::npos;
                    }});
  };
  // "a b" in place of each sentence.
  const auto filled = [&](const std::string& text, const char* format) {
    const Document read_text = read(text, format);
    return with(read_text, std::vector<std::string>(texts_of(read_text).size(), "a b"));
  };
  EXPECT_THAT(texts_of(read("© 2024 One — two, 5 € each.", "txt")),
              ElementsAre("2024 One two, 5 each."));
  EXPECT_EQ(filled("© One.\n\nTwo ✔\uFE0F😀\n\n“Three.”\n", "txt"),
            "© a b\n\na b ✔\uFE0F😀\n\n“a b\n");
  // Known symbols are text, in a word all are.
  EXPECT_THAT(texts_of(read("One™ – two’s 5€6.", "txt")), ElementsAre("One™ – two’s 5€6."));
  // They end sentences where they would as text.
  EXPECT_THAT(texts_of(read("今天下雨。我不出门。", "txt")), ElementsAre("今天下雨", "我不出门"));
  EXPECT_EQ(filled("<p>&copy; One &mdash; two &amp; &trade;.</p>", "html"),
            "<p>&copy; a &mdash; b</p>");
}

TEST(Document, AWordOfOneUnknownLetterIsASymbol) {
  const auto texts = [](const std::string& text, const char* format) {
    return texts_of(
        Document(text, *format_named(format), {.knows = [](const std::string& character) {
                   return std::string("πα×").find(character) == std::string::npos;
                 }}));
  };
  EXPECT_THAT(texts("Use 2 &times; &pi; here, &pi;", "markdown"), ElementsAre("Use 2 here,"));
  EXPECT_THAT(texts("<p>One &pi; two", "html"), ElementsAre("One two"));
  // In a word it is a letter as any other, and so it is where it is written as itself.
  EXPECT_THAT(texts("<p>&pi;&alpha;&pi; a&pi; &pi;2 π", "html"), ElementsAre("παπ aπ π2 π"));
}

TEST(Document, NamesOfOptionsInMarkupAreWhole) {
  EXPECT_THAT(texts_in("Use **--input** or *-v* with **two words**, and *-ing*.", "markdown"),
              ElementsAre("Use X1 or X2 with two words, and -ing."));
  EXPECT_EQ(with(document("<p>Use <b>--input</b>=<i>FILE</i> or <b>-a</b> <i>FILE</i> now", "html"),
                 {"JETZT X1 ODER X2 DATEI NUN"}),
            "<p>JETZT <b>--input</b>=<i>FILE</i> ODER <b>-a</b> <i>DATEI</i> NUN");
  EXPECT_THAT(texts_in("<p>Take <b>--in=</b><i>FILE</i> or <b>-b</b>=c", "html"),
              ElementsAre("Take X1 or X2=c"));
}

TEST(PlainDocument, FilesForRobotsStay) {
  EXPECT_THAT(
      texts_in("# One two\n\nUser-agent: *\nAllow: /engage/\nAllow: /$\nDisallow: /\n", "txt"),
      ElementsAre("One two"));
  EXPECT_THAT(texts_in("Allow: /a\n\nHost: me\n", "txt"), ElementsAre("Allow: /a", "Host: me"));
}

TEST(PlainDocument, BrokenBytesAreRepairedForTheModelAndStay) {
  EXPECT_THAT(texts_in("a\xFF.", "txt"), ElementsAre("a\uFFFD."));
  EXPECT_EQ(with(document("a\xFF.", "txt"), {"a\uFFFD."}), "a\xFF.");
}

TEST(MarkdownDocument, BlocksThatAreNoText) {
  const std::string text =
      "---\ntitle: x\n---\n# Head\nOne\ntwo\n\n```c\nint x;\n\n```\n\n    code();\n\n\tcode\n"
      "\n~~~\n# x\n```\n~~~\n$$\na = b\n$$\n[name]: http://x.y \"z\"\n***\nThree\n=====\n";
  EXPECT_THAT(texts_in(text, "markdown"), ElementsAre("Head", "One two", "Three"));
  EXPECT_THAT(texts_in("```\nnever closed\n", "markdown"), IsEmpty());
  EXPECT_THAT(texts_in("--- a\nb\n---\n", "markdown"), ElementsAre("--- a b"));
  EXPECT_THAT(
      texts_in("* a\n```\nb\n```\n\n    code\n\n* c\n\n    d\n\n| e\n\n    code", "markdown"),
      ElementsAre("a", "c", "d", "| e"));
  EXPECT_THAT(texts_in("> ```\n> x\n> ```\n> y\n", "markdown"), ElementsAre("y"));
}

TEST(MarkdownDocument, BlocksEndWhereTheyEnd) {
  EXPECT_THAT(texts_in("$$ a = b\n+ c $$\n\nOne two.\n", "markdown"), ElementsAre("One two."));
  EXPECT_THAT(texts_in("$$$ one.\n\nTwo.\n", "markdown"), ElementsAre("$$$ one.", "Two."));
  EXPECT_THAT(texts_in("$$ one\n\nTwo.\n", "markdown"), testing::Contains("Two."));
  EXPECT_THAT(texts_in("> ```\n> code\n\nOne.\n", "markdown"), ElementsAre("One."));
  EXPECT_THAT(texts_in("<!-- a > b\n\nc -->\n\nOne.\n", "markdown"), ElementsAre("One."));
  EXPECT_THAT(texts_in("<pre>\na\n\n```\n</pre>\n\nOne.\n", "markdown"), ElementsAre("One."));
  EXPECT_THAT(texts_in("<SCRIPT a>b</script>\nOne.\n<presto>Two.\n", "markdown"),
              testing::IsSupersetOf({"One."}));
  EXPECT_EQ(with_each("# One #\n\n## Two\n\n# C#\n", "markdown", "X"), "# X #\n\n## X\n\n# X\n");
  EXPECT_EQ(with_each("# One {#one}\n## Two ## {.big #two}\n### Three {: #x}\n# {name} and {n}\n",
                      "markdown", "X"),
            "# X {#one}\n## X ## {.big #two}\n### X {: #x}\n# X\n");
  EXPECT_THAT(texts_in("## {#one}\n", "markdown"), ElementsAre());
}

TEST(MarkdownDocument, TagsReferencesAndPicturesStayWhole) {
  for (const std::string& markup :
       {std::string("<a title=\"b > c\" href=\"d\">"), std::string("<!-- a > b -->"),
        std::string("&copy;"), std::string("&nbsp;"),
        "](data:image/png;base64," + std::string(100000, 'a') + ")"}) {
    const std::string line = (markup[0] == ']' ? "One ![two" : "One ") + markup + " three.\n";
    EXPECT_NE(with_each(line, "markdown", "X").find(markup), std::string::npos)
        << markup.substr(0, 20);
  }
  std::string open;
  for (int i = 0; i < 20000; ++i) open += "[a](";
  EXPECT_EQ(with(document(open, "markdown"), texts_in(open, "markdown")), open);
}

TEST(MarkdownDocument, ListsQuotationsTablesAndNotes) {
  EXPECT_THAT(
      texts_in("* [ ] one\n  two\n\n      code\n\n  three\n> 1. four\n> 2. five\n", "markdown"),
      ElementsAre("one two", "three", "four", "five"));
  const std::string table = "a | b\n--|:-:\nOne. Two. | c \\| d\n\nno | table\n| x |\n";
  EXPECT_THAT(texts_in(table, "markdown"),
              ElementsAre("a", "b", "One.", "Two.", "c | d", "no | table | x |"));
  EXPECT_EQ(with_each(table, "markdown", "z z"), "z z | z z\n--|:-:\nz z z z | z z\n\nz\nz\n");
  EXPECT_EQ(with_each("[^1]: One\n two\n\nAa.[^1] B\n", "markdown", "z"), "[^1]: z\n\nz[^1] z\n");
  EXPECT_EQ(with_each("a  \nb\\\nc\n<p>\nd\n</p>\n", "markdown", "z"),
            "z  \nz\\\nz\n<p>\nz\n</p>\n");
}

TEST(MarkdownDocument, MarkupLandsWhereItsWordsAreByAttention) {
  const std::string text = "See [the page](http://x.y/a_(b)) or `run *x*`.";
  const std::string model = "See the page or X1.";
  EXPECT_EQ(put(text, "markdown", model, "Siehe die Seite oder X1.", {{0}, {1}, {2}, {3}, {4}}),
            "Siehe [die Seite](http://x.y/a_(b)) oder `run *x*`.");
  EXPECT_EQ(put(text, "markdown", model, "X1 oder die Seite, siehe.", {{4}, {3}, {1}, {2}, {0}}),
            "`run *x*` oder [die Seite](http://x.y/a_(b)), siehe.");
  EXPECT_EQ(put(text, "markdown", model, model, {{3}, {2}, {1}, {0}}), text);
  EXPECT_EQ(put("a `c` d [^1] e", "markdown", "a X1 d e", "E D A", {{3}, {2}, {0}}),
            "E D [^1] A `c`");  // the model has not copied the name
}

TEST(MarkdownDocument, EmphasisIsAroundTheTranslationsOfItsWords) {
  const std::vector<std::vector<std::size_t>> reversed = {{3}, {2}, {1}, {0}};
  EXPECT_EQ(put("a **c d** e", "markdown", "a c d e", "E D C A", reversed), "E **D C** A");
  EXPECT_EQ(put("a **c *d*** e", "markdown", "a c d e", "E D C A", reversed), "E ***D* C** A");
  EXPECT_EQ(put("_a c_ d ~~e~~", "markdown", "a c d e", "E D C A", reversed), "~~E~~ D _C A_");
  EXPECT_EQ(put("a **c**, d e.", "markdown", "a c, d e.", "E D, C A.", reversed), "E D, **C** A.");
  EXPECT_EQ(put("a **[c](x) d** e", "markdown", "a c d e", "E D C A", reversed),
            "E **D [C](x)** A");
  // Around nothing the marks would be text: they are around the word that is nearest to theirs.
  EXPECT_EQ(put("a **c** d", "markdown", "a c d", "D A", {{2}, {0}}), "D **A**");
  EXPECT_EQ(put("a **c** _d_", "markdown", "a c d", "D .", {{2}, {0}}), "_D_ .");
  // So is a link, which nobody would see.
  EXPECT_EQ(put("a [c](x) d", "markdown", "a c d", "D A", {{2}, {0}}), "D [A](x)");
  EXPECT_EQ(put("a [c](x) d", "markdown", "a c d", "!", {{2}}), "! [](x)");
}

// CommonMark 0.31.2, section 6.2; the numbers are those of its examples.
TEST(AnyDocument, AddressesInAngleBracketsAreOneItem) {
  EXPECT_EQ(texts_in("See <https://a.org/b> or <a@b.org>; now.", "txt"),
            Texts({"See X1 or X2; now."}));
  EXPECT_EQ(with_each("See <https://a.org/b> now.", "txt", "Sieh X1 jetzt."),
            "Sieh <https://a.org/b> jetzt.");
}

TEST(AnyDocument, NamesOfProgramsStay) {
  const Texts seen = {"Set X1 or X2 now."};
  EXPECT_EQ(texts_in("Set min_copier_version or `x` now.\n\n### progress_bar\n", "markdown"), seen);
  EXPECT_EQ(texts_in("Set min\\_copier\\_version or _MERGE_HEAD_ now.", "markdown"), seen);
  EXPECT_EQ(texts_in("Set __MERGE_HEAD__ or _see_ it.", "markdown"), Texts({"Set X1 or see it."}));
  EXPECT_EQ(texts_in("Set MERGE_HEAD or get_user() now.", "txt"), seen);
  EXPECT_EQ(texts_in("<p>Set <b>MERGE_HEAD</b> or de_DE now.</p><p>max_len", "html"), seen);
  EXPECT_EQ(texts_in("<a>Set settings.INSTALLED_APPS or $RUN_ID now.</a>", "xml"), seen);
  EXPECT_EQ(texts_in("msgid \"Set min_version or max_version now.\"\nmsgstr \"\"\n", "po"), seen);
  EXPECT_EQ(texts_in("Ask Leser_innen and der_die Leiter_in.", "txt"),
            Texts({"Ask Leser_innen and der_die Leiter_in."}));
}

TEST(MarkdownDocument, MarksThatAreNoEmphasisAreText) {
  for (const std::string text :
       {"a * foo bar*", "a_Foo_bar", "2 * 3 * 4", "** is not an empty emphasis",
        "foo_Bar_baz"})  // 351, 360, 434, 361
    EXPECT_THAT(texts_in("x " + text + " y", "markdown"), ElementsAre("x " + text + " y"));
  EXPECT_THAT(texts_in("x a \\*b\\* c y", "markdown"), ElementsAre("x a *b* c y"));
  EXPECT_THAT(texts_in("x a*\"foo\"* y", "markdown"), ElementsAre("x a*\"foo\"* y"));      // 352
  EXPECT_THAT(texts_in("x foo*bar* y", "markdown"), ElementsAre("x foobar y"));            // 355
  EXPECT_THAT(texts_in("x *foo**bar**baz* y", "markdown"), ElementsAre("x foobarbaz y"));  // 411
  EXPECT_THAT(texts_in("x *foo**bar* y", "markdown"), ElementsAre("x foo**bar y"));        // 412
  EXPECT_THAT(texts_in("x **foo* y", "markdown"), ElementsAre("x *foo y"));                // 442
  EXPECT_THAT(texts_in("x *foo _bar* baz_ y", "markdown"),
              ElementsAre("x foo _bar baz_ y"));                                     // 470
  EXPECT_THAT(texts_in("x *[bar*](/url) y", "markdown"), ElementsAre("x *bar* y"));  // 473
}

TEST(MarkdownDocument, MarksOfEmphasisWithoutOtherHalfAreReadInTime) {
  std::string text = "One";
  while (text.size() < 300'000) text += " _a* **b_ __c**";
  EXPECT_EQ(texts_in(text, "markdown").size(), 1U);
}

TEST(MarkdownDocument, PunctuationBesideCodeStaysThere) {
  const auto translated = [](const std::string& text, const std::string& model,
                             const std::string& translation) {
    const Document read = document(text, "markdown");
    EXPECT_THAT(texts_of(read), ElementsAre(model));
    return with(read, {translation});
  };
  EXPECT_EQ(translated("text (see `code`), then", "text (see X1), then", "TEXT (SEE X1), THEN"),
            "TEXT (SEE `code`), THEN");
  EXPECT_EQ(translated("Use **`a`**: it, “`b`” and ('`c`').", "Use X1: it, “X2” and ('X3').",
                       "USE X1: IT, “X2” AND ('X3')."),
            "USE **`a`**: IT, “`b`” AND ('`c`').");
  EXPECT_EQ(translated("More (https://x.y/z), or <https://x.y>; less.", "More (X1), or X2; less.",
                       "MORE (X1), OR X2; LESS."),
            "MORE (https://x.y/z), OR <https://x.y>; LESS.");
  EXPECT_EQ(translated("Say (`a`,\nor `b`).", "Say (X1, or X2).", "SAY (X1, OR X2)."),
            "SAY (`a`,\nOR `b`).");
  EXPECT_EQ(translated("in `a`, `b`, and `c`.", "in X1, and X2.", "IN X1, AND X2."),
            "IN `a`, `b`, AND `c`.");
  EXPECT_EQ(translated("`a`: one, `b`!", "X1: one, X2!", "EINS X2, X1!"), "EINS `b`, `a`!");
  EXPECT_EQ(translated("The `a`'s of l'`b` and `c`s", "The X1's of l'X2 and X3s",
                       "THE X3S OF L'X1 AND x2-S"),
            "THE `c`S OF L'`a` AND `b`-S");
}

TEST(MarkdownDocument, NamesThatStandForCodeAreNoWordsOfTheText) {
  EXPECT_THAT(texts_in("See `a` and x12 or Q3.\n", "markdown"),
              ElementsAre("See Z1 and x12 or Q3."));
  EXPECT_THAT(texts_in("`a` (`b`), **`c`** [`d`](e) ![f](g)\n", "markdown"), ElementsAre("X1 f"));
  EXPECT_THAT(texts_in("pre`a` b `c`1\n", "markdown"), ElementsAre("pre b 1"));
  EXPECT_THAT(texts_in("**`a`** is _b `c`_ in [`d`](e)!\n", "markdown"),
              ElementsAre("X1 is b X2 in X3!"));
  EXPECT_THAT(texts_in("a <br> b `c`<br> `d`, e\n", "markdown"), ElementsAre("a", "b X1", "X1, e"));
  // So many are a table, and hardly all copied.
  std::string many;
  for (int i = 0; i < 40; ++i) many += "`a` b ";
  EXPECT_THAT(texts_in(many, "markdown")[0], testing::StartsWith("b b b"));
}

TEST(MarkdownDocument, CodeWhoseNameIsNotCopiedOnceIsNotLost) {
  const Document read = document("See `a` and `b` here.", "markdown");
  const Segment& segment = read.text().segments()[0];
  EXPECT_EQ(segment.text, "See X1 and X2 here.");
  EXPECT_TRUE(has_stand_ins(segment, "X2 hier, x1"));
  for (const std::string text : {"X1 hier", "X1 X2 X1", "X1 X21", "AX1 X2", "X1 X3", ""})
    EXPECT_FALSE(has_stand_ins(segment, text)) << text;
  EXPECT_EQ(with(read, {"Siehe X2 und."}), "Siehe `a` `b` und.");
  const Segment without = make_segment(segment.raw, segment.tokens, segment.writing, StandIns::no);
  EXPECT_EQ(without.text, "See and here.");
  EXPECT_TRUE(has_stand_ins(without, "Siehe X1"));
}

TEST(MarkdownDocument, ATranslationWithRemainsOfNamesIsRefused) {
  const auto accepts = [](const std::string& text, const std::string& translation) {
    const Document read = document(text, "markdown");
    return has_stand_ins(read.text().segments().at(0), translation);
  };
  // The text is "See X1 and X2 here."
  const std::string see = "See `a` and `b` here.";
  EXPECT_TRUE(accepts(see, "X1 und X2 hier"));
  for (const std::string translation :
       {"X1 und X2 hier:1: geteilt", "X1, X2,\nY1.", "X1 und X2 in X.", "X1 und X2, q7", "X1 X2-1",
        "X1.5 X2", "X1 und X2 in X \"hier\""})
    EXPECT_FALSE(accepts(see, translation)) << translation;
  EXPECT_TRUE(accepts(see, "X1 x X2, Xaver und MeX"));
  // What the text itself has may come back, as often.
  const std::string four = "The A4 page of `a` has 10000 dots, or 1.5 X.";
  EXPECT_TRUE(accepts(four, "Die A4-Seite von X1 hat 10.000 Punkte oder 1,5 X."));
  EXPECT_TRUE(accepts(four, "X1 10\u00A0000 1,5 X A4"));
  for (const std::string translation :
       {"A4 X1 10000 1.5 X X", "A4 A4 X1 10000", "X1 10000 und 10000", "X1 100", "X1 4"})
    EXPECT_FALSE(accepts(four, translation)) << translation;
  EXPECT_TRUE(accepts("See `a`.", "参见X1。"));
  EXPECT_FALSE(accepts("See `a`.", "参见X1和X。"));
}

TEST(MarkdownDocument, ManyItemsAreReadInTime) {
  std::string text = "One";
  while (text.size() < 200'000) text += " `a` two [^1]<br> `b`, **`c`**";
  const Document read = document(text, "markdown");
  EXPECT_EQ(with(read, texts_of(read)), text);
}

// The model writes no marks at the ends of words.
TEST(MarkdownDocument, StopsAndBracketsBesideCodeThatATranslationLacksComeBack) {
  const auto translated = [](const std::string& text) {
    const Document read = document(text, "markdown");
    Texts out;
    for (const std::string& one : in_capitals(texts_of(read)))
      out.push_back(text::without_punctuation(one));
    return with(read, out);
  };
  EXPECT_EQ(translated("More [^1]; or (see [^2])!"), "MORE [^1]; OR (SEE [^2])!");
  // The translation has what stands elsewhere, and as many.
  const Document read = document("See [^1]. or: [^2] b", "markdown");
  EXPECT_EQ(with(read, {"Siehe, oder?!"}), "Siehe [^1], [^2] oder?!");
}

TEST(MarkdownDocument, CodeBeforeAnEndingIsNotGluedToOtherWords) {
  EXPECT_EQ(put("For `a`s this is b.", "markdown", "For X1s this is b.", "Für dies ist B.",
                {{0}, {2}, {3}, {4}}),
            "Für `a` dies ist B.");
}

TEST(MarkdownDocument, CodeInASentenceEndsAtAsManyBackticks) {
  EXPECT_EQ(with_each("``a ` b`` c", "markdown", "X"), "``a ` b`` X");
  EXPECT_EQ(with_each("`a``b`` c", "markdown", "X Y"), "X``b`` Y");  // a part of a word
}

TEST(MarkdownDocument, ItemsDirectlyBesideEachOtherAreWrittenOnce) {
  EXPECT_EQ(with_each("See `a`<img/>, `b` here.\n", "markdown", "X here."),
            "X `a`<img/>, `b` here.\n");
}

TEST(MarkdownDocument, ReferencesInWordsAreCharacters) {
  EXPECT_THAT(texts_in("f&uuml;r R&amp;D &lt;b &copy; c", "markdown"), ElementsAre("für R&D b c"));
  EXPECT_EQ(with_each("f&uuml;r R&amp;D", "markdown", "A&B < c"), "A&amp;B &lt; c");
  EXPECT_EQ(with_each("für R&D", "markdown", "A&B < c"), "A&B < c");
}

TEST(MarkdownDocument, LinksWithoutTextBetweenThemAreSegments) {
  EXPECT_THAT(texts_in("[![Build it](b.svg)](b) ![Ask us](x) | [Docs](d)\n", "markdown"),
              ElementsAre("Build it", "Ask us", "Docs"));
  EXPECT_EQ(with_each("[![Build it](b.svg)](b) ![Ask us](x) | [Docs](d).\n", "markdown", "X"),
            "[![X](b.svg)](b) ![X](x) | [X](d).\n");
  EXPECT_THAT(texts_in("[One](a) or [two](b)", "markdown"), ElementsAre("One or two"));
}

TEST(MarkdownDocument, AnAddressEndsBeforeAFullStopOfAnotherScript) {
  const std::string text = "请看 https://example.org/a。然后运行这个程序。";
  EXPECT_THAT(texts_in(text, "markdown"), ElementsAre("请看 X1。", "然后运行这个程序。"));
  EXPECT_EQ(with(document(text, "markdown"), {"X1好。", "好。"}), "https://example.org/a好。好。");
}

TEST(MarkdownDocument, TagsWithoutAnEndAreReadInTime) {
  std::string text;
  while (text.size() < 300'000) text += "<a ";  // a minute, if each were read to the end
  EXPECT_EQ(texts_in(text, "markdown").size(), 1U);
}

TEST(MarkdownDocument, FormulasTemplatesAndNotesStay) {
  EXPECT_THAT(texts_in("> [!NOTE]\n> One\n> two\n\n> [!tip]- Three\n", "markdown"),
              ElementsAre("One two", "Three"));
  EXPECT_EQ(capitals_of("> [!note] a $x_i$ b\n\n{% include a.html %}\n", "markdown"),
            "> [!note] A $x_i$ B\n\n{% include a.html %}\n");
  EXPECT_EQ(
      capitals_of("::: tip a b\nc d\n:::\n\n!!! note \"e f\"\n    g h\n\n!!! i j\n", "markdown"),
      "::: tip A B\nC D\n:::\n\n!!! note \"E F\"\n    G H\n\n!!! I J\n");
  EXPECT_EQ(capitals_of("See {{ site.name }}, :rocket: or $$a b$$.", "markdown"),
            "SEE {{ site.name }}, :rocket: OR $$a b$$.");
  for (const std::string text : {"It costs $5 or $6, at 10:30:45 {see} a::b:c", "(5$), or 6$",
                                 "$HOME/$USER and $A", "US$5, A$6$"})
    EXPECT_THAT(texts_in(text, "markdown"), ElementsAre(text));
  EXPECT_THAT(texts_in("> [!a](x) b", "markdown"), ElementsAre("!a b"));
}

TEST(MarkdownDocument, CodeAndTextDoNotChangePlaces) {
  const std::string text =
      "Say:\n\n````md\nA fence is\n    ```\n```\nmade of backticks.\n````\n\nOne.\n\n- two\n\n"
      "  ```\n  three\n  ```\n\n> ```\n> four\n\nFive. <!-- six -->\n<!-- seven --> Eight.\n";
  EXPECT_THAT(texts_in(text, "markdown"), ElementsAre("Say:", "One.", "two", "Five.", "Eight."));
  EXPECT_THAT(texts_in("---\n\nOne.\n\n---\n\nTwo.\n", "markdown"), ElementsAre("One.", "Two."));
}

TEST(MarkdownDocument, MarkupAroundASentenceIsNotTranslated) {
  EXPECT_THAT(texts_in("[The page](x) ![a *b*](y.png \"z\")", "markdown"),
              ElementsAre("The page", "a b"));
  EXPECT_THAT(texts_in("**One.** *Two*", "markdown"), ElementsAre("One.", "Two"));
  EXPECT_THAT(texts_in("![A b.](x.png)", "markdown"), ElementsAre("A b."));
  EXPECT_THAT(texts_in("<b>One. Two</b><br>", "markdown"), ElementsAre("One.", "Two"));
  EXPECT_THAT(texts_in("`x` <http://a.b> https://a.b. [](x) \\*", "markdown"), IsEmpty());
  EXPECT_THAT(texts_in("`x` is [open and <3 or a < b", "markdown"),
              ElementsAre("X1 is [open and <3 or a < b"));
}

TEST(SubtitleDocument, CuesAreReadByThemselves) {
  const std::string srt =
      "1\r\n00:00:01,000 --> 00:00:02,000 X1:1\r\n<i>How are\r\nyou? Fine.</i>\r\n\r\n2\r\n"
      "00:00:03,000 --> 00:00:04,000\r\n{\\an8}- Who?\r\n- Me\r\n\r\n and you\r\n";
  EXPECT_THAT(texts_in(srt, "srt"), ElementsAre("How are you?", "Fine.", "Who?", "Me and you"));
  EXPECT_EQ(capitals_of(srt, "srt"),
            "1\r\n00:00:01,000 --> 00:00:02,000 X1:1\r\n<i>HOW ARE\r\nYOU? FINE.</i>\r\n\r\n2\r\n"
            "00:00:03,000 --> 00:00:04,000\r\n{\\an8}- WHO?\r\n- ME\r\n\r\n AND YOU\r\n");
}

TEST(SubtitleDocument, NumbersOfCuesStayHoweverLinesEnd) {
  for (const std::string end : {"\n", "\n\n", "\r\r\n"}) {
    std::string srt =
        "1\n00:00:01,000 --> 00:00:02,000\nThe dog\n\n2\n-00:00:03,000 --> 00:00:04,000\nsleeps\n";
    for (std::size_t at = 0; (at = srt.find('\n', at)) != srt.npos; at += end.size())
      srt.replace(at, 1, end);
    EXPECT_THAT(texts_in(srt, "srt"), ElementsAre("The dog", "sleeps")) << end.size();
  }
  EXPECT_THAT(
      texts_in("1\n00:01,000 --> 00:02,000\nIn\n1984\n\n2\n00:03,000 --> 00:04,000\n42 m\n", "srt"),
      ElementsAre("In 1984", "42 m"));
}

TEST(SubtitleDocument, TextMayHaveArrowsAndReferences) {
  EXPECT_THAT(texts_in("1\n00:01,000 --> 00:02,000\nThe dog\nred --> house\n", "srt"),
              ElementsAre("The dog red --> house"));
  EXPECT_THAT(with_each("WEBVTT\n\n00:01.000 --> 00:02.000\nA &lt;3 b\n", "vtt", "X <3"),
              testing::HasSubstr("X &lt;3"));
}

TEST(SubtitleDocument, BlocksOfWebVttThatAreNoCuesStay) {
  const std::string vtt =
      "WEBVTT - x\nKind: y\n\nNOTE\nz\n\nSTYLE\n::cue {}\n\nid\n00:01.000 --> 00:02.000 line:0\n"
      "<v Anna>One <c.red>two</c>\n\nNOTE three\n\n00:03.000 --> 00:04.000\nFour";
  EXPECT_THAT(texts_in(vtt, "vtt"), ElementsAre("One two", "Four"));
  EXPECT_THAT(texts_in("WEBVTT\n\nno time\n", "vtt"), IsEmpty());
}

/// The document; nothing where the bytes are none of this format.
std::optional<Document> document_of(const std::string& bytes, const DocumentFormat& format,
                                    const DocumentOptions& options) try {
  return Document(bytes, format, options);
} catch (const UserError&) {
  return std::nullopt;
}

/// Documents of lines that mean something, and of broken ones, come back as they are; and where
/// letters become capitals, nothing but letters changes.
TEST(AnyDocument, GivesItsBytesBack) {
  const Texts parts = {"\n",
                       "\n",
                       "\r\n",
                       "\n\n",
                       "\r",
                       " ",
                       "  ",
                       "\t",
                       "    ",
                       "> ",
                       "- ",
                       "* ",
                       "12. ",
                       "1) ",
                       "# ",
                       "## ",
                       "```",
                       "`",
                       "``",
                       "$$",
                       "~~~",
                       "---",
                       "===",
                       "|",
                       "\\",
                       "[",
                       "](x y)",
                       "][z]",
                       "![",
                       "[^1]",
                       "[^1]: ",
                       "[a]: b",
                       "<b>",
                       "</b>",
                       "<br/>",
                       "<!-- x -->",
                       "<",
                       ">",
                       "{\\an8}",
                       ",",
                       ";",
                       "\"\"",
                       "**",
                       "_",
                       "https://x.y/z",
                       "<v Bo>",
                       "Word",
                       "a",
                       "two words",
                       ". ",
                       "! ",
                       "\" ",
                       ", ",
                       "Mr. ",
                       "3. ",
                       "\xFF",
                       "\uFEFF",
                       "ä",
                       "今天。",
                       "\u00A0",
                       "1\n00:01,0 --> 00:02,0\n",
                       "\nNOTE ",
                       "\nSTYLE",
                       "WEBVTT",
                       "-->",
                       std::string("\0", 1)};
  std::mt19937 random(1);
  for (int round = 0; round < 4000; ++round) {
    std::string bytes;
    for (unsigned left = random() % 40; left > 0; --left) bytes += parts[random() % parts.size()];
    for (const DocumentFormat& format : document_formats()) {
      const std::size_t most = 1 + random() % 30;
      const auto found =
          document_of(bytes, format,
                      {.read = {.source_language = "de", .columns = {"1"}},
                       .fits = [&](const std::string& text) { return text.size() <= most; }});
      if (!found) continue;
      const Document& read = *found;
      ASSERT_EQ(with(read, texts_of(read)), bytes) << format.name << "\n" << bytes;
      const std::string capitals = with(read, in_capitals(texts_of(read)));
      // Inlays may have other neighbours, and lines may end elsewhere; emphasis needs words.
      const bool has_inlays = std::ranges::any_of(
          read.text().segments(), [](const Segment& one) { return !one.inlays.empty(); });
      const auto compared = [&](std::string text) {
        if (format.is_table) std::erase(text, '"');  // around cells that need them
        for (const auto& [written, character] :      // by Writing::escaped
             {std::pair<std::string, std::string>{"&LT;", "<"}, {"&GT;", ">"}, {"→", "-->"}})
          for (std::size_t at = 0; (at = text.find(written, at)) != text.npos;)
            text.replace(at, written.size(), character);
        if (format.name == "markdown")  // by Writing::with_backslash, which sets fewer or more
          for (std::size_t at = 0; (at = text.find('\\', at)) != text.npos; ++at)
            if (std::ispunct(static_cast<unsigned char>(text.c_str()[at + 1]))) text.erase(at, 1);
        if (!has_inlays) return text;
        std::erase_if(text, [](char c) {
          return std::string(" \t\r\n\xC2\xA0*_~\\").find(c) != std::string::npos;
        });
        std::ranges::sort(text);
        return text;
      };
      // A link whose text is the name of its address gets the name.
      const bool has_names = std::ranges::any_of(read.text().segments(), [](const Segment& one) {
        return std::ranges::any_of(one.tokens,
                                   [](const Token& token) { return !token.written.empty(); });
      });
      // A translation of HTML has references where the page may have the characters.
      if (format.name != "html" && !has_names && bytes.find('\xFF') == std::string::npos &&
          bytes.find("\uFEFF") == std::string::npos && bytes.find('\0') == std::string::npos) {
        ASSERT_EQ(compared(in_capitals({capitals})[0]), compared(in_capitals({bytes})[0]))
            << format.name << "\n"
            << bytes;
      }
      // Other translations, with blanks enough for all line breaks.
      std::string words;
      for (int i = 0; i < 80; ++i) words += "x ";
      const std::string other = with(read, Texts(texts_of(read).size(), words));
      ASSERT_EQ(std::ranges::count(other, '\n'), std::ranges::count(bytes, '\n'))
          << format.name << "\n"
          << bytes;
    }
  }
}

}  // namespace
}  // namespace heed::document
