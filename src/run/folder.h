// The files of a model's folder that describe its network: configuration, vocabularies, paths.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "decode/search/encoded_lines.h"
#include "model/description/config.h"
#include "run/config.h"
#include "run/saved_config.h"
#include "text/vocabulary.h"

namespace heed::run {

struct Vocabularies {
  text::Vocabulary source, target;

  model::VocabularySizes sizes() const { return {source.size(), target.size()}; }
};

/// The files of vocabularies that were trained when the configuration was checked; "" where none
/// was. A joint one is that of the sources.
struct TrainedVocabularies {
  std::string source, target;
};

/// joint.spm, or source.spm and target.spm, of a run's folder.
bool has_vocabularies(const std::string& folder);
Vocabularies load_vocabularies(const std::string& folder, bool joint);
/// Throws UserError with the first piece that differs, where kind: shared says that none does.
void require_shared_pieces(const Vocabularies& vocabularies, const Config& config);

/// Returns the vocabularies with lines that begin as `config` says (data::begin_with_languages()).
Vocabularies with_languages(Vocabularies vocabularies, const Config& config);
void save_vocabularies(const Vocabularies& vocabularies, const std::string& folder, bool joint);

/// The files of a model's folder.
std::vector<std::string> files_of_model();
/// Throws UserError where the folder is a model already, or has a file of one that heed did not
/// write, or where only a shell would have made a path of it.
void require_no_model(const std::string& folder);

struct FolderPieces {
  const std::string& folder;
  const text::Vocabulary& vocabulary;
};

/// Throws UserError that ends with `cure` where two vocabularies of a side, source or target,
/// differ.
void require_same_pieces(const std::string& side, const FolderPieces& of, const FolderPieces& as,
                         const std::string& cure);

/// Returns the vocabularies of an ensemble member. The usual share of unknown pieces is not known
/// for a vocabulary that was not made for the run.
decode::MemberText member_text(const Config& config, const Vocabularies& vocabularies);

/// The configuration of a folder of which `options` change some keys.
struct FolderConfig {
  Config config;
  std::string origin;  // of what says which network and vocabularies these are, for messages
};
/// Throws UserError that names the folder or file and what is wrong with it.
FolderConfig open_config(const std::string& path, const OpenOptions& options);

/// Calls open(path, options) for each of model_paths(), with the settings that are for it: of a
/// search only the first one is told.
template <class Open>
void open_each(const std::string& paths, const OpenOptions& options, const Open& open) {
  OpenOptions settings = options;
  for (const std::string& path : model_paths(paths)) {
    open(path, settings);
    std::erase_if(settings.settings,
                  [](const std::string& setting) { return setting.starts_with("decoding."); });
  }
}

/// Throws UserError where the second folder of an ensemble has another target vocabulary.
void require_ensemble(const Config& config, const FolderPieces& first, const FolderPieces& other);

// The origin of weights: each file of weights says with which vocabularies and which network they
// were trained. This is the one place that writes it, and the one that compares it with a folder.

/// Metadata of a safetensors file.
using Metadata = std::map<std::string, std::string>;

/// The files of a folder's vocabularies, each with its fingerprint.
std::vector<std::pair<std::string, std::string>> fingerprints(const Vocabularies& vocabularies,
                                                              bool joint);

/// "joint.spm", or "source.spm" and "target.spm": fingerprints; "model": the section as YAML;
/// "text_normaliser": text::kTextNormaliser.
Metadata binding_of(const Config& config, const Vocabularies& vocabularies);

/// A warning with the cure where the file `weights` of `folder`, with these metadata, does not say
/// what it belongs to: an earlier version wrote it.
void warn_if_unbound(const Metadata& metadata, const std::string& weights,
                     const std::string& folder);

/// The vocabularies of `folder`, with_languages(). `metadata` are those of `weights`, a file.
/// Throws UserError where the file says that it belongs to other vocabularies, or to a network that
/// computes something else than that of `config`; the message names the vocabulary's file, or the
/// key with both values in `origin`, from which the config comes.
Vocabularies bound_vocabularies(const Metadata& metadata, const std::string& weights,
                                const std::string& folder, const Config& config,
                                const std::string& origin);

/// Throws likewise unless the file `weights` belongs to the vocabularies and config.yaml of
/// `folder`.
void require_bound(const std::string& weights, const std::string& folder);

}  // namespace heed::run
