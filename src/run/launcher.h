// The ranks of a run as processes of this machine: started, watched and, where one ends, ended
// together.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/lock.h"

namespace heed::run {

/// A new folder for ranks to meet in, gone when this object is.
class RendezvousFolder {
 public:
  /// Among the temporary files of this machine, on which all who meet are: a run's folder may lie
  /// in a file system without locks or shared maps. Removes those that killed processes left there
  /// more than a minute ago. Throws Failure where it cannot be made.
  RendezvousFolder();
  ~RendezvousFolder();
  RendezvousFolder(const RendezvousFolder&) = delete;
  RendezvousFolder& operator=(const RendezvousFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::optional<FolderLock> lock_;  // while it is held nobody takes the folder for a left-over
};

struct RankJob {
  std::vector<std::string> command;  // the program with its arguments, the same for all ranks
  std::vector<std::string> again;    // the same for a later attempt
  int64_t ranks = 1;
  int64_t restarts = 0;  // how often all may start again
};

/// Returns when all ranks are done. When one ends otherwise the others are killed, and all start
/// again while there are restarts left: not where a rank found a mistake of the user's or a bug,
/// nor after SIGINT, SIGTERM or SIGHUP. Such a signal is passed on to all, once; one to a single
/// rank ends all, too. Throws Failure, or UserError where that was a rank's verdict, that says
/// which rank ended, how and at which update.
void run_ranks(const RankJob& job);

/// The path of this program.
std::string own_path();

/// Deletes what ranks that met in `folder` and were killed left there.
void remove_old_meetings(const std::string& folder);

}  // namespace heed::run
