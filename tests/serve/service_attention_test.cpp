// Attention over HTTP, and words that lead to others, with small random models.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/strings.h"
#include "inspect/attention_maps.h"
#include "serve/answers/answers.h"
#include "serve/running.h"
#include "temporary_folder.h"

namespace heed::serve {
namespace {

using nlohmann::json;
using ::testing::StartsWith;

TEST(Service, ShowsTheAttentionOfAnyHead) {
  Running running({0, 1, 2});
  decode::Translator translator = translator_of(0);
  const json answer = running.ok("/attention", {{"q", "mira tolo sena"}, {"model", "m0"}});
  const auto own = translator.translate({.lines = {"mira tolo sena"}}).translations[0];
  const auto maps = inspect::attention_maps(
      translator, {"mira tolo sena"}, std::vector<std::vector<int32_t>>{own.hypotheses[0].ids},
      {.kinds = {config::kAttentionKinds.begin(), config::kAttentionKinds.end()}});
  EXPECT_EQ(answer["translatedText"], json(own.text));
  EXPECT_EQ(answer["tokens"]["source"], json(maps[0].source_pieces));
  EXPECT_EQ(answer["tokens"]["target"], json(maps[0].target_pieces));
  EXPECT_EQ(answer["tokens"]["read"][0], "<s>");
  EXPECT_EQ(answer["usual"], json({{"layer", 1}, {"head", -1}}));
  EXPECT_EQ(answer["softmax"], json({"cross"}));
  std::size_t means = 0, compared = 0;
  for (const json& matrix : answer["matrices"]) {
    const auto &rows = answer["tokens"][matrix["rows"].get<std::string>()],
               &columns = answer["tokens"][matrix["columns"].get<std::string>()];
    ASSERT_EQ(matrix["weights"].size(), rows.size());
    ASSERT_EQ(matrix["weights"][0].size(), columns.size());
    means += matrix["head"] == -1;
    for (const auto& map : maps[0].matrices) {
      if (matrix["kind"] != name_of(map.kind) || matrix["layer"] != map.layer ||
          matrix["head"] != map.head)
        continue;
      ++compared;
      for (std::size_t i = 0; i < map.weights.size(); ++i)
        EXPECT_NEAR(matrix["weights"][i / map.source.size()][i % map.source.size()].get<double>(),
                    map.weights[i], 0.00006);
    }
  }
  EXPECT_EQ(compared, 3U * 2 * 3);  // kinds, layers, heads
  EXPECT_EQ(means, 3U * 2);
  // One kind; a given translation; a model of one head; one that does not attend.
  EXPECT_EQ(running.ok("/attention", {{"q", "mira"}, {"kind", "encoder"}})["matrices"].size(), 8U);
  const json given = running.ok("/attention", {{"q", "mira"}, {"translation", "tolo sena"}});
  EXPECT_EQ(given["translatedText"], "tolo sena");
  EXPECT_FALSE(given.contains("words"));
  EXPECT_EQ(running.ok("/attention", {{"q", "mira"}, {"model", "m1"}})["matrices"].size(), 1U);
  const json blind = running.ok("/attention", {{"q", "mira"}, {"model", "m2"}});
  EXPECT_EQ(blind["matrices"].size(), 0U);
  EXPECT_EQ(blind.value("noAttention", ""), "The model does not attend.");
  EXPECT_FALSE(answer.contains("noAttention"));
  EXPECT_NE(blind["translatedText"], "");
  const json blank = running.ok("/attention", {{"q", " "}});
  EXPECT_EQ(blank["translatedText"], "");
  EXPECT_FALSE(blank.contains("noAttention"));
}

/// A model that has learned nothing may say blanks in a row.
std::string tidy(const json& text) {
  return join(split_words(text.get<std::string>()), " ");
}

/// A word of so many pieces: `aa` is in no word that the vocabulary was made of.
std::string word_of(std::size_t pieces) {
  std::string word;
  while (decode::vocabulary().encode(word).size() < pieces) word += 'a';
  return word;
}

TEST(Service, TranslatesWhatIsTooLongForItsAttention) {
  Running running({0});
  const auto look = [&](const json& question, const std::string& why) {
    const json answer = running.ok("/attention", question);
    EXPECT_EQ(answer["matrices"].size(), why.empty() ? 24U : 0U);
    EXPECT_EQ(answer.value("noAttention", ""), why);
    return answer;
  };
  const std::string most = word_of(128), more = word_of(129);
  const std::string end = " has 129 pieces; attention is shown of up to 128.";
  look({{"q", most}}, "");
  const json own = look({{"q", more}}, "The sentence" + end);
  EXPECT_EQ(own["translatedText"], json(expected(translator_of(0), {more})[0]));
  std::vector<std::string> words;
  for (const json& word : own["words"]) words.push_back(word["word"]);
  EXPECT_EQ(join(words, " "), tidy(own["translatedText"]));
  look({{"q", "mira"}, {"translation", most}}, "");
  const json given = look({{"q", "mira"}, {"translation", more}}, "The translation" + end);
  EXPECT_EQ(given["translatedText"], json(more));
  EXPECT_FALSE(given.contains("words"));
  // The model's own translation, which is longer than what it begins with, or as long.
  const json forced = running.ok("/attention", {{"q", "mira"}, {"prefix", more}});
  EXPECT_EQ(forced["matrices"].size(), 0U);
  EXPECT_THAT(forced.value("noAttention", ""), StartsWith("The translation has 1"));
  EXPECT_THAT(forced["translatedText"].get<std::string>(), StartsWith(more));
  EXPECT_EQ(forced["words"][0]["forced"], json(true));
}

/// Asks for words that follow a prefix of so many pieces, in each way.
void expect_refused(uint16_t port, std::size_t pieces, const std::string& why) {
  for (const char* path : {"/translate", "/attention", "/steps", "/candidates"}) {
    const json question = {{"q", "mira"}, {"prefix", word_of(pieces)}};
    const Answer answer = http::testing::ask(port, http::testing::post_text(path, question.dump()));
    EXPECT_EQ(answer.status, 400) << path;
    EXPECT_EQ(json::parse(answer.body).value("error", ""), why) << path;
  }
}

TEST(Service, RefusesPrefixesLongerThanASource) {
  const std::string seven = word_of(7);
  for (const std::size_t which : {0, 1}) {  // neither of them has a longest sentence
    Running running({which}, {}, {.max_source_length = 7});
    for (const char* path : {"/translate", "/attention", "/steps", "/candidates"})
      running.ok(path, {{"q", "mira"}, {"prefix", seven}});
    expect_refused(running.server.port(), 8, "prefix: has more than the 7 pieces that fit");
  }
}

TEST(Service, RefusesPrefixesLongerThanTheModelCanTake) {
  model::ModelConfig config = decode::small_models()[0];
  config.positions = "learned";
  config.max_positions = 6;
  std::vector<ServedModel> models;
  models.push_back({{.name = "short",
                     .kinds = {config::AttentionKind::cross},
                     .softmax_kinds = {config::AttentionKind::cross}},
                    "de",
                    "en",
                    shared(decode::make_translator(decode::random_model(config)))});
  Service service(std::move(models), {});
  const http::Server server({}, service.routes());
  expect_refused(server.port(), 6, "prefix: has more than the 5 pieces that fit");
}

TEST(Service, TellsWhatWasCutBesideTheAttention) {
  const decode::DecodeConfig config{.max_source_length = 3};
  Running running({0}, {}, config);
  decode::Translator translator = translator_of(0, config);
  const auto best =
      translator.translate({.lines = {"mira tolo sena"}}).translations[0].hypotheses[0];
  const json answer = running.ok("/attention", {{"q", "mira tolo sena"}});
  ASSERT_TRUE(answer.contains("cutLines"));
  EXPECT_EQ(answer["cutLines"], json({1}));
  EXPECT_EQ(answer["tokens"]["source"].size(), 4U);
  EXPECT_EQ(answer.contains("cutTranslations"), best.cut);
  EXPECT_FALSE(running.ok("/attention", {{"q", "a"}}).contains("cutLines"));
}

TEST(Service, TellsTheNumbersOfEachStep) {
  for (const std::size_t which : {0, 1}) {
    Running running({which});
    const json question = {{"q", "sena kupo vadi rel"}, {"prefix", "mira tolo"}};
    const json look = running.ok("/attention", question), answer = running.ok("/steps", question);
    EXPECT_EQ(answer["translatedText"], look["translatedText"]);
    ASSERT_EQ(answer["sentences"].size(), 1U);
    const json& one = answer["sentences"][0];
    EXPECT_EQ(one["target"], look["tokens"]["target"]);
    EXPECT_EQ(one["source"], look["tokens"]["source"]);
    std::size_t heads = 0;  // without means
    for (const json& matrix : look["matrices"]) heads += matrix["head"] >= 0 ? 1 : 0;
    EXPECT_EQ(one["heads"].size(), heads);
    // The probability of the first word is the product of those of its pieces.
    const std::size_t pieces = decode::vocabulary().encode("mira").size();
    double probability = 1;
    for (std::size_t i = 0; i < pieces; ++i) probability *= one["chosen"][i].get<double>();
    EXPECT_NEAR(probability, look["words"][0]["probability"].get<double>(), 1e-5);
  }
}

// What it shows is read with the terms, as it was translated.
TEST(Service, ReadsTermsThatAreInline) {
  const TemporaryFolder folder;
  decode::DecodeConfig config;
  config.glossary = folder.write("terms.tsv", "kupo\tglume wexta\n");
  config.glossary_inline = true;
  const std::size_t source = decode::vocabulary().encode("sena kupo").size(),
                    pieces = decode::vocabulary().encode("mira").size();
  for (const std::size_t which : {0, 1}) {
    Running running({which}, {}, config);
    const json question = {{"q", "sena kupo"}, {"prefix", "mira"}};
    const json look = running.ok("/attention", question), steps = running.ok("/steps", question);
    const json& read = steps["sentences"][0];
    EXPECT_GT(look["tokens"]["source"].size(), source + 3);
    EXPECT_EQ(read["source"], look["tokens"]["source"]);
    double probability = 1;
    for (std::size_t i = 0; i < pieces; ++i) probability *= read["chosen"][i].get<double>();
    EXPECT_NEAR(probability, look["words"][0]["probability"].get<double>(), 1e-5);
  }
}

TEST(Service, SaysWhyItHasNoSteps) {
  Running running({kSharesNot});
  const json answer = running.ok("/steps", {{"q", "mira"}});
  EXPECT_EQ(answer["sentences"].size(), 0U);
  EXPECT_THAT(answer.value("noAttention", ""), testing::HasSubstr("where an engine translates"));
  EXPECT_FALSE(running.ok("/steps", {{"q", " "}}).contains("noAttention"));
}

TEST(Words, HaveTheProbabilityOfAllTheirPiecesAndAreForcedByTheFirst) {
  const text::Vocabulary& vocabulary = decode::vocabulary();
  const std::vector<int32_t> ids = vocabulary.encode("xenoqua mira");
  const std::size_t first = vocabulary.encode("xenoqua").size(), second = ids.size() - first;
  ASSERT_GE(first, 2U);
  decode::Translation translation;
  translation.hypotheses.push_back({.ids = ids});
  translation.hypotheses[0].token_log_probabilities.assign(ids.size() + 1, std::log(0.5F));
  const Json words = words_of(vocabulary, translation, /*forced=*/first);
  ASSERT_EQ(words.size(), 2U);
  EXPECT_EQ(words[0]["word"].get<std::string>(), "xenoqua");
  EXPECT_EQ(words[1]["prefix"].get<std::string>(), "xenoqua");
  EXPECT_NEAR(words[0]["probability"].get<double>(), std::pow(0.5, first), 1e-6);
  EXPECT_NEAR(words[1]["probability"].get<double>(), std::pow(0.5, second), 1e-6);
  EXPECT_TRUE(words[0]["forced"].get<bool>());
  EXPECT_FALSE(words[1]["forced"].get<bool>());
  EXPECT_TRUE(words_of(vocabulary, translation, first + 1)[1]["forced"].get<bool>());
}

TEST(Service, WordsLeadToWhatCouldStandThere) {
  for (const std::size_t which : {0, 1}) {
    Running running({which});
    const std::string line = "sena kupo vadi rel";
    const json look = running.ok("/attention", {{"q", line}, {"prefix", "mira tolo"}});
    std::vector<std::string> words;
    for (const json& word : look["words"]) {
      EXPECT_EQ(tidy(word["prefix"]), join(words, " "));
      EXPECT_EQ(word["forced"], json(words.size() < 2));
      words.push_back(word["word"]);
    }
    EXPECT_EQ(tidy(look["translatedText"]), join(words, " "));
    ASSERT_GT(words.size(), 1U);
    EXPECT_EQ(words[0], "mira");
    const json found =
        running.ok("/candidates", {{"q", line}, {"prefix", "mira"}, {"count", 5}})["candidates"];
    ASSERT_GT(found.size(), 1U);
    EXPECT_LE(found.size(), 5U);
    double before = 1;
    for (const json& one : found) {
      EXPECT_LE(one["probability"].get<double>(), before);
      before = one["probability"];
      if (one["ends"] == true) continue;
      const json forced = running.ok("/attention", {{"q", line}, {"prefix", one["prefix"]}});
      EXPECT_THAT(tidy(forced["translatedText"]), StartsWith(tidy(one["prefix"])));
      EXPECT_EQ(forced["words"][0]["forced"], json(true));
    }
  }
}

}  // namespace
}  // namespace heed::serve
