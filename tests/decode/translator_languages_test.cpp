// Models whose vocabularies begin each line with a symbol of its language.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/strings.h"
#include "data/batch.h"
#include "decode/random_models.h"
#include "decode/search/next_words.h"
#include "decode/search/reading.h"
#include "temporary_folder.h"
#include "text/vocabulary_training.h"

namespace heed::decode {
namespace {

const std::vector<std::string> kTexts{"mira tolo", "", "sena kupo vadi rel", "kupo"};

class LanguagesOf : public testing::TestWithParam<std::size_t> {
 protected:
  LanguagesOf() {
    const TemporaryFolder folder;
    plain = text::train_vocabulary(
        {.files = {folder.write("text", "mira tolo sena kupo vadi rel\nkupo tolo mira sena\n")},
         .size = 32,
         .algorithm = "bpe",
         .symbols = {"<de>", "<fr>"}});
    at::manual_seed(5);
    model = model::make_model(small_models()[GetParam()], {plain->size(), plain->size()});
    const at::NoGradGuard no_gradients;
    for (auto& parameter : model->parameters())
      if (parameter.dim() > 1) parameter.mul_(2);
  }
  Translator translator(const std::string& source, const std::string& target,
                        const DecodeConfig& config = {.length_penalty = LengthPenalty::none}) {
    return Translator({{model, {language(source), language(target)}}}, config, at::kCPU,
                      at::kFloat);
  }
  text::Vocabulary language(const std::string& symbol) const {
    return symbol.empty() ? *plain : plain->beginning_with({symbol});
  }
  int32_t id(const std::string& symbol) const { return plain->id_of(symbol).value(); }

  std::optional<text::Vocabulary> plain;
  model::ModelPtr model;
};

TEST_P(LanguagesOf, ForcedOnesBeginHypothesesAndAreInNoText) {
  for (const int64_t beam : {1, 3}) {
    DecodeConfig config{.beam_size = beam, .length_penalty = LengthPenalty::none};
    config.n_best = beam;
    auto forced = translator("<fr>", "<de>", config), given = translator("<fr>", "", config);
    const auto found = forced.translate({.lines = kTexts}).translations;
    const auto same =
        given.translate({.lines = kTexts, .prefixes = {"<de>", "<de>", "<de>", "<de>"}})
            .translations;
    for (std::size_t i = 0; i < kTexts.size(); ++i) {
      ASSERT_EQ(found[i].hypotheses.size(), same[i].hypotheses.size());
      for (std::size_t n = 0; n < found[i].hypotheses.size(); ++n) {
        const Hypothesis &mine = found[i].hypotheses[n], &other = same[i].hypotheses[n];
        EXPECT_EQ(mine.ids, other.ids);
        EXPECT_EQ(mine.ids[0], id("<de>"));
        EXPECT_EQ(found[i].texts[n], plain->decode({mine.ids.begin() + 1, mine.ids.end()}));
        // A piece that is given costs nothing.
        EXPECT_EQ(mine.token_log_probabilities[0], 0);
        EXPECT_NEAR(mine.log_probability + other.token_log_probabilities[0], other.log_probability,
                    1e-4);
      }
    }
    EXPECT_EQ(found[0].source_pieces[0], "<s><fr>");
    EXPECT_EQ(found[1].text, "");
  }
}

TEST_P(LanguagesOf, StandBeforePrefixesAndDraws) {
  auto forced = translator("", "<de>");
  const std::vector<std::string> prefixes{"sena", "", "", "rel mira"};
  const auto found = forced.translate({.lines = kTexts, .prefixes = prefixes}).translations;
  for (const std::size_t i : {0U, 2U, 3U}) {
    EXPECT_EQ(found[i].hypotheses[0].ids[0], id("<de>"));
    EXPECT_EQ(found[i].text.substr(0, prefixes[i].size()), prefixes[i]);
  }
  DecodeConfig config{.n_best = 3};
  config.sampling.top_p = 1;
  auto drawn = translator("", "<fr>", config);
  const auto draws = drawn.translate({.lines = {"mira tolo"}}).translations;
  ASSERT_EQ(draws[0].hypotheses.size(), 3);
  for (const Hypothesis& one : draws[0].hypotheses) EXPECT_EQ(one.ids[0], id("<fr>"));
}

TEST_P(LanguagesOf, StandBeforeTerms) {
  const TemporaryFolder folder;
  DecodeConfig config{.beam_size = 4, .n_best = 3};
  config.glossary = folder.write("terms.tsv", "mira\trel\n");
  auto forced = translator("", "<de>", config);
  const auto found = forced.translate({.lines = {"mira tolo"}}).translations;
  ASSERT_EQ(found[0].hypotheses.size(), 3U);
  for (const Hypothesis& one : found[0].hypotheses) EXPECT_EQ(one.ids[0], id("<de>"));
  EXPECT_EQ(found[0].hypotheses[0].missing, 0);
  EXPECT_THAT(found[0].text, testing::HasSubstr("rel"));
}

TEST_P(LanguagesOf, AreNoPartOfTheLeastLength) {
  for (const int64_t least : {1, 3}) {
    DecodeConfig config{.min_length = least};
    auto forced = translator("", "<de>", config);
    for (const auto& one : forced.translate({.lines = {"kupo", "rel"}}).translations)
      EXPECT_GT(std::ssize(one.hypotheses[0].ids), least);
  }
}

TEST_P(LanguagesOf, AreAConditionOfScoresAndNextWords) {
  auto forced = translator("<fr>", "<de>"), given = translator("<fr>", "");
  const auto score = forced.score({"mira tolo"}, {"sena kupo"})[0],
             other = given.score({"mira tolo"}, {"<de> sena kupo"})[0];
  ASSERT_EQ(score.tokens.size(), other.tokens.size());
  EXPECT_EQ(score.tokens[0], 0);
  for (std::size_t i = 1; i < score.tokens.size(); ++i)
    EXPECT_NEAR(score.tokens[i], other.tokens[i], 1e-5);
  EXPECT_NEAR(score.log_probability, other.log_probability - other.tokens[0], 1e-4);
  EXPECT_NEAR(log_probability_of(forced, "mira tolo", "sena kupo"), score.log_probability, 1e-3);
  for (const std::string prefix : {"", "sena"}) {
    const auto words = next_words(forced, "mira tolo", prefix, 4);
    const auto same = next_words(given, "mira tolo", prefix.empty() ? "<de>" : "<de> " + prefix, 4);
    ASSERT_EQ(words.size(), same.size());
    for (std::size_t i = 0; i < words.size(); ++i) {
      EXPECT_NEAR(words[i].probability, same[i].probability, 1e-5);
      ASSERT_TRUE(same[i].prefix.starts_with("<de>"));
      EXPECT_EQ(words[i].prefix, trim(same[i].prefix.substr(4)));
    }
  }
}

TEST_P(LanguagesOf, AreReadAndAreNoWords) {
  auto forced = translator("<fr>", "<de>");
  if (!forced.first().model->attends()) return;
  const auto read = attention_maps(forced, {"mira tolo"}, std::vector<std::string>{"sena"}, {});
  ASSERT_FALSE(read[0].matrices.empty());
  EXPECT_EQ(read[0].source_pieces[0], "<s><fr>");
  EXPECT_EQ(read[0].target_pieces[0], "<s><de>");
  const study::AttentionMatrix& pieces = read[0].matrices.back();
  EXPECT_EQ(pieces.source, read[0].source_pieces);
  const study::AttentionMatrix words = study::merge_words(pieces);
  EXPECT_THAT(words.source, testing::ElementsAre("mira", "tolo", "</s>"));
  EXPECT_THAT(words.target, testing::ElementsAre("sena", "</s>"));
}

TEST_P(LanguagesOf, OfAnEnsembleAreThoseOfItsMembers) {
  const auto member = [&](const std::string& source) {
    return TranslatorModel{model, {language(source), language("<de>")}};
  };
  const DecodeConfig config{.length_penalty = LengthPenalty::none};
  Translator same({member("<fr>"), member("<fr>")}, config, at::kCPU, at::kFloat),
      mixed({member("<fr>"), member("")}, config, at::kCPU, at::kFloat);
  auto alone = translator("<fr>", "<de>");
  const auto one = alone.translate({.lines = kTexts}).translations,
             two = same.translate({.lines = kTexts}).translations;
  for (std::size_t i = 0; i < kTexts.size(); ++i) EXPECT_EQ(one[i].text, two[i].text);
  const auto sources = mixed.sources_of("kupo");
  EXPECT_EQ(sources[0].source_length, sources[1].source_length + 1);
  EXPECT_EQ(mixed.translate({.lines = {"kupo"}}).translations[0].hypotheses[0].ids[0], id("<de>"));
}

const std::vector<std::string> kKindsOfModels{"Transformer", "Bahdanau", "Blind", "Luong"};

INSTANTIATE_TEST_SUITE_P(Models, LanguagesOf, testing::Range<std::size_t>(0, 4),
                         [](const auto& info) { return kKindsOfModels[info.param]; });

}  // namespace
}  // namespace heed::decode
