#include "train/checkpoint.h"

#include <ATen/ATen.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/log.h"
#include "base/run_folder.h"
#include "base/strings.h"
#include "model/adapters.h"
#include "model/description/safetensors_file.h"
#include "model/model.h"
#include "model/weights.h"
#include "train/setup.h"
#include "train/shard.h"

namespace heed::train {
namespace {

namespace fs = std::filesystem;

constexpr const char *kStateKey = "training_state", *kVersionKey = "checkpoint_version";
constexpr const char* kVersion = "1";

void add(NamedTensors& to, const std::string& group, const NamedTensors& from) {
  for (const auto& [name, tensor] : from) to.emplace(group + "/" + name, tensor);
}

NamedTensors group(const NamedTensors& from, const std::string& name) {
  NamedTensors out;
  const std::string prefix = name + "/";
  for (auto at = from.lower_bound(prefix); at != from.end() && at->first.starts_with(prefix); ++at)
    out.emplace(at->first.substr(prefix.size()), at->second);
  return out;
}

/// The names of files, but for the update's number.
struct NameOf {
  std::string_view start, end;

  std::string at(int64_t update) const { return fmt::format("{}{:08}{}", start, update, end); }
  bool is(std::string_view name) const { return name.starts_with(start) && name.ends_with(end); }
};
constexpr NameOf kCheckpoint{"update-", ".heed"}, kBest{"best-", ".safetensors"};

/// N of "update-N.heed".
std::optional<int64_t> update_of(const std::string& name) {
  const auto& [start, end] = kCheckpoint;
  if (!kCheckpoint.is(name)) return std::nullopt;
  return exact_number<int64_t>(
      std::string_view(name).substr(start.size(), name.size() - start.size() - end.size()));
}

Progress progress_of(const std::map<std::string, std::string>& metadata, const std::string& path) {
  const auto version = metadata.find(kVersionKey), state = metadata.find(kStateKey);
  if (version == metadata.end() || state == metadata.end())
    throw UserError(path + ": holds no training state, only weights");
  if (version->second != kVersion)
    throw UserError("{}: checkpoint version {}, this heed goes on from version {}", path,
                    one_line(version->second), kVersion);
  return Progress::from_json(state->second, path);
}

Checkpoint checkpoint_of(const model::TensorFile& file, const std::string& path) {
  Checkpoint checkpoint{group(file.tensors, "model"), group(file.tensors, "optimizer"),
                        group(file.tensors, "ema")};
  checkpoint.progress = progress_of(file.metadata, path);
  checkpoint.metadata = file.metadata;
  for (const char* own : {kVersionKey, kStateKey}) checkpoint.metadata.erase(own);
  return checkpoint;
}

/// Returns the progress in a checkpoint; nothing where the file is too damaged to continue from.
std::optional<Progress> progress_in(const std::string& path) {
  try {
    return progress_of(model::load_metadata(path), path);
  } catch (const UserError&) {
    return std::nullopt;
  }
}

bool is_healthy(const Progress& progress) {
  return progress.skipped_in_a_row == 0;
}

}  // namespace

void save_checkpoint(const Checkpoint& checkpoint, const std::string& path) {
  model::TensorFile file;
  add(file.tensors, "model", checkpoint.model);
  add(file.tensors, "optimizer", checkpoint.optimizer);
  add(file.tensors, "ema", checkpoint.ema);
  file.metadata = checkpoint.metadata;
  file.metadata[kVersionKey] = kVersion;
  file.metadata[kStateKey] = checkpoint.progress.to_json();
  model::save_tensors(file, path);
}

Checkpoint load_checkpoint(const std::string& path) {
  return checkpoint_of(model::load_tensors(path), path);
}

bool is_checkpoint(const std::string& name) {
  return kCheckpoint.is(name);
}

bool is_best(const std::string& name) {
  return kBest.is(name);
}

CheckpointFolder::CheckpointFolder(const std::string& run) : folder_(file_in(run, kCheckpoints)) {}

std::string CheckpointFolder::update_path(int64_t update) const {
  return path(kCheckpoint.at(update));
}

std::string CheckpointFolder::best_name(int64_t update) const {
  return kBest.at(update);
}

std::vector<std::string> CheckpointFolder::updates() const {
  std::vector<std::pair<int64_t, std::string>> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder_, error), end; !error && entry != end;
       entry.increment(error))
    if (const auto update = update_of(entry->path().filename().string()))
      found.emplace_back(*update, entry->path().string());
  // A run whose checkpoints cannot be seen for a moment would begin anew, and delete them.
  if (error && error != std::errc::no_such_file_or_directory)
    throw Failure(folder_ + ": cannot be read: " + error.message());
  std::ranges::sort(found);
  std::vector<std::string> paths;
  for (auto& [update, path] : found) paths.push_back(std::move(path));
  return paths;
}

std::optional<CheckpointFolder::Found> CheckpointFolder::latest(bool healthy) const {
  const auto paths = updates();
  std::optional<Found> newest;
  for (auto path = paths.rbegin(); path != paths.rend(); ++path) {
    try {
      Found found{*path, load_checkpoint(*path)};
      if (!healthy || is_healthy(found.checkpoint.progress)) return found;
      if (!newest) newest = std::move(found);
    } catch (const UserError& error) {
      log::warn(std::string(error.what()) + "; trying the checkpoint before it");
    }
  }
  if (newest) return newest;
  if (paths.empty()) return std::nullopt;
  throw UserError(
      "{}: none of its {} checkpoints is whole; remove the folder to train from the start", folder_,
      paths.size());
}

std::optional<CheckpointFolder::FoundMetadata> CheckpointFolder::newest_metadata() const {
  const auto paths = updates();
  for (auto path = paths.rbegin(); path != paths.rend(); ++path) {
    try {
      return FoundMetadata{*path, load_checkpoint(*path).metadata};
    } catch (const UserError&) {  // latest() says so
    }
  }
  return std::nullopt;
}

void CheckpointFolder::prune(int64_t keep_last, int64_t newest) const {
  std::error_code ignored;
  auto paths = updates();
  std::erase_if(paths, [&](const std::string& path) {
    const bool stray = *update_of(fs::path(path).filename().string()) > newest;
    if (stray) fs::remove(path, ignored);
    return stray;
  });
  std::set<std::string> names;  // of the best weights that are needed
  bool healthy = false;         // one of those that stay is
  int64_t kept = 0;
  for (auto path = paths.rbegin(); path != paths.rend(); ++path) {
    const auto progress = progress_in(*path);
    const bool sound = progress && is_healthy(*progress);
    if (kept >= keep_last && (healthy || !sound)) {
      fs::remove(*path, ignored);
      continue;
    }
    ++kept;
    healthy = healthy || sound;
    if (!progress) continue;
    for (const Best& one : progress->best) names.insert(one.file);
  }
  for (const std::string& name : names_in(folder_))
    if (is_best(name) && !names.contains(name)) fs::remove(path(name), ignored);
}

NamedTensors read_weights(const std::string& path) {
  model::TensorFile file = model::load_tensors(path);
  NamedTensors weights;
  if (file.metadata.contains(kStateKey)) {
    if (file.metadata.contains(kBase))
      throw UserError(path +
                      ": a checkpoint of a run with training.adapters, which holds the adapters "
                      "alone; take a best-*.safetensors or the run's model.safetensors");
    weights = group(file.tensors, "model");
    for (auto& [name, tensor] : group(file.tensors, "ema")) weights[name] = tensor;
  } else {
    weights = std::move(file.tensors);
  }
  model::require_floats(weights, path);
  return weights;
}

NamedTensors average(const std::vector<std::string>& paths) {
  if (paths.empty()) throw UserError("there is no checkpoint to average; name at least one");
  NamedTensors mean = read_weights(paths.front());
  if (paths.size() == 1) return mean;
  NamedTensors sums;
  for (const auto& [name, tensor] : mean) sums[name] = tensor.to(at::kDouble);
  for (std::size_t i = 1; i < paths.size(); ++i) {
    const NamedTensors next = read_weights(paths[i]);
    for (auto& [name, sum] : sums) {
      const auto found = next.find(name);
      if (found == next.end() || found->second.sizes() != sum.sizes() || next.size() != sums.size())
        throw UserError("{}: its weights are of another model than those of {} ('{}' differs)",
                        paths[i], paths.front(), name);
      sum += found->second;
    }
  }
  for (auto& [name, tensor] : mean)
    tensor = (sums[name] / static_cast<double>(paths.size())).to(tensor.scalar_type());
  return mean;
}

RunFiles::RunFiles(const TrainerSetup& setup, ranks::Group& group, Optimizer& optimizer,
                   Average* average)
    : setup_(setup),
      model_(*setup.model),
      group_(group),
      optimizer_(optimizer),
      average_(average),
      checkpoints_(setup.folder) {
  if (!group_.leads()) return;
  make_folder(file_in(setup.folder, kCheckpoints));
  if (!setup.resume && !checkpoints_.updates().empty())
    throw UserError(
        "{}: a run is there already; go on with --resume, or name another folder (output)",
        setup.folder);
}

Metadata RunFiles::checkpoint_metadata() const {
  Metadata metadata = setup_.metadata;
  if (!setup_.configuration.empty()) metadata[kConfiguration] = setup_.configuration;
  if (!setup_.base.empty()) metadata[kBase] = setup_.base;
  return metadata;
}

NamedTensors RunFiles::saved_weights() const {
  return setup_.base.empty() ? model::named_weights(model_) : trainable(model_);
}

void RunFiles::save(const Progress& progress, After after) {
  const auto by_the_first = [&](const auto& work) {
    const auto mine = [&] {
      if (group_.leads()) work();
    };
    after == After::ranks_end ? group_.take_time(mine) : mine();
  };
  group_.begin(fmt::format("update {} was saved", with_commas(progress.update)));
  Checkpoint checkpoint{saved_weights(), optimizer_.state(),
                        average_ ? average_->tensors() : NamedTensors{}};
  checkpoint.progress = progress;
  checkpoint.metadata = checkpoint_metadata();
  const std::string path = checkpoints_.update_path(progress.update);
  by_the_first([&] { save_checkpoint(checkpoint, path); });
  unsaved_ = false;
  log::debug("saved " + path);
  if (setup_.validation.empty()) write_model(progress);
  // Only now: an older checkpoint may still name what goes.
  by_the_first([&] { checkpoints_.prune(setup_.config.keep_last, progress.update); });
}

void RunFiles::restore(const CheckpointFolder::Found& found) {
  const Checkpoint& checkpoint = found.checkpoint;
  const auto base = checkpoint.metadata.find(kBase);
  if (!setup_.base.empty() && base != checkpoint.metadata.end() && base->second != setup_.base)
    throw UserError(
        "{}: its adapters are for other weights than {} has now (training.from); put the older "
        "ones back, or begin a new run",
        found.path, setup_.config.from);
  model::load_weights(saved_weights(), checkpoint.model, found.path);
  optimizer_.load_state(checkpoint.optimizer, found.path);
  if (average_) {
    // A run that had none begins its average with the weights.
    const bool had = !checkpoint.ema.empty();
    average_->load(had ? checkpoint.ema : trainable(model_), found.path);
  }
  unsaved_ = group_.broadcast(checkpoint.metadata != checkpoint_metadata());
}

void RunFiles::save_best(Progress& progress) {
  const auto added =
      std::ranges::find_if(progress.best, [&](const Best& one) { return one.file.empty(); });
  expect(added != progress.best.end(), "a best checkpoint without a place in the list");
  added->file = checkpoints_.best_name(progress.update);
  if (group_.leads()) {
    model::TensorFile file{model::named_weights(model_), setup_.metadata};
    file.metadata["update"] = std::to_string(added->update);
    model::save_tensors(file, checkpoints_.path(added->file));
  }
  write_model(progress);
}

void RunFiles::write_model(const Progress& progress) const {
  const auto write = [&](NamedTensors weights, const std::string& updates) {
    model::TensorFile file{std::move(weights), setup_.metadata};
    file.metadata["updates"] = updates;
    model::save_tensors(file, file_in(setup_.folder, kWeightsFile));
  };
  if (setup_.validation.empty()) {
    const model::Replaced averages = averaged(average_);
    const model::Merged merged(model_);
    if (group_.leads()) write(model::named_weights(model_), std::to_string(progress.update));
  } else if (group_.leads()) {
    std::vector<std::string> paths;
    std::string updates;
    for (const Best& one : progress.best) {
      paths.push_back(checkpoints_.path(one.file));
      updates += (updates.empty() ? "" : ",") + std::to_string(one.update);
    }
    write(average(paths), updates);
  }
}

void RunFiles::take_best(const Progress& progress) {
  // Only time ends a training so early.
  if (progress.update == 0)
    throw UserError(
        "training.max_minutes: {} were over before the first update, so there is no model yet; "
        "`heed train {} --resume --set training.max_minutes=0` goes on without this limit",
        human_duration(60 * setup_.config.max_minutes), shell_path(setup_.folder));
  if (progress.best.empty() && !setup_.validation.empty())
    throw Failure(
        "training ended after {} updates, and no validation had a finite loss: there are no best "
        "weights; lower training.learning_rate, or set training.clip_norm, in a new run "
        "(--overwrite)",
        with_commas(progress.update));
  write_model(progress);
  // The others get the path when the file is there.
  const std::string path = group_.broadcast(file_in(setup_.folder, kWeightsFile));
  model::remove_adapters(model_);
  // Weights that were the base file's pages become those of the new file.
  if (!setup_.base.empty() && setup_.device.is_cpu())
    model::take_weights(model_, read_weights(path), path);
  else
    model::load_weights(model_, read_weights(path), path);
  model_.eval();
}

}  // namespace heed::train
