#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "document/tables.h"

namespace heed::document {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(JsonLines, StringsOfAKeyAreTranslatedAndAllElseStays) {
  const std::string text =
      "\uFEFF{\"id\": 1, \"text\" : \"The dog sleeps. It dreams.\", \"n\": -1.5e3}\r\n"
      "{\"text\":null,\"more\":[true,{\"text\":\"inside\"}]}\n\n{\"text\":\"red\"}";
  EXPECT_THAT(cells_in(text, "jsonl", {"text"}),
              ElementsAre("The dog sleeps.", "It dreams.", "red"));
  EXPECT_EQ(
      with_cells(text, "jsonl", {"text"}, "a \"b\" \\c"),
      "\uFEFF{\"id\": 1, \"text\" : \"a \\\"b\\\" \\\\c a \\\"b\\\" \\\\c\", \"n\": -1.5e3}\r\n"
      "{\"text\":null,\"more\":[true,{\"text\":\"inside\"}]}\n\n"
      "{\"text\":\"a \\\"b\\\" \\\\c\"}");
  EXPECT_EQ(with_same_cells(text, "jsonl", {"text", "more.text"}), text);
  EXPECT_THAT(table(text, "jsonl", {"text"}).lines(), ElementsAre(1, 1, 4));
}

TEST(JsonLines, APathGoesThroughObjectsAndLists) {
  const std::string text =
      "{\"translation\":{\"de\":\"Hund\",\"en\":\"dog\"},\"turns\":[{\"says\":\"One\"},\"Two\","
      "{\"says\":\"Three\"}],\"a.b\":\"Four\"}";
  EXPECT_THAT(cells_in(text, "jsonl", {"translation.de"}), ElementsAre("Hund"));
  EXPECT_THAT(cells_in(text, "jsonl", {"turns.says"}), ElementsAre("One", "Three"));
  EXPECT_THAT(cells_in(text, "jsonl", {"turns"}), ElementsAre("Two"));
  EXPECT_THAT(cells_in(text, "jsonl", {"a.b"}), ElementsAre("Four"));
  EXPECT_THAT(cells_in("[\n  {\"t\": \"One\"},\n  {\"t\": \"Two\"}\n]\n", "jsonl", {"t"}),
              ElementsAre("One", "Two"));
  EXPECT_THAT(cells_in("{\"gr\\u00f6\\u00dfe\": \"One\"}", "jsonl", {"größe"}), ElementsAre("One"));
}

TEST(JsonLines, EscapesAreCharactersAndLineFeedsEndAParagraph) {
  const std::string text =
      R"({"t":"gro\u00df \"A\" \/ \ud83d\ude00 x\n\n  Two\tthree \ud83d y\u0007 z"})";
  EXPECT_THAT(cells_in(text, "jsonl", {"t"}),
              ElementsAre("groß \"A\" / \U0001F600 x", "Two", "three y z"));
  EXPECT_EQ(with_same_cells(text, "jsonl", {"t"}), text);
  // A file that is ASCII by its escapes stays so.
  EXPECT_EQ(with_cells(R"({"t":"\u00df x\ny"})", "jsonl", {"t"}, "ä \U0001F600"),
            R"({"t":"\u00e4 \ud83d\ude00\n\u00e4 \ud83d\ude00"})");
  EXPECT_EQ(with_cells(R"({"t":"ß \u0041"})", "jsonl", {"t"}, "ä\x01"), R"({"t":"ä\u0001"})");
  EXPECT_EQ(with_cells(R"({"t":"x"})", "jsonl", {"t"}, "ä"), R"({"t":"ä"})");
}

TEST(JsonLines, NumbersOfListsStay) {
  const std::string text = R"({"t":"Steps:\n  1) One\n  2. Two\n4. May"}{"t":"1. May"})";
  EXPECT_THAT(cells_in(text, "jsonl", {"t"}),
              ElementsAre("Steps:", "One", "Two", "4. May", "1. May"));
  EXPECT_EQ(with_cells(text, "jsonl", {"t"}, "z"), R"({"t":"z\n  1) z\n  2. z\nz"}{"t":"z"})");
}

TEST(JsonLines, MistakesNameKeysAndLines) {
  EXPECT_EQ(mistake_in("{\"id\":1,\"text\":\"a\"}\n", "jsonl", {"txt"}),
            "--column txt: no string has this key; there are: text");
  EXPECT_THAT(mistake_in("{\"text\":\"a\"}\n", "jsonl", {}), HasSubstr("there are: text"));
  EXPECT_THAT(mistake_in("{\"text\":\"a\"}\n{\"text\":\"b\n\"}\n", "jsonl", {"text"}),
              HasSubstr("line 2: '\"b\\n\"}\\n' is a string without an end in its line"));
  for (const char* wrong : {"{\"a\":1", "{a:1}", "{\"a\" 1}", "[1,]", "{\"a\":tru}", "{\"a\":1]",
                            "{\"a\":\"\\x\"}", "}", "{\"a\"", "[1 2]", "{,}"})
    EXPECT_THAT(mistake_in(std::string("{\"a\":1}\n") + wrong, "jsonl", {"a"}),
                testing::AllOf(testing::StartsWith("line 2: "), HasSubstr("not JSON")))
        << wrong;
  EXPECT_THAT(cells_in(" \n", "jsonl", {"text"}), IsEmpty());
  EXPECT_EQ(mistake_in("{\"a\":1} {\"b\":[]}\n", "jsonl", {"a"}), "");
}

TEST(JsonLines, DepthHasNoLimit) {
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "[";
  deep += "{\"t\":\"One\"}";
  for (int i = 0; i < 100000; ++i) deep += "]";
  EXPECT_THAT(cells_in(deep, "jsonl", {"t"}), ElementsAre("One"));
}

}  // namespace
}  // namespace heed::document
