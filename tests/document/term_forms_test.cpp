// Glossaries of other forms: the command that each message names makes a table that is read.
#include "document/term_forms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/error.h"
#include "base/files.h"
#include "base/strings.h"
#include "compressed.h"
#include "message.h"
#include "temporary_folder.h"

namespace heed::document {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const TermLanguages kFormLanguages = {.source = "en", .target = "de"};

/// The terms as "man = Kerl / Mann".
std::vector<std::string> terms_of_table(const std::string& bytes) {
  std::vector<std::string> out;
  for (const Term& term : read_terms(bytes, "NEW.tsv", kFormLanguages).terms)
    out.push_back(join(term.sources, " / ") + " = " + join(term.targets, " / "));
  return out;
}

std::string mistake_of_form(const std::string& bytes, const std::string& name = "OLD") {
  return message_of<UserError>([&] { read_terms(bytes, name, kFormLanguages); });
}

/// The terms after the command of the message for the file of these bytes.
std::vector<std::string> after_cure(const std::string& bytes, const std::string& name = "terms 1") {
  const TemporaryFolder folder;
  const std::string old = folder.write(name, name.ends_with(".gz") ? gzip(bytes) : bytes);
  const std::string said = mistake_of_form(bytes, old);
  const std::size_t from = said.find(": ");
  if (from == std::string::npos) return {said};
  const std::string command = "cd " + shell_word(folder.path()) + " && " + said.substr(from + 2);
  if (std::system(command.c_str()) != 0) return {"failed: " + command};
  return terms_of_table(read_file(folder / "NEW.tsv"));
}

TEST(TermForms, LinesWithAMarkBecomeTables) {
  const auto terms = ElementsAre("hot dog = W\u00FCrstchen", "man = der Kerl");
  for (const std::string mark : {" = ", "=", " \u2192 ", "\u2192", " -> ", " => ", ": ", ":", " - ",
                                 " \u2013 ", " \u2014 ", " / "}) {
    const std::string text =
        "# terms\nhot dog" + mark + "W\u00FCrstchen\n\nman" + mark + "der Kerl\n";
    EXPECT_THAT(after_cure(text), terms) << mark;
    EXPECT_THAT(mistake_of_form(text),
                HasSubstr("'" + std::string(trim(mark)) + "' stands between terms and targets"));
  }
  EXPECT_THAT(after_cure("---\r\n\"hot dog\": W\u00FCrstchen\r\n  man: 'der' Kerl\r\n"),
              ElementsAre("hot dog = W\u00FCrstchen", "man = 'der' Kerl"));
  EXPECT_THAT(after_cure("\uFEFFman = Kerl, Mann\ndog = Hund\n"),
              ElementsAre("man = Kerl, Mann", "dog = Hund"));
}

TEST(TermForms, LinesOfOtherProgramsBecomeTables) {
  const auto terms = ElementsAre("hot dog = W\u00FCrstchen", "man = der Kerl");
  EXPECT_THAT(after_cure("hot dog ||| W\u00FCrstchen\nman ||| der Kerl\n"), terms);
  EXPECT_THAT(after_cure("hot dog ||| W\u00FCrstchen ||| 0.5 0.1 ||| 0-0 ||| 1 2\n"
                         "man ||| der Kerl ||| 0.5, 0.1\n"),
              terms);
  EXPECT_THAT(after_cure("hot dog    W\u00FCrstchen\nman      der Kerl\n"), terms);
  EXPECT_THAT(after_cure("man Kerl\ndog Hund\n"), ElementsAre("man = Kerl", "dog = Hund"));
  EXPECT_THAT(after_cure("/* a comment */\n\"hot dog\" = \"W\u00FCrstchen\";\n// x\n"
                         "\"man\" = \"der Kerl\";\n"),
              terms);
  EXPECT_THAT(after_cure("# x\n;hot dog\nW\u00FCrstchen\n\n;man\nder Kerl\n"), terms);
  EXPECT_THAT(after_cure("[food]\nhot dog = W\u00FCrstchen\n\n[people]\nman=der Kerl\n"), terms);
  EXPECT_THAT(after_cure("hot dog = W\u00FCrstchen\nman = der Kerl\n", "terms.properties.gz"),
              terms);
}

TEST(TermForms, JsonBecomesATable) {
  const auto terms = ElementsAre("man = der \"Kerl\"", "dog = Hund");
  EXPECT_THAT(after_cure("{\"man\": \"der \\\"Kerl\\\"\",\n \"dog\": \"Hund\"}\n"), terms);
  EXPECT_THAT(after_cure("[[\"man\", \"der \\\"Kerl\\\"\"], [\"dog\", \"Hund\"]]"), terms);
  EXPECT_THAT(after_cure("[{\"term\": \"man\", \"other\": \"der \\\"Kerl\\\"\"},\n"
                         " {\"term\": \"dog\", \"other\": \"Hund\"}]"),
              terms);
  EXPECT_THAT(after_cure("{\"man\": [\"Kerl\", \"Mann\"]}"), ElementsAre("man = Kerl / Mann"));
  // Names of columns say which one has the terms.
  for (const char* const names : {"target source note", "de en id"}) {
    const auto name = split(names, ' ');
    const auto row = [&](const std::string& target, const std::string& source) {
      return fmt::format(R"({{"{}": "{}", "{}": "{}", "{}": "x"}})", name[0], target, name[1],
                         source, name[2]);
    };
    const auto found = ElementsAre("man = Kerl", "dog = H\u00FCndchen");
    const std::string man = row("Kerl", "man"), dog = row("H\\u00fcndchen", "dog");
    EXPECT_THAT(after_cure("[" + man + ", " + dog + "]"), found) << names;
    EXPECT_THAT(after_cure(man + "\n\n" + dog + "\n"), found) << names;
  }
  EXPECT_THAT(after_cure("{\"man\": \"Kerl\"}", "terms.json.gz"), ElementsAre("man = Kerl"));
}

TEST(TermForms, JsonOfColumnsAndOfOneObjectBecomesATable) {
  EXPECT_THAT(after_cure(R"({"en": ["man", "dog"], "de": ["Kerl", "der\tHund"]})"),
              ElementsAre("man = Kerl", "dog = der Hund"));
  EXPECT_THAT(after_cure(R"({"target": ["Kerl"], "source": ["man"]})"), ElementsAre("man = Kerl"));
  EXPECT_THAT(after_cure(R"({"src": "man", "tgt": "Kerl"})"), ElementsAre("man = Kerl"));
  EXPECT_THAT(
      after_cure(R"([{"src": "man", "tgt": "Kerl", "note": null}, {"src": "a\tb", "tgt": "c"}])"),
      ElementsAre("man = Kerl", "a b = c"));
  EXPECT_THAT(after_cure(R"({"man": ["Kerl", "Mann"], "dog": "Hund"})"),
              ElementsAre("man = Kerl / Mann", "dog = Hund"));
}

TEST(TermForms, JsonOfPandasBecomesATable) {
  // As pandas 3.1.1 writes them: to_json() alone, and with orient split, index, table, values.
  const auto terms = ElementsAre("man = Kerl", "bicycle = Drahtesel");
  EXPECT_THAT(after_cure(R"({"en":{"0":"man","1":"bicycle"},"de":{"0":"Kerl","1":"Drahtesel"}})"),
              terms);
  EXPECT_THAT(after_cure(R"({"columns":["en","de"],"index":[0,1],)"
                         R"("data":[["man","Kerl"],["bicycle","Drahtesel"]]})"),
              terms);
  EXPECT_THAT(after_cure(R"({"0":{"en":"man","de":"Kerl"},"1":{"en":"bicycle","de":"Drahtesel"}})"),
              terms);
  EXPECT_THAT(
      after_cure(
          R"({"schema":{"fields":[{"name":"index","type":"integer"}],"primaryKey":["index"],)"
          R"("pandas_version":"1.4.0"},"data":[{"index":0,"en":"man","de":"Kerl"},)"
          R"({"index":1,"en":"bicycle","de":"Drahtesel"}]})"),
      terms);
  EXPECT_THAT(after_cure(R"([["man","Kerl"],["bicycle","Drahtesel"]])"), terms);
  EXPECT_EQ(mistake_of_form(R"({"en":{"0":"man"},"de":{"1":"Kerl"}})"),
            "JSON, and its names are those of columns, which are no lists of equally many texts; "
            "write each term, a tab and its target");
}

TEST(TermForms, ThatNoCommandIsRightForAreNamed) {
  const std::string write = "; write each term, a tab and its target";
  EXPECT_EQ(mistake_of_form(R"([{"src": "man", "tgt": "Kerl"}, {"src": "b", "tgt": ["c", "d"]}])"),
            "JSON, and 'tgt' of an object is a list and no text" + write);
  EXPECT_EQ(mistake_of_form("{\"a\": \"b\", \"c\": {\"d\": 1}}\n{\"a\": \"b\"}\n"),
            "JSON, and 'c' of an object is an object and no text" + write);
  EXPECT_EQ(mistake_of_form(R"([{"a": "b", "c": "d"}, {"a": "e", "f": "g"}])"),
            "JSON, and an object has 'f', which the first has not" + write);
  EXPECT_EQ(
      mistake_of_form(R"({"en": ["man", "dog"], "de": ["Kerl"]})"),
      "JSON, and its names are those of columns, which are no lists of equally many texts" + write);
  for (const char* const json :
       {"{\"man\": \"Kerl\",}", "[[\"man\", \"Kerl\"],]\n", "[\n  {\"a\": \"b\"},\n]"})
    EXPECT_EQ(mistake_of_form(json),
              "JSON with a mistake, as a comma before its last bracket" + write)
        << json;
  for (const char* const yaml :
       {"'man': 'Kerl'\n", "- man: Kerl\n- dog: Hund\n", "man: 'Kerl'\n", "man: [Kerl, Mann]\n",
        "man: Kerl # a note\n", "man=K\\u00e4rl\n", "man = 'Kerl'\n", "man = Kerl # a note\n",
        "\"a \\\"b\": c\n", "- man = Kerl\n"})
    EXPECT_THAT(mistake_of_form(yaml),
                HasSubstr("that are in a list or have quotes, escapes or signs of YAML" + write))
        << yaml;
}

TEST(TermForms, JsonWithoutTermsIsNamed) {
  for (const char* const json : {"{}", "[]", "[1]", "{\"a\": {\"b\": \"c\"}}", "[\"a\", \"b\"]"})
    EXPECT_EQ(mistake_of_form(json),
              "JSON, and neither an object of terms and targets nor a list of them; write each "
              "term, a tab and its target")
        << json;
}

TEST(TermForms, TablesStayTables) {
  EXPECT_THAT(terms_of_table("a = b\tc\n"), ElementsAre("a = b = c"));
  EXPECT_THAT(terms_of_table("E=m,Formel\nx=y,Gleichung\n"),
              ElementsAre("E=m = Formel", "x=y = Gleichung"));
  EXPECT_THAT(terms_of_table("note,Hinweis: x\n"), ElementsAre("note = Hinweis: x"));
  EXPECT_THAT(terms_of_table("a = b,c\nd,e\n"), ElementsAre("a = b = c", "d = e"));
  EXPECT_THAT(terms_of_table("{x}\t[y]\n"), ElementsAre("{x} = [y]"));
  EXPECT_THAT(terms_of_table("[x],y\n"), ElementsAre("[x] = y"));
  EXPECT_THAT(terms_of_table("a ||| b\tc\n"), ElementsAre("a ||| b = c"));
  EXPECT_THAT(terms_of_table("a  b,c\nd  e,f\n"), ElementsAre("a b = c", "d e = f"));
  EXPECT_THAT(terms_of_table("a - b,c\n"), ElementsAre("a - b = c"));
  EXPECT_THAT(terms_of_table("a;b\nc;d\n"), ElementsAre("a = b", "c = d"));
  EXPECT_EQ(mistake_of_form("a = b = c\n"),
            "line 1: 'a = b = c' is not a term, a tab and its target");
}

}  // namespace
}  // namespace heed::document
