// How the ranks of a run find each other, and what then connects them (private to this room).
#pragma once

#include "ranks/group.h"
#include "ranks/rank_info.h"

namespace heed::ranks {

/// Finds the store in which all ranks leave their addresses: a LimitedStore, of this attempt alone.
/// Throws c10::Error, UserError, Failure.
StorePtr meet(const RankInfo& info, const GroupOptions& options);

/// Connects all ranks. Traffic goes over the interface that reaches the first rank, over loopback
/// where all are on one machine.
BackendPtr host_backend(const RankInfo& info, const GroupOptions& options, const StorePtr& store);

/// NCCL, in a library beside the program. Throws UserError where it is missing.
BackendPtr nccl_backend(const RankInfo& info, const GroupOptions& options, const StorePtr& store);

}  // namespace heed::ranks
