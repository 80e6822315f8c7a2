// The runs below a folder, and what state each is in.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace heed::run {

/// Folders that `heed train` writes or wrote: of each of `places` in turn itself, or those at most
/// four folders below it in the order of their names. Each run once, whatever leads to it. A folder
/// that cannot be read has none.
std::vector<std::string> find_runs(const std::vector<std::string>& places);

/// Calls read(run) for each of them. Where it throws UserError or Failure, or the run goes away
/// meanwhile, it calls damaged(message) and goes on: one damaged run hides none of the others.
void read_runs(const std::vector<std::string>& places,
               const std::function<void(const std::string& run)>& read,
               const std::function<void(const std::string& message)>& damaged);

/// "training" while a process holds the run's folder, "finished" where it has its summary.json,
/// else "stopped".
std::string state_of_run(const std::string& run);

}  // namespace heed::run
