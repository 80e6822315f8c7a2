#include "apps/shared/run_config.h"

#include <filesystem>

#include "base/error.h"
#include "base/random.h"
#include "base/strings.h"
#include "config/io.h"
#include "train/checkpoint.h"

namespace heed {

namespace fs = std::filesystem;

namespace {

Config without_circumstances(Config config) {
  const Config plain;
  config.name = plain.name;
  config.output = plain.output;
  config.device = plain.device;
  config.threads = plain.threads;
  config.systems.clear();
  return config;
}

}  // namespace

bool has_begun(const std::string& folder) {
  return !train::CheckpointFolder(folder).updates().empty();
}

bool is_kept_corpus(const std::string& name) {
  const bool corpus = name.starts_with("data.train.") || name.starts_with("data.valid.") ||
                      name.starts_with("data.more_valid.") || name.starts_with("data.test.");
  return corpus && (name.ends_with(".tsv") || name.ends_with(".source") ||
                    name.ends_with(".target") || name.ends_with(".alignment"));
}

void find_kept_corpora(Config& config, const std::string& folder) {
  const auto find = [&](std::string& path) {
    const fs::path file(path);
    std::error_code none;
    if (path.empty() || !is_kept_corpus(file.filename().string()) || fs::exists(file, none)) return;
    if (file.parent_path() == fs::path(config.output)) path = (folder / file.filename()).string();
  };
  for (const auto& [key, corpus] : data::corpora_of(config.data)) {
    find(corpus->source);
    find(corpus->target);
    find(corpus->alignment);
  }
}

void remove_run(const std::string& folder) {
  for (const char* name : {"checkpoints", "config.yaml", "provenance.json", "model.safetensors",
                           "metrics.jsonl", "train.log", "summary.json", "validations", "joint.spm",
                           "source.spm", "target.spm", "test.hypothesis"}) {
    std::error_code error;
    fs::remove_all(fs::path(folder) / name, error);
    if (error)
      throw Failure((fs::path(folder) / name).string() + ": cannot delete it: " + error.message());
  }
}

Config saved_config(const std::string& folder) {
  const std::string path = (fs::path(folder) / "config.yaml").string();
  if (!fs::exists(path))
    throw UserError(path + ": is missing, and says what the run in " + folder +
                    " is; write it with `heed config`, or use --overwrite or another output");
  Config config;
  config::load_file(config, path);
  find_kept_corpora(config, folder);
  return config;
}

void require_same_fixed(const std::string& folder, const Config& saved, const Config& wanted) {
  std::vector<std::string> wrong;
  for (const config::Difference& one : config::differences(saved, wanted))
    if (one.on_resume == config::OnResume::fixed)
      wrong.push_back(one.path + ": " + one.before + " (wanted: " + one.after + ")");
  if (!wrong.empty())
    throw UserError((fs::path(folder) / "config.yaml").string() + " has " + join(wrong, ", ") +
                    ", which is fixed once a run has begun; use --overwrite or another output");
}

std::vector<config::Difference> changes(const Config& saved, const Config& wanted) {
  return config::differences(without_circumstances(saved), without_circumstances(wanted));
}

uint64_t checksum(const Config& config) {
  uint64_t sum = 0;
  for (const char byte : config::dump(without_circumstances(config)))
    sum = mix({sum, static_cast<uint64_t>(byte)});
  return sum;
}

}  // namespace heed
