#include "run/inspect_folder.h"

namespace heed::run {

inspect::Aligner aligner_of(const ModelFolder& folder) {
  inspect::Aligner aligner(folder.translator(), folder.config.model, folder.path);
  aligner.choice = usual_choice(folder.config);
  return aligner;
}

inspect::TriedModel tried_model(const ModelFolder& folder) {
  return {.name = folder.path,
          .member = folder.member(),
          .config = folder.config.model,
          .evaluation = folder.config.evaluation,
          .translator = [&folder] { return folder.translator(); }};
}

}  // namespace heed::run
