// A run from its configuration to its summary, made by this process or by ranks that it starts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "run/preparation.h"

namespace heed::run {

/// The arguments of `heed train`.
struct TrainingRequest {
  std::string config;  // a YAML file; with `existing.resume` also the folder of a run
  std::vector<std::string> settings;  // "key=value", over it
  ExistingRun existing;
  int64_t ranks = 1;           // processes of this machine, unless a launcher has started ranks
  int64_t restarts = 0;        // how often all ranks may start again from the last checkpoint
  int64_t rank_timeout = 120;  // seconds after which a rank that does not answer ends the run
};

/// Checks what the configuration names and makes the run: vocabulary, model, training and test
/// scores, into its folder. In a process that a launcher has started it is one rank of the run.
/// Throws UserError for what cannot be made, Failure where the environment fails or after a signal.
void make_run(const TrainingRequest& request);

}  // namespace heed::run
