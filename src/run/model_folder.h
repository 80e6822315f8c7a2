// A run's folder is the model: config.yaml, model.safetensors and the SentencePiece models,
// wherever it is moved to.
#pragma once

#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "decode/translator.h"
#include "model/description/config.h"
#include "model/pointer.h"
#include "run/config.h"
#include "run/folder.h"
#include "run/line_models.h"
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
  decode::TranslatorModel member() const { return {model, member_text(config, {source, target})}; }
  decode::Translator translator() const { return translator({member()}); }
  /// Returns a translator of these models with the settings of this one.
  decode::Translator translator(std::vector<decode::TranslatorModel> members) const;
};

/// Throws UserError that names the folder or file and what is wrong with it, also where config and
/// vocabularies are not those of the weights (binding_of()).
ModelFolder open_model(const std::string& path, const OpenOptions& options = {});

/// One model, or several whose probabilities are averaged. The settings are the first one's.
struct OpenModels {
  ModelFolder first;
  std::vector<decode::TranslatorModel> members;  // the first is one of them

  OpenModels(ModelFolder alone) : first(std::move(alone)), members{first.member()} {}
  decode::Translator translator() const { return first.translator(members); }
};

/// Opens the models of model_paths(). Throws UserError as open_model() does.
OpenModels open_models(const std::string& paths, const OpenOptions& options = {});

/// Returns the same models for the translation of lines alone.
LineModels line_models(const OpenModels& models);

/// Makes a model folder of these weights, by name. Throws Failure naming the path and the cause.
void write_model(const Vocabularies& vocabularies, Config config,
                 const std::map<std::string, at::Tensor>& weights, const std::string& output);

/// Sets the number of CPU threads (0: all cores).
void use_threads(int64_t threads);

/// Whether the folder has a checkpoint, whole or not.
bool has_begun(const std::string& folder);

/// The configuration that the folder's run was made with, as its newest whole checkpoint has it;
/// the folder's config.yaml where an earlier version wrote the checkpoint. Throws UserError where
/// the folder's vocabularies are not those of the checkpoint.
Config trained_config(const std::string& folder);

}  // namespace heed::run
