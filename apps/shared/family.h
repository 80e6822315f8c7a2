// The family that `heed bottleneck` trains: which systems, and their training side by side in
// processes of their own.
#pragma once

#include <string>
#include <vector>

#include "apps/shared/config.h"

namespace heed {

struct FamilyMember {
  std::string name;
  std::string folder;
  std::vector<std::string> settings;  // over the family's file: what makes this system
};

/// The config's `systems`, or none, bahdanau, luong_general and transformer; `only` keeps those
/// names. Every member's resolved config is checked here. Throws UserError for a name that is
/// neither a model nor has settings.
std::vector<FamilyMember> family(const std::string& file, const std::vector<std::string>& settings,
                                 const std::vector<std::string>& only);

/// The vocabulary all members share, trained once; returns the settings that make them use it.
std::vector<std::string> share_vocabulary(const Config& config, const std::string& folder);

/// Trains those members that have not finished, `jobs` at a time (0: as many as there are cores),
/// dividing the cores among them; an interrupted one is resumed. Each runs `heed train` in its own
/// process and logs to its own folder. Throws Failure that names the log of a member that failed.
void train_family(const std::string& file, const std::vector<FamilyMember>& members, int64_t jobs);

}  // namespace heed
