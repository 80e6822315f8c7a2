// The folder of a run, before it begins: whose it is, what is in it, and what it holds from now on;
// the run that --overwrite deletes is put aside until the new one begins.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "base/lock.h"
#include "run/config.h"
#include "run/folder.h"
#include "run/model_folder.h"
#include "run/summary.h"

namespace heed::run {

/// Moves the run in the folder, if there is one, into .heed.older-run/ of it. The caller holds the
/// folder's lock. Throws Failure where something cannot be moved; the older run is then where it
/// was.
void put_aside(const std::string& folder);

/// Moves what is aside back, over what a new run has written that never began; deletes it where
/// that run has a checkpoint. Does nothing where nothing is aside. Takes the folder's lock. Throws
/// UserError where another process holds it, Failure where something cannot be moved.
void restore_older_run(const std::string& folder);

/// Does the same at its end, for one who holds the lock. A failure is a warning.
class RestoreAtEnd {
 public:
  explicit RestoreAtEnd(std::string folder) : folder_(std::move(folder)) {}
  ~RestoreAtEnd();
  RestoreAtEnd& operator=(RestoreAtEnd&&) = delete;

 private:
  std::string folder_;
};

/// Whether a run that is there already is continued or replaced; neither: it is refused.
struct ExistingRun {
  bool resume = false, overwrite = false;
};

/// The config of the run that `config` goes on with, as its newest checkpoint has it, if one has
/// begun; what was decided when it began is then `config`, too. Throws UserError where a fixed key
/// differs.
std::optional<Config> resumed_config(Config& config, const ExistingRun& existing);

/// Throws UserError where the folder holds a run that is neither to be continued nor overwritten.
void require_no_older_run(const std::string& folder, const ExistingRun& existing);

/// Takes the folder: makes it, locks it while this object lives, refuses an older run or puts it
/// aside as wished, and logs there from now on. At its end the older run is back where the new one
/// has not begun (write_config()).
class Preparation {
 public:
  /// `saved` is resumed_config().
  Preparation(const Config& config, const ExistingRun& existing,
              const std::optional<Config>& saved);

 private:
  FolderLock lock_;
  std::optional<RestoreAtEnd> older_;  // ends before the lock, which it needs
};

/// Returns the vocabularies of the folder when a run goes on, else new ones (make_vocabularies()),
/// which are saved there.
/// A run that failed before its first checkpoint may have left some that were made of other
/// corpora.
Vocabularies folder_vocabularies(const Config& config, const TrainedVocabularies& trained,
                                 const std::string& folder);

/// Returns the provenance of the run as this process makes it; reads every corpus once. Throws
/// Failure where sha256sum(1) is missing or fails, and UserError where a corpus that the run in the
/// folder, which goes on from `saved`, has begun with is another one now; only data.more_valid and
/// the test set may change, the latter where data.clean has no overlap.
Provenance provenance_of(const ModelFolder& run, const std::optional<Config>& saved);

/// Whether the run's folder has scores that this config would give again on the corpora of `now`.
bool has_scores(const std::optional<Config>& saved, const Config& config, const Provenance& now);

/// From here on the folder is of `config`, and an older run that was put aside is deleted.
/// `updates` are done; old scores and the translations that got them may be `kept`.
void write_config(const Config& config, const Provenance& provenance, int64_t updates, bool kept);

}  // namespace heed::run
