#include "document/format.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/strings.h"

namespace heed::document {
namespace {

std::string name_of(const DocumentFormat* format) {
  return format ? std::string(format->name) : "";
}

TEST(DocumentFormats, AreFoundByNamesOfFiles) {
  EXPECT_EQ(name_of(format_of_name("a/README.md")), "markdown");
  EXPECT_EQ(name_of(format_of_name("book/intro.Rmd")), "markdown");
  EXPECT_EQ(name_of(format_of_name("index.qmd")), "markdown");
  EXPECT_EQ(name_of(format_of_name("film.SRT.gz")), "srt");
  EXPECT_EQ(name_of(format_of_name("film.vtt.zst")), "vtt");
  EXPECT_EQ(name_of(format_of_name("table.csv")), "csv");
  EXPECT_EQ(name_of(format_of_name("texts.ndjson")), "jsonl");
  for (const char* xml :
       {"a.xml", "keyboard.page", "task.dita", "book.ditamap", "book.docbook", "a.resx"})
    EXPECT_EQ(name_of(format_of_name(xml)), "xml") << xml;
  EXPECT_TRUE(format_of_name("notes.txt")->is_lines);
  for (const char* plain : {"train.de", "test.mkd", "md", ".md", "a.md/train.en.gz", "-", "", "a."})
    EXPECT_EQ(format_of_name(plain), nullptr) << plain;
}

TEST(DocumentFormats, AreFoundByTheirFirstLines) {
  const auto found = [](const std::string& text) {
    return name_of(format_of_text(split(text, '\n')));
  };
  EXPECT_EQ(found("WEBVTT\n\n00:01.000 --> 00:02.000\na"), "vtt");
  EXPECT_EQ(found("\n1\n00:00:01,000 --> 00:00:02,000\na"), "srt");
  EXPECT_EQ(found("\uFEFF0:00:01.000,0:00:02.000\na"), "sbv");
  EXPECT_EQ(found("[INFORMATION]\n[TITLE]\n"), "sbv");
  EXPECT_EQ(found("{1}{25}a"), "microdvd");
  EXPECT_EQ(found("[Script Info]\na"), "ass");
  EXPECT_EQ(found("[information]\na = b"), "");
  EXPECT_EQ(found("{\"a\": 1}"), "jsonl");
  EXPECT_EQ(found("[\n  { \"a\":\n"), "jsonl");
  EXPECT_EQ(found("# One\n\nTwo\n\n## Three\n\nFour"), "markdown");
  EXPECT_EQ(found("One\n```\ncode\n```\n"), "markdown");
  for (const char* plain :
       {"", "\n\n", "WEBVTT2 is here", "1\n2", "12:30 --> noon", "{name} is here", "{\"a\", \"b\"}",
        "[1] One", "[{\"One\"}]", "# One\nTwo\n# Three", "#1 One\n\n#2 Two\n", "A `b` c", "{ \"",
        "[", "00:00 is midnight", "1\n12:30 is later"})
    EXPECT_EQ(found(plain), "") << plain;
}

}  // namespace
}  // namespace heed::document
