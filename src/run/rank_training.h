// One rank's part of a run, or a run alone, in four phases.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

#include "data/corpus.h"
#include "data/hygiene.h"
#include "ranks/board.h"
#include "ranks/group.h"
#include "run/check.h"
#include "run/model_folder.h"
#include "run/preparation.h"
#include "train/trainer.h"

namespace heed::run {

struct RankOptions {
  Wish wish;
  std::chrono::seconds timeout;  // of each exchange with the other ranks
  /// Called on the first rank before it takes the folder; what it finds belongs into the run's log.
  std::function<Check(const Config&)> check;
};

/// The phases are called in order, on all ranks. What each throws ends the run.
class RankTraining {
 public:
  /// `config.output` is the run's folder.
  RankTraining(Config config, const ranks::Place& place, RankOptions options);

  /// The first rank checks, takes the folder and puts the vocabularies into it; all ranks meet.
  void prepare_folder();
  /// The model, with the weights of training.from in a run that begins, and the training corpus.
  void build();
  /// Trains the model, which then has the weights of model.safetensors.
  void train();
  /// The scores of the test set, and summary.json. Throws Failure after a signal: the run is saved.
  void finish();

 private:
  void take_folder();
  void put_vocabularies();
  void decide_parts_together();
  void log_start() const;
  train::TrainerSetup setup();
  void report_interruption() const;

  Config config_;  // until build(); then run_ has it
  const ranks::Place place_;
  const RankOptions options_;
  const std::string folder_;

  std::optional<Config> saved_;  // of a run that goes on, on the first rank
  std::optional<Preparation> preparation_;
  at::Device device_ = at::kCPU;
  std::optional<ranks::Group> group_;
  std::optional<ranks::Board> board_;
  data::HygieneReport hygiene_;  // on the first rank

  std::optional<ModelFolder> run_;
  std::optional<Provenance> provenance_;  // on the first rank
  bool scored_ = false;                   // the folder has the scores that this run would give
  std::shared_ptr<const data::Corpus> corpus_;

  train::TrainResult result_;
};

}  // namespace heed::run
