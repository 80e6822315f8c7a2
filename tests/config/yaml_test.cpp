#include "config/yaml.h"

#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <limits>

#include "base/error.h"
#include "config/io.h"
#include "config/toy_config.h"
#include "message.h"

namespace heed::config {
namespace {

/// Texts that a YAML reader could take for something else.
std::vector<std::string> hostile_texts() {
  std::vector<std::string> texts{"",
                                 " ",
                                 " a",
                                 "a ",
                                 "a b",
                                 "a: b",
                                 "a:",
                                 ":",
                                 ": ",
                                 "a #b",
                                 "#",
                                 "# a",
                                 "'",
                                 "\"",
                                 "'a'",
                                 "\"a\"",
                                 "it's",
                                 "\\",
                                 "\\n",
                                 "a\\",
                                 "a,b",
                                 "[a, b]",
                                 "{a: 1}",
                                 "]",
                                 "}",
                                 "a]",
                                 "a}",
                                 ",",
                                 "- a",
                                 "-",
                                 "--- a",
                                 "---",
                                 "...",
                                 "? a",
                                 "?",
                                 "! a",
                                 "!tag",
                                 "!!str a",
                                 "&a",
                                 "*a",
                                 "@a",
                                 "`a`",
                                 "|",
                                 ">",
                                 "%a",
                                 "~",
                                 "=",
                                 "<<",
                                 "null",
                                 "Null",
                                 "NULL",
                                 "true",
                                 "True",
                                 "yes",
                                 "YES",
                                 "no",
                                 "on",
                                 "off",
                                 "y",
                                 "N",
                                 "1",
                                 "-1",
                                 "+1",
                                 "01",
                                 "0x1F",
                                 "0o7",
                                 "1_000",
                                 "1e3",
                                 "1.5",
                                 ".5",
                                 "1:30",
                                 ".inf",
                                 "-.inf",
                                 ".nan",
                                 "2026-11-29",
                                 "a\nb",
                                 "\n",
                                 "a\n",
                                 "\na",
                                 "a\n# b",
                                 "a\n  key: b",
                                 "a\r\nb",
                                 "\r",
                                 "\t",
                                 "\ta",
                                 "a\t",
                                 "a\tb",
                                 std::string("a\0b", 3),
                                 "\x1B[1m",
                                 "\x7F",
                                 "\u0085",
                                 "a\u0085b",
                                 "\u009F",
                                 "\u00A0",
                                 "\u2028",
                                 "a\u2029b",
                                 "\uFEFF",
                                 "\uFEFFa",
                                 "\xEF\xBF\xBE",
                                 "\xEF\xBF\xBF",
                                 "\uFFFD",
                                 "Gr\u00FC\u00DFe: # \u4F60\u597D",
                                 "\U0001F600",
                                 "e\u0301",
                                 "\u202E",
                                 "data/a b.de",
                                 "/data/train.de",
                                 "./a",
                                 "../a",
                                 "~/a",
                                 "a=b",
                                 "C:\\a",
                                 "{{a}}",
                                 "$(a)",
                                 "a\"; b: \"c",
                                 std::string(3000, 'a'),
                                 std::string(3000, ' ')};
  for (int byte = 1; byte < 0x80; ++byte) {
    texts.push_back({static_cast<char>(byte)});
    texts.push_back({'a', static_cast<char>(byte), 'b'});
  }
  return texts;
}

/// The text as a key's value, in a flow section, in a list of texts, and in one of sections.
Yaml everywhere(const std::string& text) {
  return Yaml()
      .add("name", text)
      .comment(text)
      .add_flow("model", Yaml().add("attention", "none"))
      .add("words", std::vector<std::string>{text, "between", text})
      .add_list("train",
                {Yaml().add("source", text).add("weight", 2.0), Yaml().add("source", text)});
}

TEST(Yaml, AnyTextIsReadBackByHeed) {
  for (const std::string& text : hostile_texts()) {
    const std::string yaml = everywhere(text).text();
    ToyConfig toy;
    load_text(toy, yaml, "x.yaml");
    EXPECT_EQ(toy.name, text) << yaml;
    EXPECT_EQ(toy.words, (std::vector<std::string>{text, "between", text})) << yaml;
    ASSERT_EQ(toy.train.size(), 2U) << yaml;
    EXPECT_EQ(toy.train[0].source, text) << yaml;
    EXPECT_EQ(toy.train[1].source, text) << yaml;

    ToyConfig again;
    load_text(again, dump(toy), "x.yaml");
    EXPECT_EQ(dump(again), dump(toy));
    EXPECT_EQ(again.name, text);
    ToyConfig flow;
    load_text(flow, "train: [" + Yaml().add("source", text).flow_text() + "]\n", "x.yaml");
    ASSERT_EQ(flow.train.size(), 1U);
    EXPECT_EQ(flow.train[0].source, text);
  }
}

TEST(Yaml, AnyTextIsAStringToAnotherReader) {
  for (const std::string& text : hostile_texts()) {
    const std::string yaml = everywhere(text).text();
    const YAML::Node node = YAML::Load(yaml);
    ASSERT_EQ(node.size(), 4U) << yaml;
    EXPECT_TRUE(node["name"].IsScalar()) << yaml;
    EXPECT_EQ(node["name"].Scalar(), text);
    EXPECT_EQ(node["words"][2].Scalar(), text);
    EXPECT_EQ(node["train"][1]["source"].Scalar(), text);
    // "!": in quotes; what is written without is neither a number nor a truth value nor nothing.
    const bool quoted = node["name"].Tag() == "!";
    bool truth = false;
    double number = 0;
    EXPECT_TRUE(quoted || (!YAML::convert<bool>::decode(node["name"], truth) &&
                           !YAML::convert<double>::decode(node["name"], number)))
        << yaml;
  }
}

TEST(Yaml, WordsNamesAndPathsHaveNoQuotes) {
  for (const char* text : {"a", "luong_general", "data/train.de.gz", "/data/a-b", "./a", "../a=b"})
    EXPECT_EQ(yaml_text(text), text);
  EXPECT_EQ(yaml_text("1e3"), "\"1e3\"");
  EXPECT_EQ(yaml_text("Yes"), "\"Yes\"");
  EXPECT_EQ(yaml_text(" a"), "\" a\"");
  EXPECT_EQ(yaml_text("a: \"b\" #\n\u00FC\u2028\u0085"),
            "\"a: \\\"b\\\" #\\x0A\u00FC\\u2028\\x85\"");
}

TEST(Yaml, OtherValuesHaveTheirType) {
  EXPECT_EQ(yaml_text(true), "true");
  EXPECT_EQ(yaml_text(-3), "-3");
  EXPECT_EQ(yaml_text(3.0), "3.0");
  EXPECT_EQ(yaml_text(1e-9), "1.0e-09");
  EXPECT_EQ(yaml_text(0.1), "0.1");
  EXPECT_EQ(yaml_text(-std::numeric_limits<double>::infinity()), "-.inf");
  EXPECT_EQ(yaml_text(std::vector<int64_t>{1, 2}), "[1, 2]");
  EXPECT_EQ(yaml_text(std::vector<std::string>{}), "[]");
  EXPECT_EQ(yaml_text(std::vector<std::string>{"a", "b, c"}), "[a, \"b, c\"]");
}

TEST(Yaml, NumbersForReadersAreRounded) {
  EXPECT_EQ(short_number(1), "1.0");
  EXPECT_EQ(short_number(0.1), "0.1");
  EXPECT_EQ(short_number(0.0015), "0.0015");
  EXPECT_EQ(short_number(1.0 / 3), "0.3333");
  EXPECT_EQ(short_number(0.0007 / 30), "0.000023");
}

TEST(Yaml, CommentsBlankLinesAndSectionsStandWhereTheyAreAdded) {
  const Yaml inner = Yaml().comment("Why.").add("b", 1).blank_line().add_section(
      "c", Yaml().add("d", true).add_list("e", {Yaml().add("f", 1).add("g", 2)}));
  EXPECT_EQ(Yaml()
                .comment("First.")
                .add("name", "x")
                .blank_line()
                .add_section("a", inner)
                .add_list("none", {})
                .append(Yaml().add_flow("h", Yaml().add("i", 1).add_flow("j", Yaml().add("k", 2))))
                .text(),
            "# First.\nname: x\n\na:\n  # Why.\n  b: 1\n\n  c:\n    d: true\n    e:\n"
            "      - f: 1\n        g: 2\nnone: []\nh: {i: 1, j: {k: 2}}\n");
}

TEST(Yaml, ACommentStaysOneLine) {
  EXPECT_EQ(Yaml().comment("a\nseed: 2").text(), "# a\\nseed: 2\n");
}

TEST(Yaml, OnlyKeysFitOnOneLine) {
  for (const Yaml& section : {Yaml().comment("a"), Yaml().blank_line().add("a", 1),
                              Yaml().add_section("a", Yaml().add("b", 1))})
    EXPECT_NE(message_of<Bug>([&] { section.flow_text(); }), "");
}

}  // namespace
}  // namespace heed::config
