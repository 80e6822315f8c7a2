// The family that `heed bottleneck` trains: which systems, and their training side by side in
// processes of their own.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "run/config.h"
#include "run/folder.h"

namespace heed::run {

struct FamilyMember {
  std::string name;
  std::string folder;
  std::vector<std::string> settings;  // over the family's file: what makes this system
  Config config;                      // that file with them
};

/// The config's `systems`, or none, bahdanau, luong_general and transformer; `only` keeps those
/// names. A system without settings is the model that it is named after; one with settings is what
/// they and the file say, and the log tells where its name says something else. All use the
/// vocabulary of the family's folder. Every member's resolved config is checked here. Throws
/// UserError for a name that is neither a model nor has settings, that is there twice, or that
/// cannot be that of a folder beside the vocabulary's.
std::vector<FamilyMember> family(const std::string& file, const std::vector<std::string>& settings,
                                 const std::vector<std::string>& only);

/// Returns names and configurations of the systems.
std::vector<std::pair<std::string, Config>> systems_of(const std::vector<FamilyMember>& members);

/// Models and a vocabulary that are there already are of this configuration, as far as a resumed
/// run cannot change it. Throws UserError that names what differs, and the cure.
void require_same_family(const Config& config, const std::vector<FamilyMember>& members);

/// Throws UserError where remove_family() would delete what the models are made of.
void require_removable(const Config& config, const std::vector<FamilyMember>& members);

/// Deletes the vocabulary and the models that are there already.
void remove_family(const Config& config, const std::vector<FamilyMember>& members);

/// The vocabulary that all members share; it is trained unless it is there or in
/// `trained`. Throws UserError where
/// the one that is there is of another corpus or other settings.
Vocabularies share_vocabulary(const Config& config, const TrainedVocabularies& trained = {});

/// Trains those members that have not finished, or finished with other settings, `jobs` at a time
/// (0: as many as the cores suffice for), each with `threads` of the file (0: the cores are divided
/// among them); one that has begun is resumed.
/// Each runs `heed train` in its own process and logs to its own folder. Throws Failure that names
/// the log of a member that failed.
void train_family(const std::string& file, const std::vector<FamilyMember>& members, int64_t jobs);

}  // namespace heed::run
