// The suggestions for other trainers' words lead to keys that exist.
#include <gtest/gtest.h>

#include <cctype>

#include "config/io.h"
#include "config/suggest.h"
#include "data/config.h"
#include "decode/search/config.h"
#include "message.h"
#include "model/description/config.h"
#include "score/config.h"
#include "train/config.h"

namespace heed {
namespace {

struct Sections {
  HEED_CONFIG(Sections);
  HEED_SECTION(data::DataConfig, data, "Corpora.")
  HEED_SECTION(model::ModelConfig, model, "The network.")
  HEED_SECTION(train::TrainConfig, training, "The optimisation.")
  HEED_SECTION(decode::DecodeConfig, decoding, "The search.")
  HEED_SECTION(score::EvaluationConfig, evaluation, "Scores.")
};

std::string error(const std::string& yaml) {
  Sections sections;
  return message_of<config::ConfigError>([&] { config::load_text(sections, yaml, "x.yaml"); });
}

TEST(Aliases, NameKeysThatExist) {
  Sections sections;
  const auto root = config::view(sections);
  int keys = 0;
  for (const auto& [word, path] : config::aliases()) {
    if (path.find('.') == std::string::npos) continue;  // a value, or a key of the top level
    ++keys;
    EXPECT_NE(config::find_field(root, path), nullptr) << word << " -> " << path;
  }
  EXPECT_GT(keys, 100);
}

TEST(Aliases, AreNeverNeededForHeedsOwnKeys) {
  Sections sections;
  for (const std::string& path : config::all_paths(config::view(sections)))
    EXPECT_EQ(config::known_elsewhere(path.substr(path.rfind('.') + 1)), "") << path;
}

TEST(Aliases, KeysOfOlderVersionsAreReadByTheirPresentNames) {
  Sections sections;
  config::load_text(sections, "training: {guided_layer: 1}", "x.yaml");
  config::set(sections, "training.guided_head=3");
  EXPECT_EQ(sections.training.taught_layer, 1);
  EXPECT_EQ(sections.training.taught_head, 3);
  EXPECT_EQ(config::dump(sections).find("guided_layer"), std::string::npos);
  EXPECT_NE(config::find_field(config::view(sections), "training.guided_layer"), nullptr);
  EXPECT_EQ(error("training: {guided_layer: 1, taught_layer: 1}"),
            "x.yaml:1: training.taught_layer: given twice, first on line 1");
}

TEST(Aliases, LeadFromOtherTrainersFilesToHeedsKeys) {
  EXPECT_EQ(error("training: {batch_multiplier: 4}"),
            "x.yaml:1: training.batch_multiplier: unknown key; did you mean 'accumulate'?");
  EXPECT_EQ(error("training: {max_grad_norm: 5}"),
            "x.yaml:1: training.max_grad_norm: unknown key; did you mean 'clip_norm'?");
  EXPECT_EQ(error("training: {warmup_steps: 5}"),
            "x.yaml:1: training.warmup_steps: unknown key; did you mean 'warmup'?");
  EXPECT_EQ(error("model: {rnn_size: 5}"),
            "x.yaml:1: model.rnn_size: unknown key; did you mean 'hidden_size'?");
  EXPECT_EQ(error("model: {beam: 5}"),
            "x.yaml:1: model.beam: unknown key; did you mean 'decoding.beam_size'?");
  EXPECT_EQ(error("train: {lr: 5}"), "x.yaml:1: train: unknown key; did you mean 'training'?");
  EXPECT_EQ(error("training: {dropout: 0.3}"),
            "x.yaml:1: training.dropout: unknown key; did you mean 'model.dropout'?");
  EXPECT_EQ(error("model: {attention: mlp}"),
            "x.yaml:1: model.attention: unknown value 'mlp'; did you mean 'bahdanau'?");
}

}  // namespace
}  // namespace heed
