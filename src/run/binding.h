// What weights belong to: each file of weights says with which vocabularies and which network they
// were trained. This is the one place that writes it, and the one that compares it with a folder.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "run/folder.h"

namespace heed::run {

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

/// The vocabularies of `folder`. `metadata` are those of `weights`, a file. Throws UserError where
/// the file says that it belongs to other vocabularies, or to a network that computes something
/// else than that of `config`; the message names the vocabulary's file, or the key with both values
/// in `origin`, from which the config comes.
Vocabularies bound_vocabularies(const Metadata& metadata, const std::string& weights,
                                const std::string& folder, const Config& config,
                                const std::string& origin);

/// Throws likewise unless the file `weights` belongs to the vocabularies and config.yaml of
/// `folder`.
void require_bound(const std::string& weights, const std::string& folder);

}  // namespace heed::run
