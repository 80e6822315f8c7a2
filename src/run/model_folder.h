// A run's folder is the model: config.yaml, model.safetensors and the SentencePiece models,
// wherever it is moved to.
#pragma once

#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "decode/translator.h"
#include "model/pointer.h"
#include "run/config.h"
#include "text/vocabulary.h"

namespace at {
class Tensor;
}

namespace heed::run {

struct ModelFolder {
  std::string path;
  Config config;
  text::Vocabulary source, target;
  model::ModelPtr model;  // best weights, on `device`, in eval mode
  at::Device device;
  at::ScalarType precision;

  model::VocabularySizes sizes() const { return {source.size(), target.size()}; }
  /// Of a vocabulary that was not made for the run nobody knows what is usual.
  decode::TranslatorModel member() const {
    const data::VocabularyConfig& vocabulary = config.data.vocabulary;
    return {model, source, target, vocabulary.source.empty() ? 1 - vocabulary.coverage : 1};
  }
  decode::Translator translator() const { return translator({member()}); }
  /// Of these models, with the settings of this one.
  decode::Translator translator(std::vector<decode::TranslatorModel> members) const;
};

/// Throws UserError that names the folder or file and what is wrong with it, also where config and
/// vocabularies are not those of the weights (binding.h).
ModelFolder open_model(const std::string& path, const OpenOptions& options = {});

/// One model, or several whose probabilities are averaged. The settings are the first one's.
struct OpenModels {
  ModelFolder first;
  std::vector<decode::TranslatorModel> members;  // the first is one of them

  OpenModels(ModelFolder alone) : first(std::move(alone)), members{first.member()} {}
  decode::Translator translator() const { return first.translator(members); }
};

/// Those of model_paths(). Throws UserError as open_model() does.
OpenModels open_models(const std::string& paths, const OpenOptions& options = {});

/// The best translation of each line, with progress on a terminal and the rate in the log. The
/// lines' numbers are `first_line`, `first_line` + `step`, and so on.
std::vector<std::string> translate_all(const OpenModels& models,
                                       const std::vector<std::string>& lines,
                                       int64_t first_line = 1, int64_t step = 1);

struct Vocabularies {
  text::Vocabulary source, target;

  model::VocabularySizes sizes() const { return {source.size(), target.size()}; }
};

/// joint.spm, or source.spm and target.spm, of a run's folder.
bool has_vocabularies(const std::string& folder);
Vocabularies load_vocabularies(const std::string& folder, bool joint);
void save_vocabularies(const Vocabularies& vocabularies, const std::string& folder, bool joint);

struct FolderPieces {
  const std::string& folder;
  const text::Vocabulary& vocabulary;
};

/// Throws UserError that ends with `cure` where two vocabularies of a side, source or target,
/// differ.
void require_same_pieces(const std::string& side, const FolderPieces& of, const FolderPieces& as,
                         const std::string& cure);

/// Throws UserError where the folder is a model already, or has a file of one that heed did not
/// write.
void require_no_model(const std::string& folder);

/// Makes a model folder of these weights, by name. Throws Failure naming the path and the cause.
void write_model(const Vocabularies& vocabularies, Config config,
                 const std::map<std::string, at::Tensor>& weights, const std::string& output);

/// Sets the number of CPU threads (0: all cores).
void use_threads(int64_t threads);

}  // namespace heed::run
