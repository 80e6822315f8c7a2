// The processes that belong together (private to this room). A launcher that starts all ranks again
// may let them meet at the store of the attempts before: it holds what dead processes have left
// there, and two agents of torchrun count the attempts differently.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "ranks/group.h"
#include "ranks/rank_info.h"

namespace heed::ranks {

/// A part of the store for one attempt alone, or the ranks that have not come.
struct Attempt {
  StorePtr store;               // empty where some are absent
  std::vector<int64_t> absent;  // of them this rank knows
  bool gone = false;            // the first rank's process has ended; otherwise they are silent
};

/// Each rank leaves a random token in `store`, the first one makes a list of all, and a rank takes
/// only a list with its own token. When all have taken the same list the attempt begins. A list
/// with the token of a dead process is replaced as soon as the new one has left its own.
/// Collective; all ranks must come within `timeout`. Throws Failure where another process is the
/// same rank.
Attempt begin_attempt(const StorePtr& store, const RankInfo& info,
                      std::chrono::milliseconds timeout);

}  // namespace heed::ranks
