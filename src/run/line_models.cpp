#include "run/line_models.h"

#include <filesystem>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/log.h"
#include "base/machine.h"
#include "base/run_folder.h"
#include "decode/search/engine_translator.h"
#include "engine/network.h"
#include "engine/thread_pool.h"
#include "engine/weights.h"
#include "kernels/rows/versions.h"
#include "model/description/traits.h"

namespace heed::run {
namespace {

/// Whether a command that leaves it to heed computes on the CPU.
bool is_for_cpu(const Config& config) {
  const auto has_gpu = [] {
    return std::filesystem::exists("/dev/nvidiactl") || std::filesystem::exists("/dev/dxg");
  };
  return config.device == "cpu" || (config.device == "auto" && !has_gpu());
}

engine::WeightFormat numbers_of(const Config& config) {
  return decode::weight_format(config.decoding.weights, config.precision == Precision::bf16 ||
                                                            (config.precision == Precision::auto_ &&
                                                             kernels::has_bf16_products()));
}

class Engines : public LineModels {
 public:
  Engines(std::string path, Config config, std::vector<decode::EngineMember> members,
          engine::WeightFormat numbers)
      : path_(std::move(path)),
        config_(std::move(config)),
        threads_(config_.threads > 0 ? config_.threads : available_cores()),
        translator_(std::move(members), config_.decoding, numbers, threads_.threads()) {}

  const std::string& path() const override { return path_; }
  const Config& config() const override { return config_; }
  decode::LineTranslator& translator() override { return translator_; }
  inspect::ReadAttention attention(const study::AlignmentChoice&) override { return {}; }

 private:
  std::string path_;
  Config config_;
  engine::ThreadPool threads_;
  decode::EngineTranslator translator_;
};

}  // namespace

study::AlignmentChoice usual_choice(const Config& config) {
  const model::Traits traits = model::traits(config.model);
  const train::TrainConfig& training = config.training;
  study::AlignmentChoice choice = inspect::usual_choice(traits);
  if (training.guided_alignment == 0) return choice;
  choice.reads = training.guided_step == train::GuidedStep::reads;
  if (!traits.has_self_attention) return choice;
  choice.layer = model::decoder_layer(config.model, training.taught_layer);
  // Heads are counted among those that are left.
  const auto kept = model::kept_heads(config.model, config::AttentionKind::cross, choice.layer);
  const auto head = model::place_among(kept, training.taught_head);
  expect(head.has_value(), "the taught head is left");
  choice.head = *head;
  return choice;
}

LineModelsPtr open_engines(const std::string& paths, const OpenOptions& options) {
  std::string first;
  Config config;
  std::vector<decode::EngineMember> members;
  engine::WeightFormat numbers{};
  bool known = true;
  open_each(paths, options, [&](const std::string& path, const OpenOptions& settings) {
    const FolderConfig folder = open_config(path, settings);
    if (first.empty()) {
      config = folder.config;
      numbers = numbers_of(config);
    }
    known = known && is_for_cpu(config) && config.precision != Precision::fp16 &&
            engine::has_network(folder.config.model);
    if (!known) return;
    const std::string file = file_in(path, kWeightsFile);
    const engine::WeightsFile weights = engine::read_weights(file);
    const Vocabularies vocabularies =
        bound_vocabularies(weights.metadata, file, path, folder.config, folder.origin);
    warn_if_unbound(weights.metadata, file, path);
    if (first.empty())
      first = path;
    else
      require_ensemble(config, {first, members.front().text.target}, {path, vocabularies.target});
    const model::Traits traits = model::traits(folder.config.model);
    members.push_back(
        {.text = member_text(folder.config, vocabularies),
         .network = engine::make_network(folder.config.model, weights.weights, numbers),
         .longest = traits.longest,
         .attends = traits.attends()});
  });
  if (!known) return nullptr;
  return std::make_unique<Engines>(std::move(first), std::move(config), std::move(members),
                                   numbers);
}

}  // namespace heed::run
