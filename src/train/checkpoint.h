// Checkpoints on disk: everything that training needs to go on as if it had never stopped.
//
//   checkpoints/update-00001200.heed        a safetensors file: model/..., optimizer/..., ema/...;
//                                           JSON of Progress, the run's configuration; with
//                                           training.adapters model/ holds these alone
//   checkpoints/best-00001200.safetensors   weights alone
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/pointer.h"
#include "ranks/group.h"
#include "train/optimizer.h"
#include "train/progress.h"
#include "train/shard.h"

namespace heed::train {

struct TrainerSetup;  // train/setup.h

using Metadata = std::map<std::string, std::string>;

/// The key of a checkpoint's metadata that holds the text of the run's configuration.
inline constexpr const char* kConfiguration = "config";
/// The key of TrainerSetup::base.
inline constexpr const char* kBase = "base";

struct Checkpoint {
  NamedTensors model, optimizer;
  NamedTensors ema;  // empty without training.ema
  Progress progress;
  Metadata metadata;  // what the caller wants to find there again
};

/// Throws Failure; an older file of that name is then intact.
void save_checkpoint(const Checkpoint& checkpoint, const std::string& path);
/// Throws UserError naming the file and what is wrong with it.
Checkpoint load_checkpoint(const std::string& path);

/// The checkpoints/ folder of a run.
class CheckpointFolder {
 public:
  explicit CheckpointFolder(const std::string& run);

  std::string update_path(int64_t update) const;
  std::string best_name(int64_t update) const;  // without the folder
  std::string path(const std::string& name) const { return folder_ + "/" + name; }

  /// update-*.heed, oldest first; none where there is no folder. Throws Failure where it cannot be
  /// read.
  std::vector<std::string> updates() const;

  struct Found {
    std::string path;
    Checkpoint checkpoint;
  };
  /// The newest whole one; a warning for each newer one that is not. `healthy`: the newest that was
  /// not written between updates that were skipped, if there is one. Nothing where there is no
  /// file; throws UserError where there are files and none is whole.
  std::optional<Found> latest(bool healthy = false) const;

  /// Path and metadata of the newest whole one; nothing where none is. Warns of nothing.
  struct FoundMetadata {
    std::string path;
    Metadata metadata;
  };
  std::optional<FoundMetadata> newest_metadata() const;

  /// Removes all but the `keep_last` newest update-*.heed and the newest healthy one, those after
  /// `newest` (left by a run that went further before it was taken back), and all best-* that none
  /// of the remaining ones names.
  void prune(int64_t keep_last, int64_t newest) const;

 private:
  std::string folder_;
};

/// Whether a file's name in checkpoints/ is "update-N.heed", or "best-N.safetensors".
bool is_checkpoint(const std::string& name);
bool is_best(const std::string& name);

/// The weights in a file of ours: of a model.safetensors or best-*.safetensors, or those that a
/// checkpoint validates (its EMA where it has one). Throws UserError, also for one of adapters.
NamedTensors read_weights(const std::string& path);

/// The mean of the weights in several files, summed in double. Throws UserError naming the file
/// that does not fit the first, and for an empty list.
NamedTensors average(const std::vector<std::string>& paths);

/// All functions but changed() and checkpoints() are collective; the first rank alone writes.
class RunFiles {
 public:
  /// All must outlive this object; `average` may be nullptr. Throws UserError where a run is there
  /// already that is not to be resumed.
  RunFiles(const TrainerSetup& setup, ranks::Group& group, Optimizer& optimizer, Average* average);

  const CheckpointFolder& checkpoints() const { return checkpoints_; }

  /// Notes that there is something new to save.
  void changed() { unsaved_ = true; }
  bool unsaved() const { return unsaved_; }
  /// The action after a checkpoint is saved. If the ranks end, they wait until it is written,
  /// however long that takes: a launcher ends a job with the first rank that does.
  enum class After { training_goes_on, ranks_end };
  /// A checkpoint, without validation also the model; removes what is no longer needed.
  void save(const Progress& progress, After after);
  /// Weights, optimizer and average. Where the run's own text differs from the checkpoint's there
  /// is something to save: a later start compares with what the newest checkpoint says. Throws
  /// UserError where they do not fit.
  void restore(const CheckpointFolder::Found& found);

  /// Called while the model holds the weights that were validated and that `progress` has just
  /// recorded among the best: writes them, and model.safetensors.
  void save_best(Progress& progress);
  /// The best weights into model.safetensors and the model. Throws Failure where there are none.
  void take_best(const Progress& progress);

 private:
  Metadata checkpoint_metadata() const;
  NamedTensors saved_weights() const;  // of a checkpoint
  void write_model(const Progress& progress) const;

  const TrainerSetup& setup_;
  model::Model& model_;
  ranks::Group& group_;
  Optimizer& optimizer_;
  Average* average_;
  CheckpointFolder checkpoints_;
  bool unsaved_ = true;
};

}  // namespace heed::train
