// Starting, restoring, saving, going back and ending.
#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/log.h"
#include "base/strings.h"
#include "model/weights.h"
#include "train/loop.h"

namespace heed::train {
namespace {

constexpr int64_t kMostRollbacks = 3;
constexpr double kFirstLossScale = 65536;  // fp16

model::Model& on_device(const TrainerSetup& setup) {
  setup.model->to(setup.device);
  return *setup.model;
}

}  // namespace

Loop::Loop(const TrainerSetup& setup)
    : setup_(setup),
      config_(setup.config),
      model_(on_device(setup)),
      group_(setup.group ? *setup.group : alone_),
      checkpoints_(setup.folder),
      metrics_(group_.leads() ? setup.folder : "", setup.config.tensorboard),
      shard_(model_, group_),
      optimizer_(config_, shard_),
      average_(config_.ema > 0 ? std::make_unique<Average>(shard_, config_.ema) : nullptr),
      updater_(model_, config_, setup.device, setup.precision, optimizer_, average_.get(),
               setup.another),
      planned_(plan_updates()),
      ticked_(Clock::now()) {
  if (group_.leads()) make_folder(setup.folder + "/checkpoints");
  if (group_.leads() && !setup.resume && !checkpoints_.updates().empty())
    throw UserError(setup.folder +
                    ": a run is there already; go on with --resume, or name another " +
                    "folder (output)");
  say_who_computes();
  say_what_is_recorded();
  const auto found = setup.resume ? agreed_checkpoint() : std::nullopt;
  if (!found) {
    warn_of_long_warmup();
    start();
    return;
  }
  restore(found->checkpoint, found->path);
  if (setup.begins && group_.leads()) setup.begins(progress_.update);
  say_where_it_starts(found->path);
  // A later start compares with what the newest checkpoint says.
  const bool changed = found->checkpoint.metadata != checkpoint_metadata();
  unsaved_ = group_.tell(changed ? "changed" : "") == "changed";
  if (unsaved_) save();
}

int64_t Loop::plan_updates() const {
  if (config_.epochs == 0) return config_.updates;
  data::BatchOptions options = setup_.batches;
  options.epochs = 0;
  const int64_t batches = data::BatchStream(setup_.corpus, options).batches_in_epoch(0);
  const int64_t updates = (batches * config_.epochs + config_.accumulate - 1) / config_.accumulate;
  return std::min(config_.updates, updates);
}

void Loop::start() {
  if (setup_.resume) log::info("no checkpoint yet: training starts from the beginning");
  if (setup_.precision == at::kHalf) progress_.loss_scale = kFirstLossScale;
  read_on({});
  progress_.position = batches_->position();
  if (setup_.begins && group_.leads()) setup_.begins(0);
  save();
}

void Loop::read_on(const data::Position& position) {
  batches_.reset();
  data::BatchStream stream(setup_.corpus, setup_.batches);
  if (position != data::Position{}) stream.seek(position);
  batches_ = std::make_unique<data::Prefetcher>(std::move(stream), parts_per_batch(config_));
}

void Loop::restore(const Checkpoint& checkpoint, const std::string& path) {
  model::load_weights(model_, checkpoint.model, path);
  optimizer_.load_state(checkpoint.optimizer, path);
  if (average_) {
    // A run that had none begins its average with the weights.
    const bool had = !checkpoint.ema.empty();
    average_->load(had ? checkpoint.ema : trainable(model_), path);
  }
  progress_ = checkpoint.progress;
  read_on(progress_.position);
  reports_.clear();
  unsaved_ = false;
}

/// Does nothing where nothing is new since the last time.
void Loop::save() {
  settle(0);
  agree();
  if (!unsaved_) return;
  group_.begin("update " + with_commas(progress_.update) + " was saved");
  Checkpoint checkpoint{model::named_weights(model_), optimizer_.state(),
                        average_ ? average_->tensors() : NamedTensors{}};
  checkpoint.progress = progress_;
  checkpoint.metadata = checkpoint_metadata();
  const std::string path = checkpoints_.update_path(progress_.update);
  if (group_.leads()) save_checkpoint(checkpoint, path);
  unsaved_ = false;
  log::debug("saved " + path);
  if (setup_.validation.empty()) write_model();
  // Only now: an older checkpoint may still name what goes.
  if (group_.leads()) checkpoints_.prune(config_.keep_last, progress_.update);
}

Metadata Loop::checkpoint_metadata() const {
  Metadata metadata = setup_.metadata;
  if (!setup_.configuration.empty()) metadata[kConfiguration] = setup_.configuration;
  return metadata;
}

/// Called while the model holds the weights that were validated.
void Loop::keep_best_weights() {
  const auto added =
      std::ranges::find_if(progress_.best, [&](const Best& one) { return one.file.empty(); });
  expect(added != progress_.best.end(), "a best checkpoint without a place in the list");
  added->file = checkpoints_.best_name(progress_.update);
  if (!group_.leads()) return;
  model::TensorFile file{model::named_weights(model_), setup_.metadata};
  file.metadata["update"] = std::to_string(added->update);
  model::save_tensors(file, checkpoints_.path(added->file));
}

void Loop::write_model() const {
  model::TensorFile file{{}, setup_.metadata};
  if (setup_.validation.empty()) {
    file.metadata["updates"] = std::to_string(progress_.update);
    file.tensors = model::named_weights(model_);
    if (average_)
      for (const auto& [name, tensor] : average_->tensors()) file.tensors[name] = tensor;
  } else if (group_.leads()) {
    std::vector<std::string> paths;
    std::string updates;
    for (const Best& one : progress_.best) {
      paths.push_back(checkpoints_.path(one.file));
      updates += (updates.empty() ? "" : ",") + std::to_string(one.update);
    }
    file.metadata["updates"] = updates;
    file.tensors = average(paths);
  }
  if (group_.leads()) model::save_tensors(file, setup_.folder + "/model.safetensors");
}

void Loop::roll_back() {
  roll_back_ = false;
  reports_.clear();
  const int64_t failed = progress_.update;
  const std::string what = "losses or gradients were not finite in several updates in a row";
  const auto found = agreed_checkpoint(/*healthy=*/true);
  if (!found || progress_.rollbacks >= kMostRollbacks)
    throw Failure("training ends at update " + with_commas(failed) + ": " + what + ", after " +
                  std::to_string(progress_.rollbacks) +
                  " returns to an older checkpoint; lower training.learning_rate, set "
                  "training.clip_norm, or raise training.warmup");
  const Progress before = progress_;
  restore(found->checkpoint, found->path);
  progress_.rollbacks = before.rollbacks + 1;
  progress_.rate_factor = before.rate_factor / 2;
  progress_.skipped = before.skipped;
  progress_.skipped_in_a_row = 0;
  progress_.seconds = before.seconds;
  log::warn(what + ": back from update " + with_commas(failed) + " to " +
            with_commas(progress_.update) + " with half the learning rate (" +
            std::to_string(progress_.rollbacks) + " of " + std::to_string(kMostRollbacks) + ")");
  metrics_.truncate(progress_);
  metrics_.rollback(progress_);
  unsaved_ = true;  // the lower rate has to be in the file, too
  save();
}

/// Leaves the folder complete, also where a run that had ended was killed before it was.
StopReason Loop::finish(StopReason stopped) {
  if (stopped == StopReason::interrupted) return stopped;
  if (!validated()) save();  // before anything that a full disk could end
  if (progress_.window.updates > 0) log_window(/*last=*/true);
  if (!validated() && !validate_now()) return StopReason::interrupted;
  save();
  take_best_weights();
  return stopped;
}

/// Into model.safetensors and the model.
void Loop::take_best_weights() {
  if (progress_.best.empty() && !setup_.validation.empty())
    throw Failure("training ended after " + with_commas(progress_.update) +
                  " updates, and no validation had a finite loss: there are no best weights; lower "
                  "training.learning_rate, or set training.clip_norm");
  write_model();
  const std::string path = group_.tell(setup_.folder + "/model.safetensors");  // now it is there
  model::load_weights(model_, read_weights(path), path);
  model_.eval();
}

}  // namespace heed::train
