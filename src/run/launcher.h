// The ranks of a run: as processes of this machine, which are started, watched and, where one ends,
// ended together; and work on text that is divided among them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/lock.h"
#include "ranks/group.h"
#include "ranks/rank_info.h"

namespace heed::run {

/// A new folder for ranks to meet in, gone when this object is.
class RendezvousFolder {
 public:
  /// Makes the folder among the temporary files of this machine, on which all who meet are: a run's
  /// folder may lie in a file system without locks or shared maps. Removes those that killed
  /// processes left there more than a minute ago. Throws Failure where it cannot be made.
  RendezvousFolder();
  ~RendezvousFolder();
  RendezvousFolder& operator=(RendezvousFolder&&) = delete;
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
/// nor after one of signals::kRequests. Such a signal is passed on to all, once, as SIGTERM; one to
/// a single rank ends all, too. Throws Failure, or UserError where that was a rank's verdict, that
/// says which rank ended, how and at which update.
void run_ranks(const RankJob& job);

/// The path of this program.
std::string own_path();

/// Deletes what ranks that met in `folder` and were killed left there.
void remove_old_rendezvous(const std::string& folder);

/// Returns how many of `total` threads for this machine (0: its cores) one of so many ranks on it
/// gets.
int64_t threads_of_rank(int64_t total, int64_t ranks);

/// Returns the same for this rank, which shares its cores with the ranks of its machine, or with
/// none of them where a launcher has bound each to cores of its own. Collective.
int64_t threads_of_rank(int64_t total, ranks::Group& group, const ranks::RankInfo& info);

/// The config's `device`, of which each rank takes its own: cuda is cuda:0, cuda:1, ... Throws
/// UserError where one GPU is named for several ranks.
std::string device_of_rank(const std::string& device, const ranks::RankInfo& info);

/// Some lines, whose numbers are `first_line`, `first_line` + `step`, and so on, and their
/// translations; nothing after a signal.
using Translate = std::function<std::optional<std::vector<std::string>>(
    const std::vector<std::string>& lines, int64_t first_line, int64_t step)>;

/// The translations of all lines, of which each rank makes its share: of n ranks, every n-th line,
/// for texts may be sorted by length. Nothing where a rank has none; a Failure of one is one on
/// all. Ranks wait for the slowest however long it takes. Collective.
std::optional<std::vector<std::string>> translate_together(ranks::Group& group,
                                                           const std::vector<std::string>& lines,
                                                           const Translate& translate);

/// Returns on all ranks what the first rank finds out, however long it takes; a Failure on the
/// first is one on all. Collective.
double first_rank_finds(ranks::Group& group, const std::function<double()>& find);

}  // namespace heed::run
