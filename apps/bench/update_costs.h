// The parts of an update of one system, measured apart, and whole updates beside them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "run/config.h"
#include "run/model_folder.h"
#include "study/scale_out.h"

namespace heed {

/// Some updates, whole and in parts.
struct CostRound {
  study::UpdateCosts costs;
  double forward = 0, backward = 0;                // seconds of a part on one core, the mean
  double updates = 0, tokens = 0;                  // how many, and the target tokens of all
  double alone_seconds = 0, together_seconds = 0;  // of whole updates, on one core and on all
};

/// Throws as signals::stop_if_interrupted().
class UpdateMeasure {
 public:
  /// On `cores` of the CPU. Where a batch has fewer parts, an update has more batches.
  UpdateMeasure(const run::Config& config, const std::string& folder,
                const run::Vocabularies& vocabularies, int64_t cores, int repeats);
  ~UpdateMeasure();
  UpdateMeasure(const UpdateMeasure&) = delete;
  UpdateMeasure& operator=(const UpdateMeasure&) = delete;

  /// The next `updates`: one after the other their parts on one core and on all, and the whole
  /// updates on one core and on all.
  CostRound next(int64_t updates);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace heed
