// What `heed inspect` tells about a model folder: gathered here, printed as text or JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "run/config.h"
#include "run/summary.h"
#include "text/vocabulary.h"
#include "train/metrics_line.h"

namespace heed::run {

struct TensorRow {
  std::string name;  // dotted; its first part is the module
  std::vector<int64_t> shape;
  int64_t parameters = 0;  // 0 where it is another's
  std::string tied_to;     // the tensor that it is, counted there; or ""
};

struct VocabularyReport {
  int32_t pieces = 0;
  std::string fingerprint;
  std::vector<std::string> special;   // by id, from 0
  std::vector<std::string> examples;  // the first ones that follow the special ones
  std::vector<std::string> symbols;   // data::languages_of()
};

struct CheckpointFile {
  std::string name;
  uint64_t bytes = 0;
};

struct ModelReport {
  std::string folder;
  Config config;       // as it was saved
  uint64_t bytes = 0;  // of model.safetensors
  std::vector<TensorRow> tensors;
  VocabularyReport source, target;
  int64_t updates = 0;                     // the last one in metrics.jsonl; 0 without
  std::optional<train::MetricsLine> best;  // the last best validation; has loss and perplexity
  std::optional<Summary> summary;          // of a run that finished
  std::vector<CheckpointFile> checkpoints;

  int64_t parameters() const;
};

/// Opens the folder's model on the CPU. Throws UserError as open_model does; what training would
/// have left besides may be missing.
ModelReport read_report(const std::string& folder);

}  // namespace heed::run
