// The fields of translations, and the warnings about those that were cut.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>

#include "base/error.h"
#include "base/strings.h"
#include "decode/random_models.h"
#include "decode/toy_model.h"
#include "message.h"

namespace heed::decode {
namespace {

const std::vector<std::string> kText{
    "mira tolo", "",      "sena kupo vadi rel nostra mira tolo sena",
    "kupo",      "  \t ", "rel nostra vadi mira kupo",
    "tolo tolo"};

class EachModel : public testing::TestWithParam<std::size_t> {
 protected:
  model::ModelPtr model() const { return random_model(small_models()[GetParam()]); }
};

TEST_P(EachModel, GivesNBestListsThatHaveEachTextOnce) {
  DecodeConfig config;
  config.beam_size = config.n_best = 7;
  auto translator = make_translator(model(), config);
  for (const Translation& one : translator.translate({.lines = kText}).translations) {
    EXPECT_EQ(std::set(one.texts.begin(), one.texts.end()).size(), one.texts.size());
    EXPECT_EQ(one.texts.size(), one.hypotheses.size());
    EXPECT_EQ(one.texts.size(), one.source_pieces.size() > 1 ? 7U : 0U) << one.text;
  }
}

TEST_P(EachModel, GivesLinesWithoutLettersAndDigitsBack) {
  DecodeConfig config;
  config.n_best = 2;
  const auto translator = make_translator(model(), config);
  const std::vector<std::string> lines{"mira tolo", "***  \u2014", "\U0001F642!", "", "tolo"};
  const LinesResult result = translator.translate({.lines = lines});
  for (const std::size_t i : {1U, 2U}) {
    const Translation& one = result.translations[i];
    EXPECT_TRUE(one.is_source);
    EXPECT_EQ(one.text, lines[i]);
    ASSERT_EQ(one.hypotheses.size(), 1U);
    EXPECT_EQ(one.texts, std::vector{lines[i]});
    EXPECT_EQ(one.hypotheses[0].log_probability, 0);
    EXPECT_EQ(one.hypotheses[0].token_log_probabilities.size(), one.hypotheses[0].ids.size() + 1);
  }
  EXPECT_EQ(join(result.warnings, " ").find("knows no piece"), std::string::npos);
  EXPECT_EQ(result.translations[0].text,
            translator.translate({.lines = {lines[0]}}).translations[0].text);
  EXPECT_TRUE(result.translations[3].hypotheses.empty());
  std::set<int64_t> searched;
  for (const auto& batch : translator.batches_of({.lines = lines}))
    searched.insert(batch.begin(), batch.end());
  EXPECT_EQ(searched, (std::set<int64_t>{0, 4}));
  const auto begun = translator.translate({.lines = {"***"}, .prefixes = {"mira"}}).translations;
  EXPECT_FALSE(begun[0].is_source);
}

TEST_P(EachModel, ReadsNoSoftHyphens) {
  const auto translator = make_translator(model(), {});
  const auto found =
      translator.translate({.lines = {"mira tolo", "mi\u00ADra\u200B to\u2060lo"}}).translations;
  EXPECT_EQ(found[1].text, found[0].text);
  EXPECT_EQ(found[1].source_pieces, found[0].source_pieces);
}

TEST_P(EachModel, GivesNoForbiddenPieceBySearchOrByDraws) {
  for (const int64_t beam : {1, 3, 0}) {  // 0: draws
    DecodeConfig config;
    config.beam_size = std::max<int64_t>(beam, 1);
    config.sampling.top_p = beam == 0 ? 1 : 0;
    config.max_length_ratio = 1;
    auto free = make_translator(model(), config);
    std::set<int32_t> given;
    for (const Translation& one : free.translate({.lines = kText}).translations)
      for (const Hypothesis& hypothesis : one.hypotheses)
        for (const int32_t id : hypothesis.ids)
          if (given.size() < 3) given.insert(id);
    ASSERT_FALSE(given.empty());
    for (const int32_t id : given) config.forbid.push_back(vocabulary().piece(id));
    auto without = make_translator(model(), config);
    int64_t pieces = 0;
    for (const Translation& one : without.translate({.lines = kText}).translations)
      for (const Hypothesis& hypothesis : one.hypotheses)
        for (const int32_t id : hypothesis.ids) {
          EXPECT_FALSE(given.contains(id)) << vocabulary().piece(id);
          ++pieces;
        }
    EXPECT_GT(pieces, 0);
  }
}

std::string name_of_model(const testing::TestParamInfo<std::size_t>& info) {
  const std::vector<std::string> names{"transformer", "bahdanau", "none", "luong"};
  return names[info.param];
}

INSTANTIATE_TEST_SUITE_P(Models, EachModel, testing::Values(0, 1, 2, 3), name_of_model);

TEST(Translations, CannotBeForbiddenAPieceThatIsNone) {
  DecodeConfig config;
  config.forbid = {"<unk>", "\u2581", "m"};
  EXPECT_NO_THROW(make_translator(random_model(small_models()[0]), config));
  config.forbid = {"mira tolo"};
  EXPECT_EQ(
      message_of<UserError>([&] { make_translator(random_model(small_models()[0]), config); }),
      "decoding.forbid: 'mira tolo' is no piece of the target vocabulary, which spells it "
      "\u2581 m i r a \u2581 t o l o; name pieces");
}

/// The warnings of a translation by a model that always gives piece 5 first, then 6, 4 and the end.
std::string warning_of(const DecodeConfig& config) {
  const auto model =
      std::make_shared<toy::FixedModel>(std::vector<float>{0, 0, 0, 0.05F, 0.1F, 0.55F, 0.3F});
  Translator translator({{model, vocabulary(), vocabulary()}}, config, at::kCPU, at::kFloat);
  return join(translator.translate({.lines = {"mira"}}).warnings, "\n");
}

TEST(Translations, ThatAreCutAreToldWhatHelps) {
  DecodeConfig config;
  config.beam_size = 1;
  EXPECT_NE(
      warning_of(config).find("translation cut at the length limit, line 1 (it repeats itself; "
                              "decoding.no_repeat_ngram: 4 forbids that)"),
      std::string::npos);
  config.max_length_ratio = 0.1;  // 11 pieces
  config.no_repeat_ngram = 4;     // 5 5 5 5 6 5 5 5 4 5 5
  EXPECT_NE(warning_of(config).find("line 1 (decoding.max_length_ratio raises it)"),
            std::string::npos);
  config.no_repeat_ngram = 1;  // 5 6 4, and then nothing but the end
  EXPECT_EQ(warning_of(config), "");
  config.min_length = 7;
  EXPECT_NE(warning_of(config).find(
                "cut where every piece is forbidden, line 1 (decoding.no_repeat_ngram leaves none "
                "for decoding.min_length: 3 is the most)"),
            std::string::npos);
  config.min_length = 3;
  EXPECT_EQ(warning_of(config), "");
}

}  // namespace
}  // namespace heed::decode
