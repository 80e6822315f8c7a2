#include "run/student.h"

#include <algorithm>
#include <cstdint>

#include "base/files.h"
#include "base/run_folder.h"
#include "base/strings.h"
#include "config/differences.h"
#include "config/io.h"
#include "config/schema.h"
#include "config/yaml.h"
#include "data/split.h"
#include "model/description/config.h"
#include "run/config.h"

namespace heed::run {
namespace {

constexpr int64_t kMostUnits = 256;
constexpr int64_t kFewestLayers = 4, kMostLayers = 6;  // of the encoder

config::Yaml decoder_lines() {
  return config::Yaml()
      .comment("One layer without self-attention: a step costs the same at any length.")
      .add("decoder_layers", 1)
      .add("decoder", "ssru");
}

/// `{kind: joint, source: "runs/teacher/joint.spm"}`
config::Yaml vocabulary_of(const Config& teacher, const std::string& folder) {
  const bool joint = is_joint(teacher);
  config::Yaml keys =
      config::Yaml()
          .add("kind", config::name_of(teacher.data.vocabulary.kind))
          .add("source", file_in(folder, joint ? kJointVocabulary : kSourceVocabulary));
  if (!joint) keys.add("target", file_in(folder, kTargetVocabulary));
  return keys;
}

config::Yaml network_of(const Config& teacher) {
  const model::ModelConfig& model = teacher.model;
  const bool transformer = model.type == model::ModelType::transformer;
  const int64_t width = transformer ? std::min(kMostUnits, model.width) : kMostUnits;
  const int64_t layers =
      transformer ? std::clamp(model.encoder_layers, kFewestLayers, kMostLayers) : kFewestLayers;
  return config::Yaml()
      .add("type", "transformer")
      .add("width", width)
      .add("feed_forward", 4 * width)
      .add("heads", width % 4 == 0 ? 4 : 1)
      .add("encoder_layers", layers)
      .append(decoder_lines())
      .add("norm", "pre")
      .add("tie", shares_pieces(teacher) ? "all" : "decoder");
}

/// Returns the differences without the keys of the decoder, of the training and of other networks.
std::vector<config::Difference> of_encoder(std::vector<config::Difference> all,
                                           const model::ModelConfig& model) {
  std::erase_if(all, [&](const config::Difference& one) {
    return one.path == "decoder_layers" || one.path == "decoder" ||
           !model::changes_result(one.path, model);
  });
  return all;
}

bool has_encoder_of_student(const Config& teacher) {
  const model::ModelConfig& model = teacher.model;
  return model.type == model::ModelType::transformer && model.width <= kMostUnits &&
         kFewestLayers <= model.encoder_layers && model.encoder_layers <= kMostLayers &&
         model.pruned_heads.empty() &&
         model.tie == (shares_pieces(teacher) ? model::Tie::all : model::Tie::decoder);
}

bool has_same_encoder(const Config& teacher, const std::string& student,
                      const std::vector<std::string>& settings) {
  Config config;
  config::load_text(config, student, "student");
  config = with_settings(config, settings);
  return of_encoder(config::differences(teacher.model, config.model), teacher.model).empty();
}

/// The teacher's network with another decoder.
config::Yaml network_with_encoder_of(const Config& teacher) {
  const auto changes = config::differences(model::ModelConfig(), teacher.model);
  return config::changed_lines(of_encoder(changes, teacher.model)).append(decoder_lines());
}

/// Keys of the section `training`.
config::Yaml begins_with(const Config& teacher, const std::string& folder) {
  const model::Tie tie = teacher.model.tie;
  std::vector<std::string> modules{model::embedding_module(tie, false),
                                   model::embedding_module(tie, true), model::kOutputModule,
                                   model::names::kEncoder, model::names::kSourcePositions};
  if (tie == model::Tie::all) modules.erase(modules.begin());
  return config::Yaml()
      .comment("It begins with its teacher's encoder.")
      .add("from", folder)
      .add("take", modules);
}

std::string config_text(const Config& teacher, const StudentRequest& teaching,
                        const data::CorpusShape& shape, const Machine& machine,
                        bool takes_encoder) {
  const std::string& alignment = teaching.pairs.alignment;
  Recipe recipe = recipe_for(shape, machine);
  recipe.network = takes_encoder ? network_with_encoder_of(teacher) : network_of(teacher);
  recipe.is_smaller = false;
  recipe.dropout = 0.1;  // a teacher's translations vary less than references
  // It goes on learning when a model of references would learn them by heart (docs/distilling.md).
  recipe.updates *= 2;
  recipe.epochs *= 2;
  recipe.tokenizer = teacher.evaluation.tokenize;
  if (takes_encoder) recipe.training = begins_with(teacher, teaching.teacher);
  if (!teacher.data.valid.source.empty())
    recipe.training.comment("BLEU still rises when the loss does not fall any more.")
        .add_flow("early_stopping", config::Yaml().add("metric", "bleu").add("patience", 0));
  if (!alignment.empty()) recipe.training.add("guided_alignment", 0.1);
  recipe.decoding = config::Yaml()
                        .add("beam_size", 1)
                        .comment("A small decoder repeats itself more easily.")
                        .add("no_repeat_ngram", 4);
  if (!machine.gpu) recipe.decoding.add("weights", "int8").add("shortlist", teaching.shortlist);
  std::vector<std::string> not_taken{
      "train", "more_valid",  "vocabulary",       "stages",    "noise",
      "clean", "clean_ratio", "subword_sampling", "max_words", "long_sentences"};
  if (alignment.empty()) not_taken.emplace_back("terms");
  config::Yaml pairs =
      config::Yaml().add("source", teaching.pairs.source).add("target", teaching.pairs.target);
  if (!alignment.empty()) pairs.add("alignment", alignment);
  return config::Yaml()
      .comment(
          fmt::format("Made by `heed distill`: a student of {}.", one_line(teaching.teacher, 1000)))
      .add("name", folder_name(teaching.output))
      .add("output", teaching.output)
      .add("seed", 1)
      .blank_line()
      .add_section("data", config::Yaml()
                               .add_flow("train", pairs)
                               .append(config::changed_lines(teacher.data, not_taken))
                               .add_flow("vocabulary", vocabulary_of(teacher, teaching.teacher)))
      .blank_line()
      .append(sections_of(recipe))
      .text();
}

}  // namespace

std::string student_config(const Config& teacher, const StudentRequest& teaching,
                           const data::CorpusShape& shape, const Machine& machine) {
  if (has_encoder_of_student(teacher)) {
    const std::string text = config_text(teacher, teaching, shape, machine, true);
    if (has_same_encoder(teacher, text, teaching.settings)) return text;
  }
  return config_text(teacher, teaching, shape, machine, false);
}

}  // namespace heed::run
