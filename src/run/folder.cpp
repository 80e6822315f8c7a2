#include "run/folder.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>

#include "base/error.h"
#include "base/log.h"
#include "base/output_folder.h"
#include "base/run_folder.h"
#include "base/shell_names.h"
#include "base/strings.h"
#include "config/differences.h"
#include "config/io.h"
#include "config/schema.h"
#include "data/config.h"
#include "data/languages.h"
#include "decode/search/encoded_lines.h"
#include "model/description/config.h"
#include "model/description/safetensors_file.h"

namespace heed::run {

namespace fs = std::filesystem;

namespace {

constexpr const char *kModel = "model", *kNormaliser = "text_normaliser";

std::string value_of(const Metadata& metadata, const std::string& key) {
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
    blame("data.vocabulary.kind", config::name_of(config.data.vocabulary.kind),
          is_joint(config) ? "separate or shared" : "joint");
  model::ModelConfig trained;
  config::load_text(trained, metadata.at(kModel), weights);
  for (const config::Difference& one : config::differences(trained, config.model))
    if (one.path == "type" ||
        (trained.type == config.model.type && model::changes_result(one.path, trained)))
      blame("model." + one.path, one.after, one.before);
  return wrong;
}

/// Whether a setting of the command line says what the network or its vocabulary is.
bool names_model(const std::vector<std::string>& settings) {
  return std::ranges::any_of(settings, [](const std::string& setting) {
    return setting.starts_with("model") || setting.starts_with("data.vocabulary");
  });
}

}  // namespace

bool has_vocabularies(const std::string& folder) {
  const fs::path path(folder);
  return fs::exists(path / kJointVocabulary) ||
         (fs::exists(path / kSourceVocabulary) && fs::exists(path / kTargetVocabulary));
}

Vocabularies load_vocabularies(const std::string& folder, bool joint) {
  const auto load = [&](const char* name) { return text::Vocabulary::load(file_in(folder, name)); };
  if (!joint) return {load(kSourceVocabulary), load(kTargetVocabulary)};
  const text::Vocabulary both = load(kJointVocabulary);
  return {both, both};
}

void require_shared_pieces(const Vocabularies& vocabularies, const Config& config) {
  if (config.data.vocabulary.kind != data::VocabularyKind::shared) return;
  const auto& [source, target] = vocabularies;
  const auto piece = [](const text::Vocabulary& of, int32_t id) {
    return id < of.size() ? of.piece(id) : "";
  };
  for (int32_t id = 0; id < std::max(source.size(), target.size()); ++id)
    if (piece(source, id) != piece(target, id))
      throw UserError(
          "data.vocabulary.kind: shared: piece {} of the source is '{}' and of the target '{}'; "
          "name files with the same pieces, or set kind: separate",
          id, one_line(piece(source, id)), one_line(piece(target, id)));
}

Vocabularies with_languages(Vocabularies vocabularies, const Config& config) {
  data::begin_with_languages(config.data, vocabularies.source, vocabularies.target);
  return vocabularies;
}

void save_vocabularies(const Vocabularies& vocabularies, const std::string& folder, bool joint) {
  if (joint) return vocabularies.source.save(file_in(folder, kJointVocabulary));
  vocabularies.source.save(file_in(folder, kSourceVocabulary));
  vocabularies.target.save(file_in(folder, kTargetVocabulary));
}

std::vector<std::string> files_of_model() {
  return {kJointVocabulary, kSourceVocabulary, kTargetVocabulary, kWeightsFile, kConfigFile};
}

void require_no_model(const std::string& folder) {
  require_expanded(folder);
  if (fs::exists(fs::path(folder) / kConfigFile))
    throw UserError(folder + ": holds a model already; name a new folder");
  require_written_by_heed(folder, files_of_model());
}

void require_same_pieces(const std::string& side, const FolderPieces& of, const FolderPieces& as,
                         const std::string& cure) {
  if (of.vocabulary.fingerprint() != as.vocabulary.fingerprint())
    throw UserError("{}: its {} vocabulary ({}) is not that of {} ({}); {}", of.folder, side,
                    of.vocabulary.fingerprint(), as.folder, as.vocabulary.fingerprint(), cure);
}

decode::MemberText member_text(const Config& config, const Vocabularies& vocabularies) {
  const data::VocabularyConfig& vocabulary = config.data.vocabulary;
  const data::LanguagePair languages = data::language_pair(config.data);
  return {.source = vocabularies.source,
          .target = vocabularies.target,
          .usual_unknown = vocabulary.source.empty() ? 1 - vocabulary.coverage : 1,
          .trained_length = config.data.max_length,
          .source_language = languages.source,
          .target_language = languages.target};
}

FolderConfig open_config(const std::string& path, const OpenOptions& options) {
  require_model_folder(path);
  std::vector<std::string> settings = options.settings;
  if (!options.device.empty()) settings.push_back("device=" + options.device);
  const std::string saved = file_in(path, kConfigFile);
  Config config = load_config(saved, settings);
  std::string& shortlist = config.decoding.shortlist;
  const std::string own = file_in(path, fs::path(shortlist).filename().string());
  // The shortlist of a folder that was moved is in it still.
  if (!shortlist.empty() && !fs::exists(shortlist) && fs::exists(own)) shortlist = own;
  return {std::move(config), names_model(settings) ? "--set" : saved};
}

void require_ensemble(const Config& config, const FolderPieces& first, const FolderPieces& other) {
  const std::string key = is_joint(config) ? "data.vocabulary.source" : "data.vocabulary.target";
  require_same_pieces("target", other, first,
                      "an ensemble needs models trained with the same one: name it in " + key);
  if (first.vocabulary.beginning() != other.vocabulary.beginning())
    throw UserError(
        "{} and {} translate into different languages; say which with --target-language",
        first.folder, other.folder);
}

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
  if (metadata.contains(kModel)) return;
  log::warn(
      "{}: an earlier version of heed wrote it, and it does not say which vocabulary and network "
      "it belongs to; `heed average {} -o NEW` makes a model that does",
      weights, shell_word(folder));
}

Vocabularies bound_vocabularies(const Metadata& metadata, const std::string& weights,
                                const std::string& folder, const Config& config,
                                const std::string& origin) {
  const bool joint = is_joint(config);
  if (!metadata.contains(kModel)) return with_languages(load_vocabularies(folder, joint), config);
  if (const std::string trained = value_of(metadata, kNormaliser); trained != text::kTextNormaliser)
    throw UserError(
        "{}: was trained with text normaliser {}, and this heed has {}; use the version of heed "
        "that trained it",
        weights, trained, text::kTextNormaliser);
  const std::vector<std::string> wrong = other_keys(metadata, weights, config);
  if (!wrong.empty())
    throw UserError("{}: {}; set what {} was trained with", origin, join(wrong, ", "), weights);
  Vocabularies vocabularies = load_vocabularies(folder, joint);
  for (const auto& [file, fingerprint] : fingerprints(vocabularies, joint))
    if (const std::string trained = value_of(metadata, file); trained != fingerprint)
      throw UserError(
          "{}: is vocabulary {}, and {} was trained with {}; put that vocabulary back, or copy the "
          "whole folder of its model",
          file_in(folder, file), fingerprint, weights, trained);
  return with_languages(std::move(vocabularies), config);
}

void require_bound(const std::string& weights, const std::string& folder) {
  const std::string file = file_in(folder, kConfigFile);
  bound_vocabularies(model::load_metadata(weights), weights, folder, saved_config(folder), file);
}

}  // namespace heed::run
