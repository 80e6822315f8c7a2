#include "run/folder.h"

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/files.h"
#include "base/run_folder.h"
#include "base/strings.h"
#include "run/saved_config.h"

namespace heed::run {

namespace fs = std::filesystem;

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

void save_vocabularies(const Vocabularies& vocabularies, const std::string& folder, bool joint) {
  if (joint) return vocabularies.source.save(file_in(folder, kJointVocabulary));
  vocabularies.source.save(file_in(folder, kSourceVocabulary));
  vocabularies.target.save(file_in(folder, kTargetVocabulary));
}

void require_same_pieces(const std::string& side, const FolderPieces& of, const FolderPieces& as,
                         const std::string& cure) {
  if (of.vocabulary.fingerprint() != as.vocabulary.fingerprint())
    throw UserError("{}: its {} vocabulary ({}) is not that of {} ({}); {}", of.folder, side,
                    of.vocabulary.fingerprint(), as.folder, as.vocabulary.fingerprint(), cure);
}

namespace {

/// Whether a setting of the command line says what the network or its vocabulary is.
bool names_model(const std::vector<std::string>& settings) {
  return std::ranges::any_of(settings, [](const std::string& setting) {
    return setting.starts_with("model") || setting.starts_with("data.vocabulary");
  });
}

}  // namespace

decode::MemberText member_text(const Config& config, const Vocabularies& vocabularies) {
  const data::VocabularyConfig& vocabulary = config.data.vocabulary;
  return {vocabularies.source, vocabularies.target,
          vocabulary.source.empty() ? 1 - vocabulary.coverage : 1};
}

FolderConfig open_config(const std::string& path, const OpenOptions& options) {
  require_model_folder(path);
  std::vector<std::string> settings = options.settings;
  if (!options.device.empty()) settings.push_back("device=" + options.device);
  const std::string saved = file_in(path, kConfigFile);
  FolderConfig folder{load_config(saved, settings), names_model(settings) ? "--set" : saved};
  find_kept_corpora(folder.config, path);
  return folder;
}

void require_ensemble(const Config& config, const FolderPieces& first, const FolderPieces& other) {
  const std::string key = is_joint(config) ? "data.vocabulary.source" : "data.vocabulary.target";
  require_same_pieces("target", other, first,
                      "an ensemble needs models trained with the same one: name it in " + key);
}

}  // namespace heed::run
