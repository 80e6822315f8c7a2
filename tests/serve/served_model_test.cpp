#include "serve/served_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace heed::serve {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Parameters of(const std::string& body) {
  return Parameters({.type = "application/json", .body = body});
}

/// The message that the request is refused with, or "".
template <class Work>
std::string mistake(Work work) {
  try {
    work();
    return "";
  } catch (const UserError& error) {
    return error.what();
  }
}

TEST(Parameters, OfJson) {
  const Parameters all = of(R"({"q": ["a", "é"], "n": 3, "word": "x", "nothing": null})");
  EXPECT_THAT(all.texts("q").values, ElementsAre("a", "é"));
  EXPECT_TRUE(all.texts("q").is_list);
  EXPECT_THAT(all.texts("word").values, ElementsAre("x"));
  EXPECT_FALSE(all.texts("word").is_list);
  EXPECT_THAT(all.texts("missing").values, IsEmpty());
  EXPECT_EQ(all.text("nothing"), "");
  EXPECT_EQ(all.whole("n", 7, 0, 5), 3);
  EXPECT_EQ(all.whole("missing", 7, 0, 5), 7);
}

TEST(Parameters, OfForms) {
  const Parameters all({.type = "application/x-www-form-urlencoded",
                        .body = "q=a&q=b&n=3&word=x",
                        .form = {{"q", "a"}, {"q", "b"}, {"n", "3"}, {"word", "x"}}});
  EXPECT_THAT(all.texts("q").values, ElementsAre("a", "b"));
  EXPECT_EQ(all.text("word"), "x");
  EXPECT_EQ(all.whole("n", 0, 0, 5), 3);
  // PHP's http_build_query and axios write lists so.
  const Parameters lists(
      {.form = {{"q[]", "a"}, {"keep[1]", "urls"}, {"[]", "x"}, {"n[x]", "3"}, {"m[", "1"}}});
  EXPECT_THAT(lists.texts("q").values, ElementsAre("a"));
  EXPECT_TRUE(lists.texts("q").is_list);
  EXPECT_THAT(lists.texts("keep").values, ElementsAre("urls"));
  EXPECT_EQ(lists.text("[]") + lists.text("n[x]") + lists.text("m["), "x31");
  EXPECT_EQ(Parameters({.form = {{"source", " de \n"}}}).language("source"), "de");
  // curl -d '{...}' without a Content-Type.
  EXPECT_EQ(Parameters({.body = R"( {"q": "a=b"})", .form = {{" {\"q\": \"a", "b\"}"}}}).text("q"),
            "a=b");
}

TEST(Parameters, MayComeAfterThePathOfARequestWithoutABody) {
  const Parameters alone({.query = {{"q", "Ein Hund"}, {"source", "de"}}});
  EXPECT_EQ(alone.text("q"), "Ein Hund");
  EXPECT_EQ(alone.text("source"), "de");
  // A form comes first, and JSON has all.
  const Parameters both({.query = {{"q", "x"}, {"target", "en"}}, .form = {{"q", "a"}}});
  EXPECT_EQ(both.text("q"), "a");
  EXPECT_EQ(both.text("target"), "en");
  EXPECT_EQ(Parameters({.query = {{"target", "en"}}, .body = R"({"q": "a"})"}).text("target"), "");
}

TEST(Parameters, NamesWhatIsWrong) {
  EXPECT_THAT(mistake([] { of("{\"q\": "); }),
              HasSubstr("the body is no form, and no JSON: parse error at line"));
  EXPECT_THAT(mistake([] { of("q"); }), HasSubstr("no JSON"));
  EXPECT_THAT(mistake([] { of("").required_text("q"); }), HasSubstr("q: is missing"));
  // As windows-1252 and UTF-16 have it.
  for (const std::string& body :
       {std::string("{\"q\": \"\xff\"}"), std::string("{\0\"\0q\0\"\0:\0001\0}\0", 12)})
    EXPECT_EQ(mistake([&] { of(body); }),
              "the body is not UTF-8, which alone is read here; send JSON in UTF-8");
  EXPECT_THAT(mistake([] { of("[1]"); }), HasSubstr("no object"));
  EXPECT_EQ(mistake([] { of(std::string(200000, '[')); }),
            "the body is no form, and JSON nested deeper than 100 lists and objects");
  EXPECT_EQ(mistake([] { of(R"({"q": 3})").text("q"); }), "q: must be a text or a list of texts");
  EXPECT_EQ(mistake([] { of(R"({"q": ["a", 1]})").texts("q"); }),
            "q: must be a text or a list of texts");
  EXPECT_EQ(mistake([] { of(R"({"q": ["a"]})").text("q"); }), "q: must be one text");
  EXPECT_EQ(mistake([] { of("{}").required_text("q"); }), "q: is missing");
  for (const char* body : {R"({"n": 6})", R"({"n": -1})", R"({"n": 1.5})", R"({"n": "x"})",
                           R"({"n": "3x"})", R"({"n": 99999999999999999999})", R"({"n": []})"})
    EXPECT_EQ(mistake([&] { of(body).whole("n", 0, 0, 5); }),
              "n: must be a whole number from 0 to 5")
        << body;
}

TEST(Parameters, OfWhatIsKept) {
  const auto kept =
      of(R"({"list": ["urls", "numbers"], "text": " emails,placeholders ", "no": ""})");
  EXPECT_TRUE(kept.kept("list").urls && kept.kept("list").numbers);
  EXPECT_FALSE(kept.kept("list").emails || kept.kept("list").placeholders);
  EXPECT_TRUE(kept.kept("text").emails && kept.kept("text").placeholders);
  EXPECT_FALSE(kept.kept("missing").any() || kept.kept("no").any());
  EXPECT_EQ(mistake([] { of(R"({"keep": ["url"]})").kept("keep"); }),
            "keep: 'url' is not known here; send urls, emails, numbers, placeholders");
}

TEST(Parameters, OfTerms) {
  const decode::TextLines both = {"a", "b"}, three = {"c d", "e", "f"};
  for (const char* body :
       {R"({"t": [["a", "b"], ["c d", "e", "f"]]})", R"({"t": {"a": "b", "c d": ["e", "f"]}})",
        R"({"t": {"a": ["b"], "c d": ["e", "f"]}})",
        R"({"t": "{\"a\": \"b\", \"c d\": [\"e\", \"f\"]}"})"})
    EXPECT_THAT(of(body).terms("t").value(), ElementsAre(both, three)) << body;
  EXPECT_EQ(of(R"({"t": null})").terms("t"), std::nullopt);
  EXPECT_EQ(of("{}").terms("t"), std::nullopt);
  EXPECT_THAT(of(R"({"t": []})").terms("t").value(), IsEmpty());
  std::string many = "[\"a\"", letters(101, 'x');
  for (int i = 0; i < 11; ++i) many += ",\"b\"";
  std::string terms = "[\"a\",\"b\"]";
  for (int i = 0; i < 1000; ++i) terms += ",[\"a\",\"b\"]";
  for (const std::string& value :
       {std::string("3"), std::string("\"\""), std::string("\"a\""), std::string("[\"a\"]"),
        std::string("[[\"a\"]]"), std::string("[[\"a\", \" \"]]"), std::string("[[\"a\", 1]]"),
        std::string("{\"\": \"b\"}"), std::string("{\"a\": []}"), std::string("{\"a\": {}}"),
        std::string("{\"a\": null}"), "[" + many + "]]", "[" + terms + "]",
        "{\"a\": \"" + letters + "\"}", "{\"" + letters + "\": \"a\"}"})
    EXPECT_EQ(mistake([&] { of("{\"t\": " + value + "}").terms("t"); }),
              "t: must be [[\"source\", \"target\"], ...] or {\"source\": \"target\", ...}, up to "
              "1000 terms, each with 1 to 10 targets of up to 100 characters")
        << value;
}

TEST(Parameters, LinesAreThoseOfAFile) {
  EXPECT_THAT(lines_of("a\r\n\nb"), ElementsAre("a", "", "b"));
  EXPECT_THAT(lines_of(""), ElementsAre(""));
  EXPECT_THAT(lines_of(std::string("a\0b", 3)), ElementsAre("a b"));
  EXPECT_EQ(one_line_of("a\n", "q"), "a");
  EXPECT_EQ(mistake([] { one_line_of("a\nb", "q"); }), "q: must be one line; send one at a time");
}

TEST(Languages, FitBestUnderTheSameCodeAndThenInAnotherForm) {
  EXPECT_EQ(fit_of("de", "de"), 2);
  EXPECT_EQ(fit_of("de", "DE"), 2);
  EXPECT_EQ(fit_of("pt-BR", "pt-br"), 2);
  EXPECT_EQ(fit_of("pt-BR", "pt_PT"), 1);
  EXPECT_EQ(fit_of("de", "de-DE"), 1);
  EXPECT_EQ(fit_of("zh-Hant", "zh"), 1);
  EXPECT_EQ(fit_of("de", "den"), 0);
  EXPECT_EQ(fit_of("en", "de-EN"), 0);
}

// `heed init` of a table names the parts train.src and train.tgt, and a model without corpora has
// "source" and "target".
TEST(Models, ThatDoNotSayTheirLanguagesAreToldThemByOptions) {
  const auto chosen = [](const char* source, const char* target, const char* body) {
    std::vector<ServedModel> models(1);
    models[0].name = "m";
    models[0].source = source;
    models[0].target = target;
    return mistake([&] { choose(models, of(body)); });
  };
  const char* const asked = R"({"q": "a", "source": "en", "target": "de"})";
  EXPECT_EQ(chosen("src", "tgt", asked),
            "no model here translates from en to de; GET /languages lists them; where a model's "
            "files do not say its languages, begin heed serve with --source-language en "
            "--target-language de");
  EXPECT_THAT(chosen("en", "target", asked),
              EndsWith("begin heed serve with --target-language de"));
  EXPECT_THAT(chosen("source", "target", R"({"q": "a", "source": "x y", "target": "auto"})"),
              EndsWith("begin heed serve with --source-language 'x y'"));
  EXPECT_THAT(chosen("fr", "en", asked), EndsWith("to de; GET /languages lists them"));
  EXPECT_EQ(chosen("src", "tgt", R"({"q": "a"})"), "");
}

}  // namespace
}  // namespace heed::serve
