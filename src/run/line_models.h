// Models of folders that translate lines, whatever computes them.
#pragma once

#include <memory>
#include <string>

#include "decode/search/line_translator.h"
#include "inspect/details.h"
#include "run/folder.h"

namespace heed::run {

/// One model, or several whose probabilities are averaged. The settings are the first one's.
class LineModels {
 public:
  virtual ~LineModels() = default;
  virtual const std::string& path() const = 0;  // of the first
  virtual const Config& config() const = 0;
  virtual decode::LineTranslator& translator() = 0;
  /// How the first one reads translations; empty where it does not attend.
  virtual inspect::ReadAttention attention(const study::AlignmentChoice& choice) = 0;
};

/// The layer, head and step that guided alignment has taught, or inspect::usual_choice().
study::AlignmentChoice usual_choice(const Config& config);

using LineModelsPtr = std::unique_ptr<LineModels>;

/// Engines of the folders of model_paths(), which do not attend; null where LibTorch is needed: on
/// a GPU, and for a model that has no engine. Throws UserError as open_models().
LineModelsPtr open_engines(const std::string& paths, const OpenOptions& options);

}  // namespace heed::run
