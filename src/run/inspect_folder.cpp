#include "run/inspect_folder.h"

#include "model/transformer/heads.h"

namespace heed::run {

study::AlignmentChoice usual_choice(const Config& config) {
  const model::Traits traits = model::traits(config.model);
  const train::TrainConfig& training = config.training;
  study::AlignmentChoice choice = inspect::usual_choice(traits);
  if (training.guided_alignment == 0) return choice;
  choice.reads = training.guided_step == train::GuidedStep::reads;
  if (!traits.has_self_attention) return choice;
  choice.layer = model::decoder_layer(config.model, training.taught_layer);
  // Heads are counted among those that are left.
  const auto kept = model::kept_heads(config.model, config::AttentionKind::cross, choice.layer);
  const auto head = model::place_among(kept, training.taught_head);
  expect(head.has_value(), "the taught head is left");
  choice.head = *head;
  return choice;
}

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
