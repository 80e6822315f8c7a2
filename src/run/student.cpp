#include "run/student.h"

#include <algorithm>
#include <cstdint>

#include "base/files.h"
#include "base/run_folder.h"
#include "base/strings.h"
#include "config/differences.h"
#include "config/io.h"
#include "config/schema.h"
#include "data/split.h"
#include "model/description/config.h"
#include "run/config.h"

namespace heed::run {
namespace {

constexpr int64_t kMostUnits = 256;
constexpr int64_t kFewestLayers = 4, kMostLayers = 6;  // of the encoder
constexpr const char* kDecoderLines =
    "  # One layer without self-attention: a step costs the same at any length.\n"
    "  decoder_layers: 1\n  decoder: ssru\n";

/// `{kind: joint, source: "runs/teacher/joint.spm"}`
std::string vocabulary_of(const Config& teacher, const std::string& folder) {
  std::string text = "{kind: " + config::name_of(teacher.data.vocabulary.kind);
  const bool joint = is_joint(teacher);
  text += ", source: " + yaml_text(file_in(folder, joint ? kJointVocabulary : kSourceVocabulary));
  if (!joint) text += ", target: " + yaml_text(file_in(folder, kTargetVocabulary));
  return text + "}";
}

std::string network_of(const Config& teacher) {
  const model::ModelConfig& model = teacher.model;
  const bool transformer = model.type == model::ModelType::transformer;
  const int64_t width = transformer ? std::min(kMostUnits, model.width) : kMostUnits;
  const int64_t layers =
      transformer ? std::clamp(model.encoder_layers, kFewestLayers, kMostLayers) : kFewestLayers;
  return fmt::format(
      "  type: transformer\n  width: {}\n  feed_forward: {}\n  heads: {}\n  encoder_layers: {}\n"
      "{}  norm: pre\n  tie: {}\n",
      width, 4 * width, width % 4 == 0 ? 4 : 1, layers, kDecoderLines,
      shares_pieces(teacher) ? "all" : "decoder");
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
std::string network_with_encoder_of(const Config& teacher) {
  const auto changes = config::differences(model::ModelConfig(), teacher.model);
  return config::changed_lines(of_encoder(changes, teacher.model)) + kDecoderLines;
}

/// Lines of the section `training`.
std::string begins_with(const Config& teacher, const std::string& folder) {
  const model::Tie tie = teacher.model.tie;
  std::vector<std::string> modules{model::embedding_module(tie, false),
                                   model::embedding_module(tie, true), model::kOutputModule,
                                   model::names::kEncoder, model::names::kSourcePositions};
  if (tie == model::Tie::all) modules.erase(modules.begin());
  return fmt::format("  # It begins with its teacher's encoder.\n  from: {}\n  take: [{}]\n",
                     yaml_text(folder), join(modules, ", "));
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
    recipe.training +=
        "  # BLEU still rises when the loss does not fall any more.\n"
        "  early_stopping: {metric: bleu, patience: 0}\n";
  if (!alignment.empty()) recipe.training += "  guided_alignment: 0.1\n";
  recipe.decoding =
      "  beam_size: 1\n  # A small decoder repeats itself more easily.\n  no_repeat_ngram: 4\n";
  if (!machine.gpu)
    recipe.decoding += "  weights: int8\n  shortlist: " + yaml_text(teaching.shortlist) + "\n";
  std::vector<std::string> not_taken{
      "train", "more_valid",  "vocabulary",       "stages",    "noise",
      "clean", "clean_ratio", "subword_sampling", "max_words", "long_sentences"};
  if (alignment.empty()) not_taken.emplace_back("terms");
  return fmt::format(
      "# Made by `heed distill`: a student of {}.\nname: {}\noutput: {}\nseed: 1\n\n"
      "data:\n  train: {{source: {}, target: {}{}}}\n{}  vocabulary: {}\n\n{}",
      one_line(teaching.teacher, 1000), yaml_text(folder_name(teaching.output)),
      yaml_text(teaching.output), yaml_text(teaching.pairs.source),
      yaml_text(teaching.pairs.target),
      alignment.empty() ? "" : ", alignment: " + yaml_text(alignment),
      config::changed_lines(teacher.data, not_taken), vocabulary_of(teacher, teaching.teacher),
      sections_of(recipe));
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
