#include "run/binding.h"

#include "base/log.h"
#include "base/run_folder.h"
#include "base/strings.h"
#include "config/differences.h"
#include "config/io.h"
#include "model/description/safetensors_file.h"
#include "run/saved_config.h"

namespace heed::run {
namespace {

constexpr const char *kModel = "model", *kNormaliser = "text_normaliser";

bool is_bound(const Metadata& metadata) {
  return metadata.contains(kModel);
}

std::string told(const Metadata& metadata, const std::string& key) {
  const auto found = metadata.find(key);
  return found == metadata.end() ? "none" : one_line(found->second);
}

/// "model.heads: 2 (trained with 4)" for each key with which the weights would be another model.
std::vector<std::string> other_keys(const Metadata& metadata, const std::string& weights,
                                    const Config& config) {
  std::vector<std::string> wrong;
  const auto blame = [&](const std::string& key, const std::string& now,
                         const std::string& trained) {
    wrong.push_back(fmt::format("{}: {} (trained with {})", key, now, trained));
  };
  if (metadata.contains(kJointVocabulary) != is_joint(config))
    blame("data.vocabulary.kind", is_joint(config) ? "joint" : "separate",
          is_joint(config) ? "separate" : "joint");
  model::ModelConfig trained;
  config::load_text(trained, metadata.at(kModel), weights);
  for (const config::Difference& one : config::differences(trained, config.model))
    if (one.path == "type" ||
        (trained.type == config.model.type && model::changes_result(one.path, trained)))
      blame("model." + one.path, one.after, one.before);
  return wrong;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> fingerprints(const Vocabularies& vocabularies,
                                                              bool joint) {
  if (joint) return {{kJointVocabulary, vocabularies.source.fingerprint()}};
  return {{kSourceVocabulary, vocabularies.source.fingerprint()},
          {kTargetVocabulary, vocabularies.target.fingerprint()}};
}

Metadata binding_of(const Config& config, const Vocabularies& vocabularies) {
  Metadata metadata{{kModel, config::dump(config.model)},
                    {kNormaliser, std::string(text::kTextNormaliser)}};
  for (const auto& [file, fingerprint] : fingerprints(vocabularies, is_joint(config)))
    metadata[file] = fingerprint;
  return metadata;
}

void warn_if_unbound(const Metadata& metadata, const std::string& weights,
                     const std::string& folder) {
  if (is_bound(metadata)) return;
  log::warn(
      "{}: an earlier version of heed wrote it, and it does not say which vocabulary and network "
      "it belongs to; `heed average {} -o NEW` makes a model that does",
      weights, shell_word(folder));
}

Vocabularies bound_vocabularies(const Metadata& metadata, const std::string& weights,
                                const std::string& folder, const Config& config,
                                const std::string& origin) {
  const bool joint = is_joint(config);
  if (!is_bound(metadata)) return load_vocabularies(folder, joint);
  if (const std::string trained = told(metadata, kNormaliser); trained != text::kTextNormaliser)
    throw UserError(
        "{}: was trained with text normaliser {}, and this heed has {}; use the version of heed "
        "that trained it",
        weights, trained, text::kTextNormaliser);
  const std::vector<std::string> wrong = other_keys(metadata, weights, config);
  if (!wrong.empty())
    throw UserError("{}: {}; set what {} was trained with", origin, join(wrong, ", "), weights);
  Vocabularies vocabularies = load_vocabularies(folder, joint);
  for (const auto& [file, fingerprint] : fingerprints(vocabularies, joint))
    if (const std::string trained = told(metadata, file); trained != fingerprint)
      throw UserError(
          "{}: is vocabulary {}, and {} was trained with {}; put that vocabulary back, or copy the "
          "whole folder of its model",
          file_in(folder, file), fingerprint, weights, trained);
  return vocabularies;
}

void require_bound(const std::string& weights, const std::string& folder) {
  const std::string file = file_in(folder, kConfigFile);
  bound_vocabularies(model::load_metadata(weights), weights, folder, saved_config(folder), file);
}

}  // namespace heed::run
