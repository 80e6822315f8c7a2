#include "train/run_files.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "base/files.h"
#include "base/log.h"
#include "base/run_folder.h"
#include "base/strings.h"
#include "model/weights.h"

namespace heed::train {

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
  return metadata;
}

void RunFiles::save(const Progress& progress) {
  group_.begin(fmt::format("update {} was saved", with_commas(progress.update)));
  Checkpoint checkpoint{model::named_weights(model_), optimizer_.state(),
                        average_ ? average_->tensors() : NamedTensors{}};
  checkpoint.progress = progress;
  checkpoint.metadata = checkpoint_metadata();
  const std::string path = checkpoints_.update_path(progress.update);
  if (group_.leads()) save_checkpoint(checkpoint, path);
  unsaved_ = false;
  log::debug("saved " + path);
  if (setup_.validation.empty()) write_model(progress);
  // Only now: an older checkpoint may still name what goes.
  if (group_.leads()) checkpoints_.prune(setup_.config.keep_last, progress.update);
}

void RunFiles::restore(const CheckpointFolder::Found& found) {
  const Checkpoint& checkpoint = found.checkpoint;
  model::load_weights(model_, checkpoint.model, found.path);
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
  model::TensorFile file{{}, setup_.metadata};
  if (setup_.validation.empty()) {
    file.metadata["updates"] = std::to_string(progress.update);
    file.tensors = model::named_weights(model_);
    if (average_)
      for (const auto& [name, tensor] : average_->tensors()) file.tensors[name] = tensor;
  } else if (group_.leads()) {
    std::vector<std::string> paths;
    std::string updates;
    for (const Best& one : progress.best) {
      paths.push_back(checkpoints_.path(one.file));
      updates += (updates.empty() ? "" : ",") + std::to_string(one.update);
    }
    file.metadata["updates"] = updates;
    file.tensors = average(paths);
  }
  if (group_.leads()) model::save_tensors(file, file_in(setup_.folder, kWeightsFile));
}

void RunFiles::take_best(const Progress& progress) {
  if (progress.best.empty() && !setup_.validation.empty())
    throw Failure(
        "training ended after {} updates, and no validation had a finite loss: there are no best "
        "weights; lower training.learning_rate, or set training.clip_norm",
        with_commas(progress.update));
  write_model(progress);
  // The others get the path when the file is there.
  const std::string path = group_.broadcast(file_in(setup_.folder, kWeightsFile));
  model::load_weights(model_, read_weights(path), path);
  model_.eval();
}

}  // namespace heed::train
