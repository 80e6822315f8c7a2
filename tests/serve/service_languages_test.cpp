// Languages of texts: one is served, or several, with other vocabularies and with the same one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "decode/search/next_words.h"
#include "http/client.h"
#include "serve/running.h"
#include "serve/served_model.h"
#include "temporary_folder.h"
#include "text/vocabulary_training.h"

namespace heed::serve {
namespace {

using nlohmann::json;

TEST(Detect, TellsHowMuchOfATextTheOneVocabularyKnows) {
  Running one({0});
  EXPECT_EQ(one.ok("/detect", {{"q", "mira tolo"}}),
            json::parse(R"([{"confidence": 100.0, "language": "de"}])"));
  // "mir" in Cyrillic letters: the vocabulary knows 4 of 7 letters.
  EXPECT_EQ(one.ok("/detect", {{"q", "mira \u043c\u0438\u0440"}}),
            json::parse(R"([{"confidence": 57.1, "language": "de"}])"));
  EXPECT_EQ(one.ok("/detect", {{"q", " \n"}}),
            json::parse(R"([{"confidence": 0.0, "language": "de"}])"));
  EXPECT_EQ(one.ok("/detect", {{"q", {"mira", "\u043c\u0438\u0440"}}}),
            json::parse(R"([{"confidence": 57.1, "language": "de"}])"));
  EXPECT_EQ(one.post("/detect", json::object()).status, 400);
}

TEST(Detect, TheLanguageThatIsLeftOpenIsToldAndChoosesTheModel) {
  Running one({0});
  const json language = json::parse(R"({"confidence": 100.0, "language": "de"})");
  json answer = one.ok("/translate", {{"q", "mira tolo"}, {"source", "auto"}});
  EXPECT_EQ(answer["detectedLanguage"], language);
  EXPECT_EQ(answer["translatedText"], one.ok("/translate", {{"q", "mira tolo"}})["translatedText"]);
  EXPECT_FALSE(
      one.ok("/translate", {{"q", "mira"}, {"source", "de"}}).contains("detectedLanguage"));
  answer = one.ok("/translate", {{"q", {"mira", "tolo"}}, {"source", "auto"}});
  EXPECT_EQ(answer["detectedLanguage"], json({language, language}));

  const TemporaryFolder folder;
  std::vector<ServedModel> models = models_of({0});
  const auto cyrillic = text::train_vocabulary(
      {.files = {folder.write("text", "мира толо\nтоло сена\nмира сена\n")}, .size = 16});
  models.push_back({models[0], "ru", "en",
                    shared(decode::Translator({{decode::random_model(decode::small_models()[0]),
                                                cyrillic, decode::vocabulary()}},
                                              {}, at::kCPU, at::kFloat))});
  models[1].name = "m1";
  Running two({}, std::move(models));
  const auto texts_by = [&](const std::string& model) {
    return two.ok("/translate", {{"q", {"мира толо", "сена"}}, {"model", model}})["translatedText"];
  };
  answer = two.ok("/translate", {{"q", {"мира толо", "сена"}}, {"source", "auto"}});
  EXPECT_EQ(answer["detectedLanguage"][1]["language"], "ru");
  EXPECT_EQ(answer["translatedText"], texts_by("m1"));
  EXPECT_EQ(two.post("/translate", {{"q", "a"}, {"source", "auto"}, {"target", "xx"}}).status, 400);
  EXPECT_EQ(two.post("/translate", {{"q", "a"}, {"source", "auto"}, {"format", "x"}}).status, 400);
}

TEST(Detect, ChoosesAmongTheSourceLanguages) {
  const TemporaryFolder folder;
  const std::vector<std::string> words{"мира", "толо", "сена", "купо", "вади", "рел", "ностра"};
  std::string lines;
  for (std::size_t i = 0; i < 60; ++i) lines += words[3 * i % 7] + " " + words[5 * i % 7] + "\n";
  const auto cyrillic =
      text::train_vocabulary({.files = {folder.write("text", lines)}, .size = 24});
  std::vector<ServedModel> models = models_of({0}), others = models_of({1});
  models.push_back({models[0], "ru", "en",
                    shared(decode::Translator({{decode::random_model(decode::small_models()[0]),
                                                cyrillic, decode::vocabulary()}},
                                              {}, at::kCPU, at::kFloat))});
  models.push_back(std::move(others[0]));
  models[2].source = "en";
  const auto order_of = [&](const std::string& text) {
    std::vector<std::string> order;
    for (const Guess& guess : guesses_of(models, text)) order.push_back(guess.language);
    return order;
  };
  EXPECT_EQ(order_of("мира толо")[0], "ru");
  EXPECT_EQ(order_of("mira tolo")[2], "ru");
  // A model that does not say its language has none to be guessed.
  models[1].source = "source";
  EXPECT_THAT(order_of("\u043C\u0438\u0440\u0430"), testing::UnorderedElementsAre("de", "en"));
  models[1].source = "ru";
  // The vocabularies of de and en are the same. What counts is how sure their models are.
  const auto sureness = [&](ServedModel& model) {
    const auto best =
        model.translator->translate({.lines = {"mira tolo"}}).translations[0].hypotheses[0];
    return std::exp(best.log_probability / std::ssize(best.token_log_probabilities));
  };
  const double de = sureness(models[0]), en = sureness(models[2]);
  models.erase(models.begin() + 1);
  auto guesses = guesses_of(models, "mira  tolo\n");
  EXPECT_EQ(guesses[0].language, de > en ? "de" : "en");
  EXPECT_NEAR(guesses[0].confidence, 100 * std::max(de, en) / (de + en), 1e-4);
  EXPECT_NEAR(guesses[0].confidence + guesses[1].confidence, 100, 1e-6);
  // Where each language is also a target, what counts is which model would write the text.
  models[0].target = "en";
  models[1].target = "de";
  const auto log_p = [&](ServedModel& model) {
    return decode::log_probability_of(*model.translator, "mira tolo", "mira tolo");
  };
  const double of_de = log_p(models[1]), of_en = log_p(models[0]);
  guesses = guesses_of(models, "mira  tolo\n");
  EXPECT_EQ(guesses[0].language, of_de > of_en ? "de" : "en");
  EXPECT_NEAR(guesses[0].confidence, 100 / (1 + std::exp(-std::abs(of_de - of_en))), 1e-4);
}

TEST(Service, ListsNoLanguagesThatAModelDoesNotName) {
  std::vector<ServedModel> models = models_of({0, 1});
  models[0].source = "src";
  models[0].target = "tgt";
  const auto listed = [](const std::vector<ServedModel>& all) {
    const Running running(Limits{}, all);
    return json::parse(
        http::testing::ask(running.server.port(), http::testing::get_text("/languages")).body);
  };
  EXPECT_EQ(listed(models), json::parse(
                                R"([{"code": "de", "name": "German", "targets": ["fr"]},
                                    {"code": "fr", "name": "French", "targets": []}])"));
  // A client has to name something.
  models.pop_back();
  EXPECT_EQ(listed(models), json::parse(
                                R"([{"code": "src", "name": "src", "targets": ["tgt"]},
                                    {"code": "tgt", "name": "tgt", "targets": []}])"));
}

}  // namespace
}  // namespace heed::serve
