// The config.yaml of a run that has begun, against the configuration that is wanted now.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/differences.h"
#include "run/config.h"

namespace heed::run {

/// Whether the folder has a model or a folder for checkpoints.
bool holds_run(const std::string& folder);

/// The paths, several with commas between them, in which the name of a run (`mine`) is runs/mine
/// where there is no such file or folder here.
std::string named_models(const std::string& paths);

/// Returns the folders of a list separated by commas. The path of a folder that is there is one,
/// whatever is in its name. Throws UserError where one of several is empty.
std::vector<std::string> model_paths(const std::string& paths);

/// Throws UserError where `path` is no folder of a trained model. It opens no file: a command looks
/// at all its models this way before it works with the first one.
void require_model_folder(const std::string& path);

/// Deletes all that `heed train` writes but the folder itself. Throws Failure.
void remove_run(const std::string& folder);

/// The files and folders that this deletes, but for event files; checkpoints/ is the first.
std::vector<std::string> paths_of_run(const std::string& folder);

/// Throws UserError that names the key where a corpus, a vocabulary or the base of `config` is one
/// of `paths`, or lies in one: --overwrite would delete what the new run is made of.
void require_spared(const Config& config, const std::vector<std::string>& paths);

/// Throws UserError where the file `output` is one that a command reads, or belongs to a run, whose
/// files only `heed train` writes. `named` is what else the command line names; what is neither a
/// file nor a folder there is of no interest.
void require_harmless(const std::string& output, const std::vector<std::string>& named);

/// Throws UserError where the configuration `file` is the config.yaml of `folder`: a new run there
/// writes its own over it.
void require_file_elsewhere(const std::string& file, const std::string& folder);

/// Throws UserError where the folder has a file of a run's name that no training of heed can have
/// left there: a training begins with train.log.
void require_own_files(const std::string& folder);

/// The folder's config.yaml; a key that it lacks has its default. Throws UserError that names the
/// file.
Config saved_config(const std::string& folder);

/// `config` with what it leaves open as the run has decided it when it began.
Config decided_as(const Config& saved, Config config);

/// Throws UserError that names the fixed keys whose values differ, with both values and the cure:
/// `saved` is what the run in `folder` was made with. Where config.yaml there names another path of
/// a corpus, a vocabulary or the base, the file may have been moved, and its path is that. With
/// data.clean: [overlap] the files of data.test are fixed, too: they decide what is trained on.
void require_same_fixed(const std::string& folder, const Config& saved, const Config& config);

/// Returns the differences that give a run other weights or other scores: all but its name and
/// folder, where and on how many threads it is computed, and the family that it belongs to.
std::vector<config::Difference> changes(const Config& saved, const Config& config);

/// Returns a checksum of everything that changes() compares: equal where a run is the same.
uint64_t checksum(const Config& config);

}  // namespace heed::run
