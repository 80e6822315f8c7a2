#include "apps/cli/inspect_options.h"

#include "base/error.h"
#include "base/format.h"
#include "base/strings.h"
#include "model/transformer/heads.h"

namespace heed {

using config::AttentionKind;

namespace {

/// -1 is the mean.
void require_one_of(const std::string& option, int64_t given, int64_t count) {
  if (given < count) return;
  const std::string thing = option.substr(2);
  throw UserError(fmt::format("{}: no {} {}; the model has {}{}, counted from 0", option, thing,
                              given, counted(count, thing),
                              option == "--head" ? " in this layer" : ""));
}

}  // namespace

void add_gold_form(CommandLine& command, inspect::GoldForm& form, const Argument* gold) {
  for (Argument flag : {command.flag("--swap-gold", form.swapped,
                                     "The gold file has target-source instead of source-target"),
                        command.flag("--one-based", form.one_based,
                                     "The gold file counts words from 1 instead of 0")})
    if (gold != nullptr) flag.needs(*gold);
}

study::AlignmentChoice usual_choice(const run::Config& config) {
  const model::Traits traits = model::traits(config.model);
  const train::TrainConfig& training = config.training;
  study::AlignmentChoice choice = inspect::usual_choice(traits);
  if (training.guided_alignment == 0) return choice;
  choice.reads = training.guided_step == train::GuidedStep::reads;
  if (!traits.has_self_attention) return choice;
  choice.layer = model::decoder_layer(config.model, training.taught_layer);
  // Heads are counted among those that are left.
  const auto kept = model::kept_heads(config.model, AttentionKind::cross, choice.layer);
  const auto head = model::place_among(kept, training.taught_head);
  expect(head.has_value(), "the taught head is left");
  choice.head = *head;
  return choice;
}

inspect::Aligner aligner_of(const run::ModelFolder& folder) {
  inspect::Aligner aligner(folder.translator(), folder.config.model, folder.path);
  aligner.choice = usual_choice(folder.config);
  return aligner;
}

inspect::TriedModel tried_model(const run::ModelFolder& folder) {
  return {.name = folder.path,
          .member = folder.member(),
          .config = folder.config.model,
          .evaluation = folder.config.evaluation,
          .translator = [&folder] { return folder.translator(); }};
}

void AlignmentOptions::add(CommandLine& command) {
  command
      .option("--layer", layer,
              "From 0, or last; default: the one that was taught, or the one before the last")
      .word("last", "-1")
      .between(-1, 99999);
  command.option("--head", head, "From 0, or mean; default: the one that was taught, or mean")
      .word("mean", "-1")
      .between(-1, 99999);
  command
      .option("--step", step,
              "A word's weights are those of the step that emits it or reads it; default: the one "
              "that was taught, or emits")
      .one_of({"emits", "reads"});
  command
      .option(
          "--min-weight", least,
          "A word whose largest weight is lower has no link: fewer links, of which more are right")
      .between(0.0, 1.0)
      .shows_default("0");
}

void AlignmentOptions::apply(const model::Traits& traits, study::AlignmentChoice& choice) const {
  if (!traits.attends()) return;
  const auto mean_head = [&] { return inspect::mean_head_of(traits, choice.layer); };
  const int64_t layers = traits.layers(AttentionKind::cross);
  const bool mean = head ? *head < 0 : choice.head == mean_head();
  if (layer) choice.layer = *layer < 0 ? layers - 1 : *layer;
  if (mean)
    choice.head = mean_head();
  else if (head)
    choice.head = *head;
  if (!step.empty()) choice.reads = step == "reads";
  require_one_of("--layer", choice.layer, layers);
  require_one_of("--head", choice.head, traits.heads(AttentionKind::cross, choice.layer));
}

}  // namespace heed
