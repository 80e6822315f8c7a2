#include "run/student.h"

#include "base/files.h"
#include "base/run_folder.h"
#include "base/strings.h"
#include "config/differences.h"

namespace heed::run {
namespace {

constexpr int64_t kMostUnits = 256;
constexpr int64_t kFewestLayers = 4, kMostLayers = 6;  // of the encoder

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
      "  # One layer without self-attention: a step costs the same at any length.\n"
      "  decoder_layers: 1\n  decoder: ssru\n  norm: pre\n  tie: {}\n",
      width, 4 * width, width % 4 == 0 ? 4 : 1, layers, shares_pieces(teacher) ? "all" : "decoder");
}

}  // namespace

std::string student_config(const Config& teacher, const Teaching& teaching,
                           const data::CorpusShape& shape, const Machine& machine) {
  const std::string& alignment = teaching.pairs.alignment;
  Recipe recipe = recipe_for(shape, machine);
  recipe.network = network_of(teacher);
  recipe.is_smaller = false;
  recipe.dropout = 0.1;  // a teacher's translations vary less than references
  // It goes on learning when a model of references would learn them by heart (docs/distilling.md).
  recipe.updates *= 2;
  recipe.epochs *= 2;
  recipe.tokenizer = teacher.evaluation.tokenize;
  if (!teacher.data.valid.source.empty())
    recipe.training =
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

}  // namespace heed::run
