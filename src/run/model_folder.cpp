#include "run/model_folder.h"

#include <ATen/Parallel.h>

#include "base/files.h"
#include "base/log.h"
#include "base/machine.h"
#include "base/output_folder.h"
#include "base/progress_bar.h"
#include "base/run_folder.h"
#include "base/strings.h"
#include "config/io.h"
#include "inspect/attention_maps.h"
#include "model/device.h"
#include "model/embedding.h"
#include "model/model.h"
#include "model/weights.h"
#include "run/saved_config.h"
#include "train/checkpoint.h"

namespace heed::run {

namespace fs = std::filesystem;

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

void use_threads(int64_t threads) {
  at::set_num_threads(static_cast<int>(threads > 0 ? threads : available_cores()));
}

decode::Translator ModelFolder::translator(std::vector<decode::TranslatorModel> members) const {
  decode::Translator translator(std::move(members), config.decoding, device, precision);
  translator.trained_length = config.data.max_length;
  return translator;
}

ModelFolder open_model(const std::string& path, const OpenOptions& options) {
  auto [config, origin] = open_config(path, options);
  use_threads(config.threads);
  const at::Device device = model::open_device(config.device);
  const at::ScalarType precision = model::use_precision(config::name_of(config.precision), device);

  const std::string file = file_in(path, kWeightsFile);
  const model::TensorFile weights = model::load_tensors(file);
  Vocabularies vocabularies = bound_vocabularies(weights.metadata, file, path, config, origin);
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

namespace {

class ModelsOfLines : public LineModels {
 public:
  explicit ModelsOfLines(OpenModels models)
      : models_(std::move(models)), translator_(models_.translator()) {}

  const std::string& path() const override { return models_.first.path; }
  const Config& config() const override { return models_.first.config; }
  decode::LineTranslator& translator() override { return translator_; }
  inspect::ReadAttention attention(const study::AlignmentChoice& choice) override {
    return inspect::attention_reader(translator_, choice);
  }

 private:
  OpenModels models_;
  decode::Translator translator_;
};

}  // namespace

LineModelsPtr open_line_models(const std::string& paths, const OpenOptions& options) {
  return std::make_unique<ModelsOfLines>(open_models(paths, options));
}

std::vector<std::string> translate_all(const OpenModels& models,
                                       const std::vector<std::string>& lines, int64_t first_line,
                                       int64_t step) {
  const ModelFolder& folder = models.first;
  decode::Translator translator = models.translator();
  translator.line_step = step;
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  const int64_t window = translator.window();
  ProgressBar bar("sentences translated", std::ssize(lines));
  translator.searched = [&](int64_t sentences) { bar.add(static_cast<double>(sentences)); };
  std::vector<std::string> outputs;
  while (outputs.size() < lines.size()) {
    const auto begin = lines.begin() + std::ssize(outputs);
    const std::vector<std::string> next(begin,
                                        begin + std::min<int64_t>(window, lines.end() - begin));
    const int64_t first_of_next = first_line + step * std::ssize(outputs);
    for (auto& translation : translator.translate(next, first_of_next))
      outputs.push_back(std::move(translation.text));
  }
  const decode::DecodeConfig& config = folder.config.decoding;
  const std::size_t others = models.members.size() - 1;
  log::info(
      "{}{}{} sentences translated, {}, {} sentences/s", folder.path,
      others > 0 ? fmt::format(" and {} more: ", others) : ": ", lines.size(),
      decode::samples(config.sampling) ? "sampled" : "beam " + std::to_string(config.beam_size),
      fixed(static_cast<double>(lines.size()) / std::max(seconds(), 1e-9), 1));
  return outputs;
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
  find_kept_corpora(config, folder);
  return config;
}

}  // namespace heed::run
