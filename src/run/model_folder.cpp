#include "run/model_folder.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <filesystem>

#include "base/files.h"
#include "base/machine.h"
#include "base/output_folder.h"
#include "base/run_folder.h"
#include "base/strings.h"
#include "config/io.h"
#include "model/device.h"
#include "model/initial.h"
#include "model/model.h"
#include "model/weights.h"
#include "run/binding.h"
#include "run/saved_config.h"

namespace heed::run {

namespace fs = std::filesystem;

void require_model_folder(const std::string& path) {
  if (!fs::exists(path)) throw UserError(path + ": no such model folder");
  if (!fs::is_directory(path))
    throw UserError(path + ": not a model folder; give the folder that `heed train` wrote");
  if (!fs::exists(fs::path(path) / kConfigFile))
    throw UserError(
        path +
        ": not a model folder, it has no config.yaml; give the folder that `heed train` wrote");
  if (!fs::exists(fs::path(path) / kWeightsFile))
    throw UserError(
        path + ": has no model.safetensors; its training has not reached a first validation yet");
}

bool has_vocabularies(const std::string& folder) {
  const fs::path path(folder);
  return fs::exists(path / kJointVocabulary) ||
         (fs::exists(path / kSourceVocabulary) && fs::exists(path / kTargetVocabulary));
}

Vocabularies load_vocabularies(const std::string& folder, bool joint) {
  const auto load = [&](const char* name) { return text::Vocabulary::load(file_in(folder, name)); };
  if (!joint) return {load(kSourceVocabulary), load(kTargetVocabulary)};
  const text::Vocabulary both = load(kJointVocabulary);
  return {both, both};
}

void save_vocabularies(const Vocabularies& vocabularies, const std::string& folder, bool joint) {
  if (joint) return vocabularies.source.save(file_in(folder, kJointVocabulary));
  vocabularies.source.save(file_in(folder, kSourceVocabulary));
  vocabularies.target.save(file_in(folder, kTargetVocabulary));
}

void require_same_pieces(const std::string& side, const FolderPieces& of, const FolderPieces& as,
                         const std::string& cure) {
  if (of.vocabulary.fingerprint() != as.vocabulary.fingerprint())
    throw UserError("{}: its {} vocabulary ({}) is not that of {} ({}); {}", of.folder, side,
                    of.vocabulary.fingerprint(), as.folder, as.vocabulary.fingerprint(), cure);
}

namespace {

std::vector<std::string> files_of_model() {
  return {kJointVocabulary, kSourceVocabulary, kTargetVocabulary, kWeightsFile, kConfigFile};
}

}  // namespace

void require_no_model(const std::string& folder) {
  if (fs::exists(fs::path(folder) / kConfigFile))
    throw UserError(folder + ": holds a model already; name a new folder");
  require_written_by_heed(folder, files_of_model());
}

void write_model(const Vocabularies& vocabularies, Config config,
                 const std::map<std::string, at::Tensor>& weights, const std::string& output) {
  OutputFolder out(output, files_of_model());
  save_vocabularies(vocabularies, out.place(), is_joint(config));
  model::save_tensors({.tensors = weights, .metadata = binding_of(config, vocabularies)},
                      out.place_of(kWeightsFile));
  config.output = output;
  write_atomic(out.place_of(kConfigFile), config::dump(config));
  out.commit();
}

namespace {

/// Whether a setting of the command line says what the network or its vocabulary is.
bool names_model(const std::vector<std::string>& settings) {
  return std::ranges::any_of(settings, [](const std::string& setting) {
    return setting.starts_with("model") || setting.starts_with("data.vocabulary");
  });
}

}  // namespace

void use_threads(int64_t threads) {
  at::set_num_threads(static_cast<int>(threads > 0 ? threads : available_cores()));
}

decode::Translator ModelFolder::translator(std::vector<decode::TranslatorModel> members) const {
  decode::Translator translator(std::move(members), config.decoding, device, precision);
  translator.trained_length = config.data.max_length;
  return translator;
}

ModelFolder open_model(const std::string& path, const OpenOptions& options) {
  require_model_folder(path);
  std::vector<std::string> settings = options.settings;
  if (!options.device.empty()) settings.push_back("device=" + options.device);
  const std::string saved = file_in(path, kConfigFile);
  Config config = load_config(saved, settings);
  find_kept_corpora(config, path);
  use_threads(config.threads);
  const at::Device device = model::open_device(config.device);
  const at::ScalarType precision = model::use_precision(config::name_of(config.precision), device);

  const std::string file = file_in(path, kWeightsFile);
  const model::TensorFile weights = model::load_tensors(file);
  Vocabularies vocabularies = bound_vocabularies(weights.metadata, file, path, config,
                                                 names_model(settings) ? "--set" : saved);
  warn_if_unbound(weights.metadata, file, path);
  const model::WeightsBegin loaded_next(model::InitialWeights::uninitialised);
  auto network = model::make_model(config.model, vocabularies.sizes());
  model::take_weights(*network, weights.tensors, file);
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

std::vector<std::string> model_paths(const std::string& paths) {
  std::error_code none;
  if (fs::is_directory(paths, none)) return {paths};  // a run may have a comma in its name
  return split(paths, ',');
}

OpenModels open_models(const std::string& paths, const OpenOptions& options) {
  std::optional<OpenModels> models;
  // The search is the first one's: what is set of it need not fit the others' own.
  OpenOptions of_others = options;
  std::erase_if(of_others.settings,
                [](const std::string& setting) { return setting.starts_with("decoding."); });
  for (const std::string& path : model_paths(paths)) {
    if (path.empty())
      throw UserError("'{}': {}", one_line(paths),
                      paths.empty() ? "names no model folder"
                                    : "a comma without a model folder before or behind it");
    ModelFolder folder = open_model(path, models ? of_others : options);
    if (!models) {
      models.emplace(std::move(folder));
      continue;
    }
    const ModelFolder& first = models->first;
    const std::string key =
        is_joint(first.config) ? "data.vocabulary.source" : "data.vocabulary.target";
    require_same_pieces("target", {path, folder.target}, {first.path, first.target},
                        "an ensemble needs models trained with the same one: name it in " + key);
    models->members.push_back(folder.member());
  }
  use_threads(models->first.config.threads);
  return std::move(*models);
}

}  // namespace heed::run
