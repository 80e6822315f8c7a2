#include "apps/shared/config.h"

#include "base/files.h"
#include "config/io.h"

namespace heed {

template config::SectionView config::view(Config&, config::OnResume);

Config load_config(const std::string& path, const std::vector<std::string>& settings) {
  Config config;
  config::load_file(config, path);
  for (const std::string& setting : settings) config::set(config, setting);
  check(config);
  return config;
}

void check(const Config& config) {
  data::check(config.data);
  model::check(config.model, config.data.vocabulary.kind == data::VocabularyKind::joint);
  train::check(config.training);
  decode::check(config.decoding);
  if (config.decoding.weights == decode::WeightType::int8 &&
      config.model.type != model::ModelType::transformer)
    throw config::ConfigError(
        "decoding.weights: int8 is for Transformers, and model.type is rnn; set bf16 or fp32");
  const bool attends =
      config.model.type == model::ModelType::transformer || config.model.attention != "none";
  if (config.decoding.coverage_penalty > 0 && !attends)
    throw config::ConfigError(
        "decoding.coverage_penalty: counts attention, and model.attention is none; set it to 0");
  score::check(config.evaluation);
}

std::string run_folder(const Config& config) {
  return config.output.empty() ? "runs/" + config.name : config.output;
}

}  // namespace heed
