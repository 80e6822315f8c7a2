#include "decode/translator.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "base/error.h"
#include "base/strings.h"
#include "decode/model_steps.h"
#include "decode/random_models.h"
#include "decode/search/mbr.h"
#include "decode/toy_model.h"
#include "message.h"
#include "model/model.h"

namespace heed::decode {
namespace {

const std::vector<std::string> kLines{
    "mira tolo", "",      "sena kupo vadi rel nostra mira tolo sena",
    "kupo",      "  \t ", "rel nostra vadi mira kupo",
    "tolo tolo"};

class EveryModel : public testing::TestWithParam<std::size_t> {
 protected:
  model::ModelPtr model() const { return random_model(small_models()[GetParam()]); }
};

TEST_P(EveryModel, LinesComeBackInOrderAndTheSameWhateverTheBatch) {
  DecodeConfig config;
  config.beam_size = 3;
  config.n_best = 2;
  config.batch_size = 5;
  auto together = make_translator(model(), config);
  config.batch_size = 1;
  auto alone = make_translator(model(), config);
  const auto a = together.translate({.lines = kLines}).translations;
  const auto b = alone.translate({.lines = kLines}).translations;
  ASSERT_EQ(a.size(), kLines.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].text, b[i].text);
    ASSERT_EQ(a[i].hypotheses.size(), b[i].hypotheses.size());
    for (std::size_t n = 0; n < a[i].hypotheses.size(); ++n) {
      EXPECT_EQ(a[i].hypotheses[n].ids, b[i].hypotheses[n].ids);
      EXPECT_NEAR(a[i].hypotheses[n].score, b[i].hypotheses[n].score, 1e-4);
    }
    EXPECT_EQ(a[i].texts.size(), a[i].hypotheses.size());
  }
  for (const std::size_t blank : {1U, 4U}) {
    EXPECT_EQ(a[blank].text, "");
    EXPECT_TRUE(a[blank].hypotheses.empty());
  }
  EXPECT_EQ(a[3].source_pieces.back(), "</s>");
}

TEST_P(EveryModel, ASearchedLogProbabilityIsWhatTeacherForcingSays) {
  DecodeConfig config;
  config.beam_size = 4;
  config.n_best = 3;
  auto model = this->model();
  const model::Source source = toy::make_source({{4, 9, 17, 5, 8}, {30, 4}, {11, 12, 13}});
  SearchOptions options{.config = config, .keep_attention = true};
  options.config.max_length_ratio = 0.5;
  model->eval();
  const auto found = search({model.get()}, {source}, options);
  for (int64_t row = 0; row < 3; ++row) {
    const model::Source one{source.tokens[row].unsqueeze(0), source.lengths.slice(0, row, row + 1),
                            source.valid[row].unsqueeze(0)};
    for (const auto& hypothesis : found[row]) {
      std::vector<int32_t> prefix;
      for (std::size_t t = 0; t < hypothesis.token_log_probabilities.size(); ++t) {
        const int32_t token = t < hypothesis.ids.size() ? hypothesis.ids[t] : text::kEnd;
        EXPECT_NEAR(hypothesis.token_log_probabilities[t],
                    toy::next_log_probabilities(*model, one, prefix)[token], 1e-4);
        prefix.push_back(token);
      }
      EXPECT_EQ(hypothesis.attention.size(),
                model->attends() ? hypothesis.token_log_probabilities.size() : 0);
      for (const auto& attended : hypothesis.attention) {
        EXPECT_EQ(static_cast<int64_t>(attended.size()), source.lengths[row].item<int64_t>());
        EXPECT_NEAR(std::accumulate(attended.begin(), attended.end(), 0.0), 1, 1e-5);
      }
    }
  }
}

TEST_P(EveryModel, AScoreIsTheSumOfItsSteps) {
  auto model = this->model();
  auto translator = make_translator(model);
  const std::vector<std::string> targets{
      "vadi mira", "rel", "", "kupo sena tolo nostra", "mira", "tolo rel rel kupo vadi sena mira",
      ""};
  const auto scores = translator.score(kLines, targets);
  ASSERT_EQ(scores.size(), kLines.size());
  model->eval();
  for (std::size_t i = 0; i < kLines.size(); ++i) {
    const auto source_ids = vocabulary().encode(kLines[i]);
    const auto source = toy::make_source({{source_ids.begin(), source_ids.end()}});
    auto target = vocabulary().encode(targets[i]);
    target.push_back(text::kEnd);
    ASSERT_EQ(scores[i].tokens.size(), target.size());
    double sum = 0;
    std::vector<int32_t> prefix;
    for (const int32_t token : target) {
      const double step = toy::next_log_probabilities(*model, source, prefix)[token];
      EXPECT_NEAR(scores[i].tokens[prefix.size()], step, 1e-4);
      sum += step;
      prefix.push_back(token);
    }
    EXPECT_NEAR(scores[i].log_probability, sum, 1e-3);
  }
}

std::string name_of(const testing::TestParamInfo<std::size_t>& info) {
  const std::vector<std::string> names{"transformer", "bahdanau", "none", "luong_general"};
  return names[info.param];
}

INSTANTIATE_TEST_SUITE_P(Models, EveryModel, testing::Values(0, 1, 2, 3), name_of);

TEST(Translator, ALongLineIsCutAndNamedAndItsNeighboursAreNot) {
  DecodeConfig config;
  config.max_source_length = 8;
  auto translator = make_translator(random_model(small_models()[0]), config);
  const std::string line = "mira tolo sena kupo vadi rel nostra mira tolo";
  testing::internal::CaptureStderr();
  const auto found =
      with_logged_warnings(translator.translate({.lines = {"mira", line, "tolo"}, .numbers = 41}));
  EXPECT_NE(
      testing::internal::GetCapturedStderr().find("cut to 8 pieces before translating: line 42"),
      std::string::npos);
  EXPECT_EQ(found.at(1).source_pieces.size(), 9U);  // </s> is the ninth
  EXPECT_EQ(found.at(0).text, translator.translate({.lines = {"mira"}}).translations[0].text);
  EXPECT_EQ(found.at(2).text, translator.translate({.lines = {"tolo"}}).translations[0].text);
}

TEST(Translator, ALineThatEachMemberCutsIsNamedOnce) {
  DecodeConfig config;
  config.max_source_length = 8;
  config.max_length_ratio = 0.5;
  const TranslatorModel member{random_model(small_models()[1]), vocabulary(), vocabulary()};
  Translator translator({member, member}, config, at::kCPU, at::kFloat);
  const std::string line = "mira tolo sena kupo vadi rel nostra mira tolo";
  const LinesResult result = translator.translate({.lines = {line, "mira", line}, .numbers = 41});
  const std::string warnings = join(result.warnings, "\n");
  EXPECT_NE(warnings.find("before translating: line 41, 43 (decoding.max_source_length"),
            std::string::npos)
      << warnings;
}

TEST(Translator, ALineOfAnotherLanguageIsNamed) {
  auto translator = make_translator(random_model(small_models()[0]));
  const auto warnings = [&](const std::vector<std::string>& lines) {
    return join(translator.translate({.lines = lines, .numbers = 41}).warnings, "\n");
  };
  EXPECT_NE(warnings({"mira", "\u65e5\u672c \u8a9e", ""}).find("knows no piece of line 42;"),
            std::string::npos);
  EXPECT_EQ(warnings({"mira \u65e5\u672c", "", "tolo"}).find("knows no piece"), std::string::npos);
}

TEST(Translator, AModelsOwnLimitCutsATranslationAndRefusesToScore) {
  auto model = std::make_shared<toy::ToyModel>(/*longest=*/6);
  Translator translator({{model, vocabulary(), vocabulary()}}, {}, at::kCPU, at::kFloat);
  EXPECT_EQ(translator.source_limit(), 5);
  const std::string line = "mira tolo sena kupo vadi rel nostra mira tolo";
  try {
    translator.score({"mira", line}, {"mira", "mira"});
    FAIL() << "not refused";
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("line 2"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("can take 5"), std::string::npos) << error.what();
  }
  EXPECT_TRUE(model->batches.empty());
}

TEST(Translator, RefusesToScorePairsThatAreLongerThanItsLimit) {
  auto model = std::make_shared<toy::ToyModel>();
  Translator translator({{model, vocabulary(), vocabulary()}}, {.max_source_length = 4}, at::kCPU,
                        at::kFloat);
  const std::string five = "mira tolo sena kupo vadi";
  const int64_t pieces = std::ssize(vocabulary().encode(five));
  const std::string why = " has " + std::to_string(pieces) +
                          " pieces, and pairs are read up to 4; split the line, or raise "
                          "decoding.max_source_length";
  EXPECT_EQ(message_of<UserError>([&] { translator.score({"", five}, {"", ""}); }), "line 2" + why);
  EXPECT_EQ(message_of<UserError>([&] { translator.score({""}, {five}); }), "target line 1" + why);
  const MemberText trained{vocabulary(), vocabulary(), 0, pieces};
  const Translator reads_more({{model, trained}}, {.max_source_length = 4}, at::kCPU, at::kFloat);
  EXPECT_EQ(reads_more.pair_limit(), pieces);
  EXPECT_EQ(reads_more.score({five}, {""}).size(), 1U);
}

/// A model that counts how many pairs are read together.
class CountingModel : public toy::ToyModel {
 public:
  using ToyModel::ToyModel;
  at::Tensor features(const model::Source& source, const model::TargetInput& input,
                      model::Trace* trace) override {
    read.push_back(source.tokens.size(0));
    return ToyModel::features(source, input, trace);
  }
  std::vector<int64_t> read;
};

TEST(Translator, ScoresFewPairsTogetherWhereSourcesAreLong) {
  const int before = at::get_num_threads();
  at::set_num_threads(1);
  auto model = std::make_shared<CountingModel>(/*longest=*/2000);
  Translator translator({{model, vocabulary(), vocabulary()}}, {}, at::kCPU, at::kFloat);
  std::string line = "mira";
  while (vocabulary().encode(line + " mira").size() <= 1000) line += " mira";
  translator.score(std::vector<std::string>(5, line), std::vector<std::string>(5, ""));
  at::set_num_threads(before);
  EXPECT_EQ(model->read, std::vector<int64_t>({2, 2, 1}));  // 1,024 pieces, half of a source's
}

TEST(Translator, ATranslationBeginsWithItsPrefixAndScoresAsWhenItIsGiven) {
  for (const std::size_t kind : {0U, 1U}) {
    auto translator = make_translator(random_model(small_models()[kind]));
    const std::vector<std::string> prefixes{"vadi", "rel", "", "kupo tolo ß mira", "", "", "bahir"};
    const auto free = translator.translate({.lines = kLines}).translations;
    const auto found = translator.translate({.lines = kLines, .prefixes = prefixes}).translations;
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (i == 1 || i == 4) {  // blank lines stay blank
        EXPECT_EQ(found[i].text, "");
      } else {
        EXPECT_TRUE(found[i].text.starts_with(prefixes[i])) << found[i].text;
      }
      if (prefixes[i].empty()) {
        EXPECT_EQ(found[i].text, free[i].text);
      }
    }
    const Hypothesis& best = found[0].hypotheses.at(0);
    if (vocabulary().encode(found[0].text) == best.ids && !best.cut) {
      EXPECT_NEAR(translator.score({kLines[0]}, {found[0].text})[0].log_probability,
                  best.log_probability, 1e-3);
    }
  }
}

TEST(Translator, APrefixThatIsTooLongIsRefusedByItsLine) {
  auto model = std::make_shared<toy::ToyModel>(/*longest=*/6);
  Translator translator({{model, vocabulary(), vocabulary()}}, {}, at::kCPU, at::kFloat);
  const std::string prefix = "mira tolo sena kupo vadi rel nostra mira tolo";
  const std::string message = message_of<UserError>([&] {
    translator.translate({.lines = {"mira", "tolo"}, .prefixes = {"", prefix}, .numbers = 7});
  });
  EXPECT_NE(message.find("the prefix of line 8"), std::string::npos) << message;
  EXPECT_NE(message.find("can take 5; shorten the prefix"), std::string::npos) << message;
}

TEST(Translator, APrefixIsNoLongerThanAPairThatIsRead) {
  DecodeConfig config;
  config.max_source_length = 8;
  const Translator translator = make_translator(random_model(small_models()[1]), config);
  std::string prefix;
  for (int64_t i = 0; i <= translator.pair_limit(); ++i) prefix += "mira ";
  const std::string message = message_of<UserError>(
      [&] { translator.translate({.lines = {"mira"}, .prefixes = {prefix}}); });
  EXPECT_NE(message.find("the prefix of line 1 has "), std::string::npos) << message;
  EXPECT_NE(message.find(fmt::format("prefixes are read up to {}; shorten it, or raise "
                                     "decoding.max_source_length",
                                     translator.pair_limit())),
            std::string::npos)
      << message;
}

TEST(Translator, MinimumBayesRiskChoosesTheSameOnAnyNumberOfThreads) {
  const int before = at::get_num_threads();
  for (const bool draws : {false, true}) {
    DecodeConfig config;
    config.beam_size = config.mbr = 6;
    config.n_best = 2;
    config.sampling.top_p = draws ? 1 : 0;
    auto translator = make_translator(random_model(small_models()[0]), config);
    std::vector<std::vector<std::string>> first;
    for (const int threads : {1, 2, 3}) {
      at::set_num_threads(threads);
      std::vector<std::vector<std::string>> texts;
      for (const auto& one : translator.translate({.lines = kLines}).translations) {
        texts.push_back(one.texts);
        if (one.hypotheses.size() > 1) {
          EXPECT_GE(one.hypotheses[0].score, one.hypotheses[1].score);
          EXPECT_LE(one.hypotheses[0].score, 100 + 1e-9);
        }
      }
      if (threads == 1) first = texts;
      EXPECT_EQ(texts, first);
    }
    // The choice is made by hand from the candidates.
    auto candidates = config;
    candidates.mbr = 0;
    candidates.n_best = 6;
    auto all = make_translator(random_model(small_models()[0]), candidates)
                   .translate({.lines = kLines})
                   .translations;
    for (std::size_t i = 0; i < all.size(); ++i) {
      choose_by_utility(all[i].hypotheses, all[i].texts, config);
      EXPECT_EQ(all[i].texts, first[i]);
    }
  }
  at::set_num_threads(before);
}

TEST(Translator, AnInterruptionLeavesTheBatchesThatHaveNotBegun) {
  const int before = at::get_num_threads();
  at::set_num_threads(1);
  for (const std::size_t kind : {0U, 1U}) {
    DecodeConfig config;
    config.batch_size = 1;
    auto translator = make_translator(random_model(small_models()[kind]), config);
    const auto whole = translator.translate({.lines = kLines}).translations;
    std::atomic<int64_t> told = 0;
    const SearchHooks hooks{.interrupted = [&] { return told >= 2; },
                            .searched = [&](int64_t lines) { told += lines; }};
    const auto found = translator.translate({.lines = kLines}, hooks).translations;
    ASSERT_EQ(found.size(), kLines.size());
    int searched = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      searched += !found[i].hypotheses.empty();
      EXPECT_EQ(found[i].text, found[i].hypotheses.empty() ? "" : whole[i].text);
    }
    EXPECT_EQ(searched, 2);
    EXPECT_EQ(told, 2);
  }
  at::set_num_threads(before);
}

TEST(Translator, AnInterruptionEndsABatchAtItsNextStep) {
  for (const std::size_t kind : {0U, 1U})
    for (const int64_t best_of : {0, 2}) {
      const DecodeConfig config{.beam_size = 2, .mbr = best_of};
      auto translator = make_translator(random_model(small_models()[kind]), config);
      std::atomic<int> asked = 0;
      int64_t told = 0;
      const SearchHooks hooks{.interrupted = [&] { return ++asked > 3; },
                              .searched = [&](int64_t lines) { told += lines; }};
      const auto found = translator.translate({.lines = kLines}, hooks).translations;
      EXPECT_EQ(asked, 5);  // before the batch, before three steps, and after it
      EXPECT_EQ(told, 0);
      for (const Translation& one : found) EXPECT_TRUE(one.hypotheses.empty());
    }
}

TEST(Translator, ACoveragePenaltyNeedsAttention) {
  DecodeConfig config;
  config.coverage_penalty = 0.2;
  for (const std::size_t attends : {0U, 1U, 3U})
    EXPECT_NO_THROW(make_translator(random_model(small_models()[attends]), config));
  const auto blind = random_model(small_models()[2]);
  EXPECT_EQ(message_of<UserError>([&] { make_translator(blind, config); }),
            "decoding.coverage_penalty: counts the attention of the first model, which has none; "
            "set it to 0");
}

TEST(Translator, PairsOfDifferentCountsAreRefused) {
  auto translator = make_translator(random_model(small_models()[1]));
  EXPECT_THROW(translator.score({"mira", "tolo"}, {"mira"}), UserError);
}

TEST(Translator, SamplesBelongToTheLineAndNotToTheBatch) {
  DecodeConfig config;
  config.sampling.top_k = 8;
  auto translator = make_translator(random_model(small_models()[0]), config);
  const auto all = translator.translate({.lines = kLines}).translations;
  EXPECT_EQ(translator.translate({.lines = {kLines[5]}, .numbers = 6}).translations[0].text,
            all[5].text);
  const auto some =
      translator.translate({.lines = {kLines[2], kLines[5]}, .numbers = {3, 3}}).translations;
  EXPECT_EQ(some[0].text, all[2].text);
  EXPECT_EQ(some[1].text, all[5].text);
}

TEST(Translator, SamplesOfSentencesBelongToTheirLines) {
  DecodeConfig config;
  config.sampling.top_k = 8;
  auto translator = make_translator(random_model(small_models()[0]), config);
  const std::string line = kLines[5];
  const std::string of_five =
                        translator.translate({.lines = {line}, .numbers = 5}).translations[0].text,
                    of_six =
                        translator.translate({.lines = {line}, .numbers = 6}).translations[0].text;
  const LineNumbers numbers(std::vector<int64_t>{5, 5, 6});
  const auto all =
      translator.translate({.lines = {line, line, line}, .numbers = numbers}).translations;
  EXPECT_EQ(all[0].text, of_five);
  EXPECT_NE(all[1].text, of_five);
  EXPECT_EQ(all[2].text, of_six);
  // A chunk that begins inside a line goes on with its streams.
  const auto rest = translator.translate({.lines = {line, line}, .numbers = numbers.from(1)});
  EXPECT_EQ(rest.translations[0].text, all[1].text);
  EXPECT_EQ(rest.translations[1].text, of_six);
  EXPECT_EQ(numbers.only({1, 2}).stream_of(0), numbers.stream_of(1));
  const auto last = translator.translate({.lines = {line}, .numbers = numbers.only({2})});
  EXPECT_EQ(last.translations[0].text, of_six);
}

TEST(Translator, NamesLinesOfAShareByTheirNumbers) {
  auto translator = make_translator(random_model(small_models()[0]));
  const LinesResult result =
      translator.translate({.lines = {"mira", "\u65e5\u672c \u8a9e", "tolo"}, .numbers = {2, 3}});
  const std::string warnings = join(result.warnings, "\n");
  EXPECT_NE(warnings.find("knows no piece of line 5;"), std::string::npos) << warnings;
}

// A GPU is named here, and none is seen.
TEST(Translator, WeightsThatADeviceHasNotAreRefused) {
  ::setenv("CUDA_VISIBLE_DEVICES", "", /*replace=*/1);
  const auto refused = [](WeightType weights, at::DeviceType device) {
    DecodeConfig config;
    config.weights = weights;
    return message_of<UserError>([&] { require_weights(config, at::Device(device)); });
  };
  EXPECT_EQ(
      refused(WeightType::int8, at::kCUDA),
      "decoding.weights: int8 needs a CPU, and no mechanism that was added to a registry; set "
      "bf16 or fp32");
  EXPECT_EQ(refused(WeightType::bf16, at::kCUDA),
            "decoding.weights: bf16: this GPU has none; set fp32");
  EXPECT_EQ(refused(WeightType::fp32, at::kCUDA), "(nothing thrown)");
  for (const auto weights : {WeightType::int8, WeightType::bf16, WeightType::fp32})
    EXPECT_EQ(refused(weights, at::kCPU), "(nothing thrown)");
  // What `auto` has chosen on a CPU is the precision on a GPU.
  for (const auto weights :
       {WeightType::auto_, WeightType::auto_fp32, WeightType::auto_bf16, WeightType::auto_int8})
    EXPECT_EQ(refused(weights, at::kCUDA), "(nothing thrown)");
}

}  // namespace
}  // namespace heed::decode
