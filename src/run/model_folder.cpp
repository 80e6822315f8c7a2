#include "run/model_folder.h"

#include <ATen/Parallel.h>

#include <cstdint>
#include <memory>
#include <optional>

#include "base/files.h"
#include "base/log.h"
#include "base/machine.h"
#include "base/output_folder.h"
#include "base/run_folder.h"
#include "config/io.h"
#include "config/schema.h"
#include "model/device.h"
#include "model/embedding.h"
#include "model/model.h"
#include "model/weights.h"
#include "run/config.h"
#include "run/saved_config.h"
#include "train/checkpoint.h"

namespace heed::run {

void write_model(const Vocabularies& vocabularies, Config config,
                 const std::map<std::string, at::Tensor>& weights, const std::string& output) {
  OutputFolder out(output, files_of_model());
  save_vocabularies(vocabularies, out.temporary(), is_joint(config));
  model::save_tensors({.tensors = weights, .metadata = binding_of(config, vocabularies)},
                      out.path_of(kWeightsFile));
  config.output = output;
  write_atomic(out.path_of(kConfigFile), config::dump(config));
  out.commit();
}

namespace {

/// The name of what a model that is opened computes in.
std::string precision_here(const Config& config, const at::Device& device, const std::string& path,
                           int64_t vocabulary) {
  if (!leaves_translating_open(config.precision)) return config::name_of(config.precision);
  if (!device.is_cpu()) return "auto";
  return translates_in_bf16(config, path, vocabulary) ? "bf16" : "fp32";
}

}  // namespace

void use_threads(int64_t threads) {
  at::set_num_threads(static_cast<int>(threads > 0 ? threads : available_cores()));
}

decode::Translator ModelFolder::translator(std::vector<decode::TranslatorModel> members) const {
  if (!device.is_cpu()) return {std::move(members), config.decoding, device, precision};
  Config decided = config;
  decide_weights(decided, path, target.size());
  return {std::move(members), decided.decoding, device, precision};
}

ModelFolder open_model(const std::string& path, const OpenOptions& options) {
  auto [config, origin] = open_config(path, options);
  use_threads(config.threads);
  const at::Device device = model::open_device(config.device);
  const std::string file = file_in(path, kWeightsFile);
  const model::TensorFile weights = model::load_tensors(file);
  Vocabularies vocabularies = bound_vocabularies(weights.metadata, file, path, config, origin);
  warn_if_unbound(weights.metadata, file, path);
  const at::ScalarType precision = model::use_precision(
      precision_here(config, device, path, vocabularies.target.size()), device);
  const model::WeightsBegin loaded_next(model::InitialWeights::uninitialised);
  auto network = model::make_model(config.model, vocabularies.sizes());
  model::take_weights(*network, weights.tensors, file);
  if (options.release_files) model::release_file(*network);
  network->to(device);
  network->eval();
  return {path,
          std::move(config),
          std::move(vocabularies.source),
          std::move(vocabularies.target),
          std::move(network),
          device,
          precision};
}

OpenModels open_models(const std::string& paths, const OpenOptions& options) {
  std::optional<OpenModels> models;
  open_each(paths, options, [&](const std::string& path, const OpenOptions& settings) {
    ModelFolder folder = open_model(path, settings);
    if (!models) {
      models.emplace(std::move(folder));
      return;
    }
    const ModelFolder& first = models->first;
    require_ensemble(first.config, {first.path, first.target}, {path, folder.target});
    models->members.push_back(folder.member());
  });
  use_threads(models->first.config.threads);
  return std::move(*models);
}

LineModels line_models(const OpenModels& models) {
  return {models.first.path, models.first.config,
          std::make_shared<decode::Translator>(models.translator())};
}

bool has_begun(const std::string& folder) {
  return !train::CheckpointFolder(folder).updates().empty();
}

Config trained_config(const std::string& folder) {
  Config config = saved_config(folder);
  const auto checkpoint = train::CheckpointFolder(folder).newest_metadata();
  if (!checkpoint || !checkpoint->metadata.contains(train::kConfiguration)) return config;
  config = {};
  config::load_text(config, checkpoint->metadata.at(train::kConfiguration), checkpoint->path);
  if (has_vocabularies(folder))
    bound_vocabularies(checkpoint->metadata, checkpoint->path, folder, config, checkpoint->path);
  return config;
}

}  // namespace heed::run
