#include "run/model_report.h"

#include "base/files.h"
#include "base/run_folder.h"
#include "data/languages.h"
#include "model/model.h"
#include "run/model_folder.h"
#include "train/checkpoint.h"

namespace heed::run {
namespace {

namespace fs = std::filesystem;

/// In the order in which the model declares them. What shares memory is one tensor, and so is the
/// output layer's matrix where `tie` makes it an embedding: the first mention counts.
std::vector<TensorRow> tensors_of(const ModelFolder& folder) {
  std::vector<TensorRow> rows;
  std::map<const void*, std::string> first;
  for (const auto& item : folder.model->named_parameters()) {
    const at::Tensor& tensor = item.value();
    const auto [known, is_new] = first.try_emplace(tensor.const_data_ptr(), item.key());
    rows.push_back({.name = item.key(),
                    .shape = tensor.sizes().vec(),
                    .parameters = is_new ? tensor.numel() : 0,
                    .tied_to = is_new ? "" : known->second});
  }
  const std::string name = "output.weight";
  const at::Tensor output = folder.model->output().weight;
  if (!output.defined()) return rows;
  const std::string& owner = first.at(output.const_data_ptr());
  if (owner != name)
    rows.push_back({.name = name, .shape = output.sizes().vec(), .tied_to = owner});
  return rows;
}

VocabularyReport describe(const text::Vocabulary& vocabulary) {
  constexpr int32_t kSpecial = text::kEnd + 1, kExamples = 12;
  VocabularyReport report{.pieces = vocabulary.size(),
                          .fingerprint = vocabulary.fingerprint(),
                          .symbols = data::languages_of(vocabulary)};
  for (int32_t id = 0; id < std::min(vocabulary.size(), kSpecial + kExamples); ++id)
    (id < kSpecial ? report.special : report.examples).push_back(vocabulary.piece(id));
  return report;
}

void add_metrics(const fs::path& file, ModelReport& report) {
  if (!fs::exists(file)) return;
  for (const train::MetricsLine& event : train::read_metrics(file.string())) {
    report.updates = std::max(report.updates, event.update);
    if (event.event == "validation" && event.best && event.loss && event.perplexity)
      report.best = event;
  }
}

std::vector<CheckpointFile> checkpoints_of(const fs::path& folder) {
  std::vector<CheckpointFile> files;
  for (const std::string& name : names_in(folder.string()))
    if (train::is_checkpoint(name) || train::is_best(name))
      files.push_back({name, fs::file_size(folder / name)});
  std::ranges::sort(files, {}, &CheckpointFile::name);
  return files;
}

}  // namespace

int64_t ModelReport::parameters() const {
  int64_t sum = 0;
  for (const TensorRow& tensor : tensors) sum += tensor.parameters;
  return sum;
}

ModelReport read_report(const std::string& folder) {
  const ModelFolder model = open_model(folder, {.device = "cpu", .settings = {"precision=fp32"}});
  const fs::path path(folder);
  ModelReport report{.folder = folder,
                     .config = load_config((path / kConfigFile).string(), {}),
                     .bytes = fs::file_size(path / kWeightsFile),
                     .tensors = tensors_of(model),
                     .source = describe(model.source),
                     .target = describe(model.target),
                     .checkpoints = checkpoints_of(path / kCheckpoints)};
  add_metrics(path / kMetricsFile, report);
  if (fs::exists(path / kSummaryFile))
    report.summary = Summary::read((path / kSummaryFile).string());
  return report;
}

}  // namespace heed::run
