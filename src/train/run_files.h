// What a run leaves in its folder besides metrics: checkpoints, the best weights, the model.
#pragma once

#include "model/model.h"
#include "ranks/group.h"
#include "train/checkpoint.h"
#include "train/optimizer.h"
#include "train/trainer.h"

namespace heed::train {

/// All functions but changed() and checkpoints() are collective; the first rank alone writes.
class RunFiles {
 public:
  /// All must outlive this object; `average` may be nullptr. Throws UserError where a run is there
  /// already that is not to be resumed.
  RunFiles(const TrainerSetup& setup, ranks::Group& group, Optimizer& optimizer, Average* average);

  const CheckpointFolder& checkpoints() const { return checkpoints_; }

  /// There is something new to save.
  void changed() { unsaved_ = true; }
  bool unsaved() const { return unsaved_; }
  /// A checkpoint, without validation also the model; removes what is no longer needed.
  void save(const Progress& progress);
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
