// Files that are not lines of text, and lines that only look like those.
#include "text/no_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "message.h"
#include "temporary_folder.h"
#include "text/lines.h"
#include "text/pairs.h"

namespace heed::text {
namespace {

using testing::HasSubstr;

/// "" for text.
std::string kind_of(std::string_view beginning) {
  const auto found = no_text(beginning);
  return found ? found->what.substr(0, found->what.find_first_of(",;")) : "";
}

/// A pointer as `git lfs pointer` 3.3.0 writes it.
const std::string kPointer =
    "version https://git-lfs.github.com/spec/v1\n"
    "oid sha256:33ee84959077f96815faf1d8ce92e99847678318f782cc6c9e5fe78ec24c8b0c\nsize 9\n";
/// A text in the form of WMT's test sets.
const std::string kTestSet =
    "<refset setid=\"newstest2016\" srclang=\"any\" trglang=\"de\">\n"
    "<doc sysid=\"ref\" docid=\"a\" genre=\"news\" origlang=\"de\">\n<p>\n"
    "<seg id=\"1\">Obama empf\u00E4ngt Netanyahu</seg>\n<seg id=\"2\"> A &amp;\nB "
    "</seg>\n</p>\n</doc>\n"
    "</refset>\n";

TEST(NoText, IsAPointerOrMarkup) {
  EXPECT_EQ(kind_of(kPointer), "a pointer of Git LFS");
  EXPECT_TRUE(no_text(kPointer)->is_pointer);
  EXPECT_TRUE(
      no_text("version https://git-lfs.github.com/spec/v1\next-0-a sha256:0\noid sha256:1\n")
          ->is_pointer);
  for (const char* page : {"<!DOCTYPE html>", " \n<html lang=\"en\">\n<head>",
                           "<html>\r\n<head><title>404</title></head>",
                           "<head><title>Document Moved</title></head>\n<body>",
                           "<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0 Strict//EN\"\n "
                           "\"xhtml1-strict.dtd\">\n<html>",
                           "<!-- saved\n\nfrom -->\n<!doctype html><p>",
                           "<?xml version=\"1.0\"?>\n<html xmlns=\"x\">"})
    EXPECT_EQ(kind_of(page), "a page of HTML") << page;
  EXPECT_EQ(kind_of(kTestSet), "a test set with tags");
  EXPECT_EQ(kind_of("\xEF\xBB\xBF<?xml version=\"1.0\"?>\n<!DOCTYPE mteval SYSTEM \"\">\n<mteval>\n"
                    "<srcset setid=\"a\" srclang=\"de\">"),
            "a test set with tags");
  EXPECT_EQ(kind_of("<?xml version=\"1.0\"?>\n<Error><Code>NoSuchKey</Code></Error>"),
            "a file of XML");
  EXPECT_EQ(kind_of("<tmx version=\"1.4\">\n<header/>"), "a translation memory (TMX)");
  EXPECT_EQ(kind_of("<?xml version=\"1.0\"?>\n<xliff version=\"1.2\">"), "a file of XLIFF");
  EXPECT_EQ(kind_of("<page xmlns=\"http://projectmallard.org/1.0/\" id=\"a\">\n<info>"),
            "a file of XML");
  EXPECT_EQ(kind_of("<a xmlns:b=\"c\">text"), "");
  EXPECT_EQ(kind_of("<doc docid=\"1\">\n<seg id=\"1\">a</seg>"), "a test set with tags");
  EXPECT_EQ(kind_of("%PDF-1.4\n%"), "a PDF");
  EXPECT_EQ(kind_of("<url>http://x.y</url>\n<keywords>a</keywords>\n<talkid>1</talkid>\nThe dog\n"),
            "a text with tags of IWSLT");
  for (const char* tags : {"<doc docid=\"1\" genre=\"lectures\">\nThe dog.\n</doc>\n",
                           "<doc id=\"1\" url=\"http://x\" title=\"y\">\r\nThe dog.\n",
                           "<url>http://x.y</url>\n<keywords>a</keywords>\nThe dog.\n"})
    EXPECT_EQ(kind_of(tags), "a text with tags of documents (<doc>)") << tags;
  // As pyarrow 26.0.1 writes a file and a stream.
  EXPECT_EQ(kind_of(std::string_view("ARROW1\x00\x00", 8)), "a table in the format Arrow");
  EXPECT_EQ(kind_of(std::string_view("\xFF\xFF\xFF\xFF\x98\x00\x00\x00", 8)),
            "a table in the format Arrow");
  EXPECT_EQ(kind_of(std::string_view("PAR1\x15\x00", 6)), "a table in the format Parquet");
  // As CPython 3.12, NumPy, SQLite, msgfmt 0.21 and others begin their files.
  EXPECT_EQ(kind_of(std::string_view("\x80\x04\x95\x11\0\0\0\0", 8)), "a pickle of Python");
  EXPECT_EQ(kind_of("\x80\x02}q"), "a pickle of Python");
  EXPECT_EQ(kind_of("\x93NUMPY\x01"), "an array of NumPy");
  EXPECT_EQ(kind_of("SQLite format 3"), "a database of SQLite");
  EXPECT_EQ(kind_of("\xDE\x12\x04\x95"), "compiled messages of GNU gettext (MO)");
  EXPECT_EQ(kind_of("{\\rtf1\\ansi A man.}"), "a document in RTF");
  EXPECT_EQ(kind_of("%!PS-Adobe-3.0\n"), "a file of PostScript");
  std::string tar(512, '\0');
  tar.replace(0, 4, "a.de").replace(257, 5, "ustar");
  EXPECT_EQ(kind_of(tar), "a tar archive");
}

/// As translate-toolkit 3.20, msgcat 0.21 and other programs write them.
const std::string kMessages =
    "# German.\nmsgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\n#: x.c:1\nmsgid \"Open\"\n"
    "msgstr \"\u00D6ffnen\"\n";

TEST(NoText, IsADocument) {
  EXPECT_EQ(kind_of(kMessages), "messages of GNU gettext (PO)");
  for (const char* cues :
       {"1\n00:00:01,000 --> 00:00:02,500\nThe dog\n\n2\n",
        "\xEF\xBB\xBF\r\n1\r\n00:00:01,000 --> 00:00:02,500\r\nThe dog\r\n",
        "WEBVTT\n\n00:01.000 --> 00:02.000\nThe dog\n", "[Script Info]\nScriptType: v4.00+\n",
        "1\n-00:00:01,000 --> 00:00:00,500\na\n", "0:00:01.000,0:00:02.000\na\n",
        "{25}{50}The dog\n"})
    EXPECT_EQ(kind_of(cues), "subtitles") << cues;
  for (const char* error : {"{\"error\":\"Repository not found\"}",
                            "{\n  \"message\": \"Not Found\",\n  \"status\": 404\n}\n",
                            "{\"errors\":[{\"code\":\"UNAUTHORIZED\"}]}\n"})
    EXPECT_EQ(kind_of(error), "an answer of a server in JSON") << error;
  // Some of them end by a line feed, as those of Go's servers do.
  for (const std::string refusal :
       {"404: Not Found", "404 page not found", "HTTP/1.1 403 Forbidden", "Entry not found",
        "Too Many Requests", "429: Too Many Requests", "Repository not found", "Access denied",
        "Bad Gateway", "error code: 1020",
        "Access to model x/y is restricted. You must have access to it. Please log in."})
    for (const char* end : {"", "\n", "\r\n"})
      EXPECT_EQ(kind_of(refusal + end), "the words of a server that has no such file") << refusal;
  EXPECT_EQ(kind_of("<Error><Code>AccessDenied</Code></Error>"), "an answer of a server in XML");
  for (const std::string& json :
       {std::string("{\"translation\": {\"en\": \"a\", \"de\": \"b\"}}\n{\"translation\": {}}\n"),
        std::string("[\n  {\"en\": \"a\"}"), "{\"text\": \"" + std::string(5000, 'x')})
    EXPECT_EQ(kind_of(json), "JSON") << json.substr(0, 50);
}

TEST(NoText, IsInAFormOfPrograms) {
  for (const char* patch : {"--- a\n+++ b\n@@ -1 +1 @@\n-A man\n+A dog\n",
                            "diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n"})
    EXPECT_EQ(kind_of(patch), "a patch of `diff`") << patch;
  for (const char* tex : {"\\documentclass{article}\n\\begin{document}\nA man.\n",
                          "% A letter.\n\\documentclass[a4paper]{letter}\n"})
    EXPECT_EQ(kind_of(tex), "a document of LaTeX") << tex;
  EXPECT_EQ(kind_of("1\tA\ta\tDET\tDT\t_\t2\tdet\t_\t_\n2\tman\tman\tNOUN\tNN\t_\t0\troot\t_\t_\n"),
            "a treebank in CoNLL-U");
  for (const char* messages :
       {"/* No comment */\n\"a\" = \"A man\";\n", "a.b=A man\n! x\na.c = A dog\n\na.d=\n",
        "[de]\nhello = A man\n    .title = x\n# c\ndogs = Dogs\ncats=Cats\n"})
    EXPECT_EQ(kind_of(messages), "messages of a program with their keys") << messages;
  for (const char* text :
       {"--- a\n+++ b\n", "\\documentclass begins a file\n", "a=1\nb=2\n", "x=1\nx=2\nx=3\n",
        "1=1\n2=2\n3=3\n", "a b = c\nd = e\nf = g\n", "a = b\nc = d\ne = f\nText\n", "# a\n# b\n",
        "\"a\" = \"b\"\n", "diff --gitx\n", "1\tA\ta\n", "{\\rtf}", "%!PS\n", "\x80",
        "\xC2\x80\x04"})
    EXPECT_EQ(kind_of(text), "") << text;
}

TEST(NoText, OfJsonBecomesLinesOfBothSides) {
  const TemporaryFolder folder;
  for (const std::string& json :
       {std::string(
            "[\n {\"en\": \"a\\nb\", \"de\": \"\u00E4\"},\n {\"en\": \"c\", \"de\": \"d\"}\n]\n"),
        std::string("[{\"en\": \"a  b\", \"de\": \"\u00E4\"}, {\"en\": \"c\", \"de\": \"d\"}]"),
        std::string("{\"translation\": {\"en\": \"a b\", \"de\": \"\u00E4\"}}\n\n{\"en\": \"c\", "
                    "\"de\": \"d\"}\n")}) {
    const auto found = no_text(json);
    ASSERT_TRUE(found) << json;
    const std::string old = folder.write("old", json), made = folder / "new";
    const std::string command = "PYTHONUTF8=1 " + found->program + " < " + old + " > " + made;
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
    EXPECT_EQ(read_file(made), "a b\t\u00E4\nc\td\n") << json;
  }
  const auto one = no_text("{\n  \"a\": \"b\"\n}\n");  // has no pairs
  ASSERT_TRUE(one);
  EXPECT_EQ(one->program, "");
}

// The program prints the values of objects; of a list it would print Python's notation.
TEST(NoText, OfJsonWithoutTextsInItsObjectsHasNoCommand) {
  for (const auto& [json, key] : std::vector<std::pair<std::string, std::string>>{
           {"{\"data\": [{\"translation\": {\"en\": \"a\", \"de\": \"b\"}}]}\n", "data"},
           {"{\"version\": \"{[\", \"rows\": [{\"row\": {\"en\": \"a\"}}]}", "rows"},
           {"{\"en\": [\"a\"], \"de\": [\"b\"]}\n", "en"},
           {"{\"messages\": [{\"role\": \"user\"}]}\n{\"messages\": []}\n", "messages"},
           {"[{\"a\": \"\\\"{\", \"meta\": {\"id\": 1}}]", "meta"},
           {"{\"translation\": {\"en\": [\"a\"], \"de\": \"b\"}}\n", "en"},
           {"{\"data\": [{\"en\": \"" + std::string(5000, 'x'), "data"}}) {
    const auto found = no_text(json);
    ASSERT_TRUE(found) << json;
    EXPECT_EQ(found->program, "") << json;
    EXPECT_EQ(found->what, "JSON, not lines of text, and '" + key +
                               "' of an object is a list or an object and no text; write the texts "
                               "of both sides as lines")
        << json;
  }
  for (const std::string json : {"{\"id\": \"[\", \"translation\": {\"en\": \"{\", \"de\": \"b\"}, "
                                 "\"n\": 1}\n{\"a\": [1]}\n",
                                 "{\"en\": \"a\", \"de\": \"b\"}\n"})
    EXPECT_NE(no_text(json).value().program, "") << json;
}

TEST(NoText, IsNoTextThatLooksLikeADocument) {
  for (const char* text : {"1\n2\n3",
                           "1\nThe dog\n",
                           "00:00:01 is a time",
                           "WEBVTTX\n",
                           "404: Not Found\nThe dog\n",
                           "Entry not found in the book\n",
                           "404 dogs\n",
                           "Gone\n",
                           "Error 404\n",
                           "error code: 10\n",
                           "Access to models is restricted.\n",
                           "<doc id=\"1\"> is a tag\n",
                           "<doc id=\"1\"/>\nThe dog\n",
                           "<url>http://x.y</url>\nThe dog\n",
                           "msgid is a keyword\nmsgstr \"a\"",
                           "{\"a\": 1} is an object\n",
                           "{\"a\": 1}\nis an object\n",
                           "msgid \"a\"\nThe dog\nmsgstr \"b\"",
                           "{name} is here\n{\"x\"}",
                           "[Script Info] says it",
                           "Not found here",
                           "{ }\n",
                           "{25} dogs\n",
                           "{25}{}",
                           "0:1,2",
                           "-1:0 --- 2",
                           "12:30,14:30",
                           "# A title\n\nText\n\n# Another\n\nText\n",
                           "<unk>\n<unk> a",
                           "<b>Hello</b>\n<b>World</b>",
                           "<doc>\nThe dog",
                           "[1]\n[2]",
                           "\"a\": b"})
    EXPECT_EQ(kind_of(text), "") << text;
}

TEST(NoText, IsADocumentOfItsFormats) {
  const auto may_be = [](std::string_view bytes, std::string_view format) {
    return no_text(bytes)->may_be(format);
  };
  for (const char* format : {"tmx", "xliff", "xml"}) {
    EXPECT_TRUE(may_be("<tmx version=\"1.4\">\n<header/>", format)) << format;
    EXPECT_TRUE(may_be("<?xml version=\"1.0\"?>\n<xliff version=\"2.0\">", format)) << format;
    EXPECT_FALSE(may_be("<!DOCTYPE html>", format)) << format;
    EXPECT_FALSE(may_be("%PDF-1.4\n%", format)) << format;
  }
  for (const char* format : {"html", "markdown", "txt"})
    EXPECT_FALSE(may_be("<tmx version=\"1.4\">\n<header/>", format)) << format;
  EXPECT_TRUE(may_be(kMessages, "po pot"));
  EXPECT_FALSE(may_be(kMessages, "srt"));
  EXPECT_TRUE(may_be("<!DOCTYPE html>", "html"));
  // SubViewer's files end as those of MicroDVD do.
  EXPECT_TRUE(may_be("00:00:01.00,00:00:02.00\nOne\n\n00:00:03.00,00:00:04.00\nTwo\n", "sub"));
  EXPECT_FALSE(may_be("00:00:01.00,00:00:02.00\nOne\n\n00:00:03.00,00:00:04.00\nTwo\n", "txt"));
  EXPECT_FALSE(may_be("PAR1", ""));
}

TEST(NoText, IsNoLineThatSpeaksOfMarkup) {
  for (const char* text :
       {"", "version 1", "html", "<b>bold</b>", "<html> is the root of a page.", "<2de> Ein Mann",
        "<!DOCTYPE html> begins a page", "<htmlx>", "<srcset>is an attribute</srcset>", "<!-- open",
        "<doc>\n<p>", "<?xml version=\"1.0\"?> begins a file", "<html", "PDF", "%PDF- begins a PDF",
        "<head> is no part of it", "<url>is a tag</url>",
        "version https://git-lfs.github.com/spec/v1 begins a pointer\nand text",
        "1\n<html>\n<head>"})
    EXPECT_EQ(kind_of(text), "") << text;
}

TEST(NoText, IsRefusedByEveryReaderOfLinesWithTheCure) {
  const TemporaryFolder folder;
  const std::string pointer = folder.write("a.de", kPointer), set = folder.write("b.de", kTestSet);
  EXPECT_EQ(message_of<UserError>([&] { read_lines(pointer); }),
            pointer + ": a pointer of Git LFS, not the text; `git lfs pull` fetches it");
  const std::string message = message_of<UserError>([&] { read_pairs(set, pointer); });
  const std::string start =
      set + ": a test set with tags, not lines of text; its segments as lines: ";
  ASSERT_TRUE(message.starts_with(start)) << message;
  std::string cure = message.substr(start.size());
  ASSERT_TRUE(cure.ends_with(" > NEW")) << cure;
  cure.replace(cure.size() - 3, 3, folder / "new");
  ASSERT_EQ(std::system(cure.c_str()), 0) << cure;
  EXPECT_THAT(read_lines(folder / "new"),
              testing::ElementsAre("Obama empf\u00E4ngt Netanyahu", "A & B"));
}

/// The lines that the command at the end of the message makes of the file.
std::vector<std::string> cured(const TemporaryFolder& folder, const std::string& bytes) {
  const std::string file = folder.write("old", bytes),
                    message = message_of<UserError>([&] { read_lines(file); });
  const std::size_t command = message.find(": ", file.size() + 2);
  if (command == std::string::npos || message.find(" > NEW") == message.npos)
    return {"no cure", message};
  const std::string cure = message.substr(command + 2), made = cure.substr(cure.rfind("NEW"));
  if (std::system(("cd " + folder / "" + " && " + cure).c_str()) != 0) return {"failed", cure};
  if (made == "NEW") return read_lines(folder / made);
  std::vector<std::string> rows;
  const Pairs pairs = read_pairs(folder / made, "");
  for (std::size_t i = 0; i < pairs.source.size(); ++i)
    rows.push_back(pairs.source[i] + "\t" + pairs.target[i]);
  return rows;
}

TEST(NoText, IsCuredByTheCommandOfTheMessage) {
  const TemporaryFolder folder;
  using testing::ElementsAre;
  EXPECT_THAT(cured(folder,
                    "# sent_id = 1\n# text = A # man\n1\tA\ta\tDET\tDT\t_\t2\tdet\t_\t_\n\n"
                    "# text = Dogs\n1\tDogs\tdog\tNOUN\t_\t_\t0\troot\t_\t_\n"),
              ElementsAre("A # man", "Dogs"));
  EXPECT_THAT(cured(folder,
                    "<doc docid=\"1\" genre=\"lectures\">\n<url>http://x.y</url>\n"
                    "<keywords>a</keywords>\n<talkid>1</talkid>\n<title>T</title>\n"
                    "<reviewer href=\"x\">A B</reviewer>\nThe dog\n<b> is bold\n</doc>\n"),
              ElementsAre("The dog", "<b> is bold"));
  EXPECT_THAT(cured(folder, "{\"translation\": {\"en\": \"A\\nb\", \"de\": \"\u00C4\"}}\n"),
              ElementsAre("A b\t\u00C4"));
  EXPECT_THAT(cured(folder, "{\"en\": \"a\", \"de\": \"b\"}\n{\"en\": \"c\", \"de\": \"d\"}\n"),
              ElementsAre("a\tb", "c\td"));
  EXPECT_THAT(
      cured(
          folder,
          "<?xml version=\"1.0\"?>\n<xliff xmlns=\"urn:oasis:names:tc:xliff:document:1.2\" "
          "version=\"1.2\"><file><body><trans-unit id=\"1\"><source>A <g id=\"1\">b</g></source>"
          "<target>\u00C4\n b</target></trans-unit><trans-unit id=\"2\"><source>C</source><target/>"
          "</trans-unit></body></file></xliff>"),
      ElementsAre("A b\t\u00C4 b"));
  EXPECT_THAT(
      cured(
          folder,
          "<?xml version='1.0' encoding='utf-8'?>\n<dataset id=\"newstest2021.en-de\">\n"
          "<doc origlang=\"en\" id=\"a\">\n<src lang=\"en\">\n<p>\n<seg id=\"1\">A &amp; b</seg>\n"
          "<seg id=\"2\">C</seg>\n</p></src>\n<ref lang=\"de\" translator=\"A\"><p><seg id=\"1\">"
          "\u00C4</seg><seg id=\"2\">Z</seg></p></ref><ref lang=\"de\" translator=\"B\"><p>"
          "<seg id=\"1\">x</seg></p></ref></doc>\n<doc id=\"b\"><src><p><seg id=\"1\">D</seg></p>"
          "</src></doc></dataset>"),
      ElementsAre("A & b\t\u00C4", "C\tZ"));
}

// The first bytes of a file are looked at before a reader of lines has it.
TEST(NoText, IsToldByMoreThanItsFirstLine) {
  const TemporaryFolder folder;
  const std::string comment = "<!-- " + std::string(100, 'x') + " -->\n",
                    page = folder.write("a.de", comment + "<html>\n<head>\n"),
                    text = folder.write("b.de", comment + "<html> is a tag.\n");
  EXPECT_THAT(message_of<UserError>([&] { read_lines(page); }), HasSubstr("a page of HTML"));
  EXPECT_EQ(read_lines(text).size(), 2U);
}

TEST(NoText, WithTagsIsReadWhereTagsMayBe) {
  const TemporaryFolder folder;
  LineReader page(folder.write("a.html", "<html>\n<body>\n"), text::LongLines::cut);
  std::string line;
  ASSERT_TRUE(page.next(line));
  EXPECT_EQ(line, "<html>");
  EXPECT_THAT(page.no_text(), HasSubstr("a.html: a page of HTML"));
  LineReader pointer(folder.write("b", kPointer), text::LongLines::cut);
  EXPECT_THAT(message_of<UserError>([&] { pointer.next(line); }), HasSubstr("git lfs pull"));
}

}  // namespace
}  // namespace heed::text
