#include "run/found_runs.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

#include "base/error.h"
#include "base/lock.h"
#include "base/run_folder.h"

namespace heed::run {
namespace {

namespace fs = std::filesystem;

constexpr int kDeepest = 4;

bool is_run(const fs::path& folder) {
  std::error_code none;
  return fs::exists(folder / kConfigFile, none) && fs::exists(folder / kMetricsFile, none);
}

void find_below(const fs::path& folder, int depth, std::vector<std::string>& out) {
  if (is_run(folder)) {
    out.push_back(folder.string());
    return;  // what lies in a run is its own
  }
  if (depth == kDeepest) return;
  std::vector<fs::path> below;
  std::error_code gone, none;
  for (fs::directory_iterator entry(folder, gone), end; !gone && entry != end;
       entry.increment(gone))
    if (entry->is_directory(none)) below.push_back(entry->path());
  std::ranges::sort(below);
  for (const fs::path& path : below) find_below(path, depth + 1, out);
}

}  // namespace

std::vector<std::string> find_runs(const std::vector<std::string>& places) {
  std::vector<std::string> runs;
  for (const std::string& place : places) find_below(place, 0, runs);
  std::set<fs::path> seen;
  std::erase_if(runs, [&](const std::string& run) {
    std::error_code gone;
    const fs::path real = fs::canonical(run, gone);
    return !seen.insert(gone ? fs::path(run) : real).second;
  });
  return runs;
}

void read_runs(const std::vector<std::string>& places,
               const std::function<void(const std::string& run)>& read,
               const std::function<void(const std::string& message)>& damaged) {
  for (const std::string& run : find_runs(places)) {
    try {
      read(run);
    } catch (const UserError& error) {
      damaged(error.what());
    } catch (const Failure& error) {
      damaged(error.what());
    } catch (const fs::filesystem_error& error) {
      damaged(run + ": " + error.code().message());
    }
  }
}

std::string state_of_run(const std::string& run) {
  if (is_held(run)) return "training";
  std::error_code none;
  return fs::exists(fs::path(run) / kSummaryFile, none) ? "finished" : "stopped";
}

}  // namespace heed::run
