// The model of a run's folder as src/inspect takes it.
#pragma once

#include "inspect/aligner.h"
#include "inspect/heads.h"
#include "run/model_folder.h"

namespace heed::run {

/// Throws UserError for a model without cross-attention.
inspect::Aligner aligner_of(const ModelFolder& folder);
/// `folder` must live on.
inspect::TriedModel tried_model(const ModelFolder& folder);

}  // namespace heed::run
