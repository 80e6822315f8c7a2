// Options that requests bring of their own: what is kept as it is, and terms.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/strings.h"
#include "decode/random_models.h"
#include "decode/search/marked_text.h"
#include "document/document.h"
#include "document/format.h"
#include "document/segment.h"
#include "http/client.h"
#include "serve/running.h"
#include "serve/service.h"
#include "temporary_folder.h"
#include "text/piece_rule.h"
#include "text/vocabulary.h"

namespace heed::serve {
namespace {

using http::testing::Answer;
using http::testing::post_text;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// A sentence's sample is drawn by its line and its position in it, in both.
TEST(Service, DrawsSentencesOfMarkedLinesAsTranslateDoes) {
  decode::DecodeConfig config;
  config.sampling.top_k = 8;
  const std::vector<std::string> names = {"urls", "numbers"};
  const std::vector<std::string> plain = {"https://a.b", "mira tolo 12", "", "sena rel 7 mira"},
                                 pages = {"<p>mira <b>tolo</b></p><p>mira tolo</p>", "<hr>",
                                          "<p>mira tolo</p><p>sena <br>rel</p>"};
  for (const std::size_t which : {kShares, kSharesNot}) {
    Running running({which}, {}, config);
    const decode::Translator translator = translator_of(which, config);
    const auto choice = models_of({which})[0].alignment();
    const auto marked = [&](document::MarkupKind kind, const std::vector<std::string>& lines) {
      return json(
          decode::translate_marked(translator, lines, {}, kind, text::kept_of(names), choice));
    };
    EXPECT_EQ(running.ok("/translate", {{"q", plain}, {"keep", names}})["translatedText"],
              marked(document::MarkupKind::none, plain));
    const json html = {{"q", pages}, {"keep", names}, {"format", "html"}};
    EXPECT_EQ(running.ok("/translate", html)["translatedText"],
              marked(document::MarkupKind::html, pages));
  }
}

// Such a model has no words, to which tags and kept items could belong.
TEST(Service, TranslatesLinesOfPieces) {
  const text::Vocabulary& usual = decode::vocabulary();
  std::vector<std::string> pieces;
  for (int32_t id = 4; id < usual.size(); ++id) pieces.push_back(usual.piece(id));
  const auto cut = text::Vocabulary::from_model(text::model_of_pieces(pieces, {}, {}), "pieces");
  ASSERT_EQ(cut.size(), usual.size());
  decode::DecodeConfig config;
  config.max_length_ratio = 0.5;
  const model::ModelPtr model = decode::random_model(decode::many_models()[kShares]);
  const auto translator = std::make_shared<decode::Translator>(
      std::vector<decode::TranslatorModel>{{model, cut, cut}}, config, at::kCPU, at::kFloat);
  std::vector<ServedModel> models = models_of({kShares});
  models[0].translator = translator;
  Running running(Limits{}, models);
  const std::vector<std::string> lines = {pieces[9] + " " + pieces[5], "", pieces[7]};
  std::vector<std::string> wanted;
  for (const auto& one : translator->translate({.lines = lines}).translations)
    wanted.push_back(one.text);
  EXPECT_NE(wanted[0], "");
  EXPECT_EQ(running.ok("/translate", {{"q", lines}})["translatedText"], json(wanted));
  for (const json& more : {json{{"format", "html"}}, json{{"keep", "numbers"}}}) {
    json asked = {{"q", lines}};
    asked.update(more);
    const Answer answer = running.post("/translate", asked);
    EXPECT_EQ(answer.status, 400);
    EXPECT_THAT(answer.body, HasSubstr("data.vocabulary.codes"));
  }
}

TEST(Service, KeepsItemsAsTranslateDoes) {
  const std::vector<std::string> names = {"urls", "emails", "numbers", "placeholders"};
  const std::vector<std::string> lines = {"mira {a} tolo 12.", "{a}", "sena https://a.b rel", "",
                                          "quorz 7"};
  for (const std::size_t which : {kShares, kSharesNot}) {
    Running running({which});
    decode::Translator translator = translator_of(which);
    const auto choice = models_of({which})[0].alignment();
    const auto marked = [&](document::MarkupKind kind, const std::vector<std::string>& texts) {
      return decode::translate_marked(translator, texts, {}, kind, text::kept_of(names), choice);
    };
    const auto wanted = marked(document::MarkupKind::none, lines);
    for (const json& keep : {json(names), json("urls, emails,numbers,placeholders"),
                             json(json::array({"urls,emails", "numbers,placeholders"}))}) {
      EXPECT_EQ(running.ok("/translate", {{"q", lines}, {"keep", keep}})["translatedText"],
                json(wanted));
      EXPECT_EQ(
          running.ok("/translate", {{"q", join(lines, "\n")}, {"keep", keep}})["translatedText"],
          json(join(wanted, "\n")));
    }
    for (const std::string item : {"{a}", "12"}) EXPECT_THAT(wanted[0], HasSubstr(item));
    EXPECT_EQ(wanted[1], "{a}");
    // A page is a document.
    const std::string page = "<p>mira <b>{a}</b> 12</p>";
    const std::vector<document::SegmentedText> pages = {
        document::Document(page, *document::format_named("html"), {.kept = text::kept_of(names)})
            .text()};
    const decode::LinesRequest request = decode::segments_of(pages, {});
    std::vector<decode::Translation> found = translator.translate(request).translations;
    put_inlays(translator, request, pages, choice, found);
    EXPECT_EQ(running.ok("/translate",
                         {{"q", page}, {"keep", names}, {"format", "html"}})["translatedText"],
              json(with_segments(pages, found)[0]));
    // Each of them: what the model makes of a number differs between hypotheses.
    const json more =
        running.ok("/translate", {{"q", "mira 12"}, {"keep", "numbers"}, {"alternatives", 2}});
    ASSERT_EQ(more["alternatives"].size(), 2U);
    for (const json& text : more["alternatives"])
      EXPECT_THAT(text.get<std::string>(), HasSubstr("12"));
    EXPECT_EQ(running.ok("/translate", {{"q", "mira {a}"}, {"keep", ""}})["translatedText"],
              json(expected(translator_of(which), {"mira {a}"})[0]));
  }
}

TEST(Service, NumbersOfLinesAreThoseOfTheText) {
  Running running({0});
  std::string endless;
  for (int i = 0; i < 1100; ++i) endless += "mira ";
  const json answer =
      running.ok("/translate", {{"q", "{a}\n" + endless}, {"keep", "placeholders"}});
  EXPECT_EQ(answer["cutLines"], json({2}));
}

TEST(Service, TakesTheTermsOfARequest) {
  const TemporaryFolder folder;
  const std::vector<std::string> lines = {"mira tolo", "sena kupo vadi", "quorz"};
  for (const std::size_t which : {kShares, kSharesNot}) {
    decode::DecodeConfig config;
    config.glossary = folder.write("terms.tsv", "mira\tglume\nkupo\tdyphe bahir\tvadi\n");
    const auto wanted = expected(translator_of(which, config), lines);
    const auto free = expected(translator_of(which), lines);
    EXPECT_THAT(wanted[0], HasSubstr("glume"));
    ASSERT_THAT(free[0], Not(HasSubstr("glume")));
    Running running({which});
    const json terms = {{"mira", "glume"}, {"kupo", {"dyphe bahir", "vadi"}}};
    const json listed = {{"mira", "glume"}, {"kupo", "dyphe bahir", "vadi"}};
    for (const json& glossary : {terms, listed, json(terms.dump())}) {
      const json answer = running.ok("/translate", {{"q", lines}, {"glossary", glossary}});
      EXPECT_EQ(answer["translatedText"], json(wanted));
      EXPECT_FALSE(answer.contains("missingTerms"));
    }
    // At once, and afterwards: only who asks for them gets them.
    auto with =
        running.begin(post_text("/translate", json{{"q", lines}, {"glossary", terms}}.dump()));
    running.wait_for_lines(3);
    auto without = running.begin(post_text("/translate", json{{"q", lines}}.dump()));
    running.wait_for_lines(6);
    EXPECT_EQ(json::parse(running.end(without).body)["translatedText"], json(free));
    EXPECT_EQ(json::parse(running.end(with).body)["translatedText"], json(wanted));
    EXPECT_EQ(running.ok("/attention", {{"q", lines[0]}})["translatedText"], json(free[0]));
    const json page = {{"q", "<p><i>Mira</i> tolo {a}</p>"},
                       {"glossary", terms},
                       {"keep", "placeholders"},
                       {"format", "html"}};
    EXPECT_THAT(running.ok("/translate", page)["translatedText"].get<std::string>(),
                AllOf(HasSubstr("glume"), HasSubstr("<i>"), HasSubstr("{a}")));
    // Terms of a request in place of the server's own.
    Running other({which}, {}, config);
    EXPECT_EQ(other.ok("/translate", {{"q", lines}})["translatedText"], json(wanted));
    EXPECT_EQ(
        other.ok("/translate", {{"q", lines}, {"glossary", json::object()}})["translatedText"],
        json(free));
    EXPECT_EQ(other.ok("/translate", {{"q", lines}})["translatedText"], json(wanted));
  }
}

TEST(Service, TellsOfTermsThatCannotBeObeyed) {
  decode::DecodeConfig config;
  config.max_length_ratio = 0.1;  // and 10 pieces
  Running running({0}, {}, config);
  const json terms = {
      {"tolo", "mira tolo sena kupo vadi rel nostra bahir glume dyphe fonji wexta"}};
  const json answer = running.ok("/translate", {{"q", "mira\ntolo"}, {"glossary", terms}});
  EXPECT_EQ(answer["missingTerms"], json({2}));
}

TEST(Service, RefusesTermsWhereItDoesNotSearch) {
  for (const bool draws : {false, true}) {
    decode::DecodeConfig config{.beam_size = 1};
    config.sampling.top_k = draws ? 5 : 0;
    Running running({0}, {}, config);
    const Answer answer =
        running.post("/translate", {{"q", "mira"}, {"glossary", {{"mira", "tolo"}}}});
    EXPECT_EQ(answer.status, 400);
    EXPECT_THAT(answer.body,
                HasSubstr("decoding.glossary: needs a decoding.beam_size of 2 or more and no"));
  }
}

/// A request's JSON, or text of a form's field.
TEST(Service, RefusesWhatIsNestedDeepAndGoesOn) {
  Running running({0});
  const std::string deep = std::string(50'000, '[') + std::string(50'000, ']'), deep_object = [] {
    std::string text;
    for (int i = 0; i < 50'000; ++i) text += "{\"a\":";
    return text + "1" + std::string(50'000, '}');
  }();
  for (const std::string& value : {deep, deep_object, std::string(50'000, '[')}) {
    for (const char* path : {"/translate", "/attention", "/steps", "/candidates", "/detect"})
      for (const char* key : {"q", "glossary", "n", "unknown"}) {
        const std::string body =
            R"({"q": "mira", "source": "de", ")" + std::string(key) + "\": " + value + "}";
        auto begun = running.begin(post_text(path, body));
        const Answer answer = running.end(begun);
        EXPECT_EQ(answer.status, 400) << path << " " << key;
        EXPECT_THAT(answer.body, HasSubstr("nested deeper than 100 lists and objects"));
      }
    for (const std::string& body :
         {json{{"q", "mira"}, {"glossary", value}}.dump(), "q=mira&glossary=" + value}) {
      auto begun = running.begin(
          post_text("/translate", body,
                    body[0] == '{' ? "application/json" : "application/x-www-form-urlencoded"));
      const Answer answer = running.end(begun);
      EXPECT_EQ(answer.status, 400);
      EXPECT_THAT(answer.body, HasSubstr("glossary: must be [["));
    }
  }
  EXPECT_EQ(running.ok("/translate", {{"q", "mira"}})["translatedText"],
            json(expected(translator_of(0), {"mira"})[0]));
}

}  // namespace
}  // namespace heed::serve
