// The runs below a folder, and what state each is in.
#pragma once

#include <string>
#include <vector>

namespace heed {

/// Folders that `heed train` writes or wrote: of each of `places` in turn itself, or those at most
/// four folders below it in the order of their names. Each run once, whatever leads to it. A folder
/// that cannot be read has none.
std::vector<std::string> find_runs(const std::vector<std::string>& places);

/// "training" while a process holds the run's folder, "finished" where it has its summary.json,
/// else "stopped".
std::string state_of_run(const std::string& run);

}  // namespace heed
