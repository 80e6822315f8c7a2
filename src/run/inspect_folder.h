// The model of a run's folder as src/inspect takes it.
#pragma once

#include "inspect/aligner.h"
#include "inspect/heads.h"
#include "run/line_models.h"
#include "run/model_folder.h"

namespace heed::run {

/// Uses usual_choice(). Throws UserError for a model without cross-attention.
inline inspect::AlignerByRule aligner_of(const ModelFolder& folder) {
  return {.aligner = {folder.translator(), folder.config.model, folder.path},
          .rule = {.choice = usual_choice(folder.config)}};
}

/// `folder` must live on.
inline inspect::TriedModel tried_model(const ModelFolder& folder) {
  return {.name = folder.path,
          .member = folder.member(),
          .config = folder.config.model,
          .evaluation = folder.config.evaluation,
          .translator = [&folder] { return folder.translator(); }};
}

}  // namespace heed::run
