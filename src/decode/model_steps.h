// The steps of models by LibTorch, on any device.
#pragma once

#include <vector>

#include "decode/recorded_steps.h"
#include "decode/search/search.h"
#include "model/model.h"

namespace heed::decode {

/// log of the mean of probabilities. `logits`: one [..., vocab] per model, unnormalised. Returns
/// fp32 log-probabilities.
Tensor mixed_log_probabilities(const std::vector<Tensor>& logits);

/// As LineTranslator::with_steps(). `sources`: one per model, of the same sentences. Runs without
/// gradients in eval mode (restores the mode). `recorded`: graphs of the steps, if any.
void with_steps(const std::vector<model::Model*>& models, const std::vector<model::Source>& sources,
                const SearchOptions& options, RecordedSteps* recorded,
                const std::function<void(Steps&)>& work);

}  // namespace heed::decode
