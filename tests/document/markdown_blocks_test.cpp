// Which lines of Markdown are code. Each case is CommonMark 0.31.2, sections 4.4 to 4.6 and 5;
// markdown-it-py 4.3.0 reads all of them so.
#include "document/markdown_blocks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/strings.h"

namespace heed::document {
namespace {

/// For each line `#` where it is kept, and `.` where it may be text.
std::string kept_lines(const std::string& document) {
  MarkdownBlocks blocks;
  std::string out;
  for (const std::string& line : split(document, '\n'))
    out += blocks.next(line).is_kept ? '#' : '.';
  return out;
}

TEST(MarkdownBlocks, AFenceEndsAtALineOfItsMarkThatIsAtLeastAsLong) {
  EXPECT_EQ(kept_lines("```\na\n```\nb"), "###.");
  EXPECT_EQ(kept_lines("```\n    ```\na\n```\nb"), "####.");  // indented: no end
  EXPECT_EQ(kept_lines("   ```\n   ```\nb"), "##.");
  EXPECT_EQ(kept_lines("````\n```\na\n`````  \nb"), "####.");  // too short, long enough
  EXPECT_EQ(kept_lines("```\n~~~\n``` x\na\n```\nb"), "#####.");
  EXPECT_EQ(kept_lines("~~~ ``` ~~~\n```\n~~~\nb"), "###.");
  EXPECT_EQ(kept_lines("```\n> ```\n```\nb"), "###.");
  EXPECT_EQ(kept_lines("```\n```\t\nb"), "##.");
}

TEST(MarkdownBlocks, AFenceBeginsWithThreeMarksThatAreNotTooFarIn) {
  EXPECT_EQ(kept_lines("a\n```\nb\n```"), ".###");
  EXPECT_EQ(kept_lines("``\na\n``"), "...");
  EXPECT_EQ(kept_lines("``` a ```\nb"), "..");  // code inside a sentence
  EXPECT_EQ(kept_lines("``` a`\nb"), "..");
  EXPECT_EQ(kept_lines("    ```\na"), "#.");
  EXPECT_EQ(kept_lines("a\n    ```\nb"), "...");  // the paragraph goes on
}

TEST(MarkdownBlocks, AFenceBelongsToItsItemOrQuotation) {
  EXPECT_EQ(kept_lines("- a\n\n  ```\n  b\n\n  ```\n  c"), "..####.");
  EXPECT_EQ(kept_lines("- ```\n  a\nb"), "##.");  // ends with the item
  EXPECT_EQ(kept_lines("> ```\n> a\nb"), "##.");  // ends with the quotation
  EXPECT_EQ(kept_lines("> ```\n\nb"), "#..");
  EXPECT_EQ(kept_lines("10. a\n\n    ```\n    b\n    ```\n\n    c"), "..###..");
  EXPECT_EQ(kept_lines("- a\n\n      ```\n\n  b"), "..#..");  // four columns in the item: code
  EXPECT_EQ(kept_lines("1. a\n   > ~~~\n   > b\n   > ~~~\n   > c"), ".###.");
  EXPECT_EQ(kept_lines("> a\n```\nb\n```\nc"), ".###.");
  EXPECT_EQ(kept_lines("-\n  ```\n  a\n  ```\nb"), ".###.");
  EXPECT_EQ(kept_lines("-\n\n      a"), "..#");  // an empty item ends at a blank line
  EXPECT_EQ(kept_lines("-\t```\n\ta\n\t```\nb"), "###.");
  EXPECT_EQ(kept_lines("```\na\n\nb"), "####");  // without an end, to that of the document
}

TEST(MarkdownBlocks, IndentedCodeFollowsWhatIsNoParagraph) {
  EXPECT_EQ(kept_lines("a\n    b\n\n    c\n\td\n  e"), "...##.");
  EXPECT_EQ(kept_lines("# a\n    b\n***\n    c\n```\n```\n    d"), ".#.####");
  EXPECT_EQ(kept_lines("a\n=\n    b"), "..#");
  EXPECT_EQ(kept_lines("- a\n\n    b\n\n        c\n\nd\n"), "....#...");
  EXPECT_EQ(kept_lines("-     a\n\n  b"), "#..");
  EXPECT_EQ(kept_lines("> a\n    b\n\n>     c"), "...#");
  EXPECT_EQ(kept_lines("a\n2. b\n\n2. c\n\n       d"), ".....#");  // 2. interrupts no paragraph
}

TEST(MarkdownBlocks, HtmlEndsAsItsBeginningSays) {
  EXPECT_EQ(kept_lines("<!-- a\n\n```\n-->\nb"), "####.");
  EXPECT_EQ(kept_lines("<Script>\n\n    a\n</script>\nb"), "####.");
  EXPECT_EQ(kept_lines("<?php\n\na\n?>\n<!DOCTYPE\nhtml>\n<![CDATA[\n\n]]>\nb"), "#########.");
  EXPECT_EQ(kept_lines("<div>\n```\n    a\n\n```\nb\n```"), "....###");
  EXPECT_EQ(kept_lines("<b x='>'>\n```\n\n</b >\n    c\n\n    d"), "......#");
  EXPECT_EQ(kept_lines("a\n<b>\n```\nc\n```"), "..###");  // a tag of no block ends no paragraph
  EXPECT_EQ(kept_lines("<prefix>\n```\n```\n"), "....");
  EXPECT_EQ(kept_lines("> <pre>\nb"), "#.");
  MarkdownBlocks blocks;
  EXPECT_EQ(blocks.next("<!-- a --> b").text, 10U);
  EXPECT_EQ(blocks.next("    <!-- a --> b").text, 16U);
}

TEST(MarkdownBlocks, VeryManyContainersTakeNoTimeBySquare) {
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "- ";
  EXPECT_EQ(kept_lines(deep + "a\n" + std::string(100000, '>') + "a"), "..");
}

}  // namespace
}  // namespace heed::document
