#include "run/older_run.h"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "base/event_file.h"
#include "base/files.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/run_folder.h"
#include "run/binding.h"
#include "run/saved_config.h"
#include "run/spool.h"

namespace heed::run {

namespace fs = std::filesystem;

namespace {

/// `heed runs` finds the run in it, for a folder without a run is looked through.
fs::path place_aside(const std::string& folder) {
  return fs::path(folder) / ".heed.older-run";
}

/// What --overwrite deletes. checkpoints/ goes first and comes back last: a folder with checkpoints
/// beside a run that is aside has another run.
std::vector<fs::path> paths_to_delete(const Config& config) {
  const bool run = holds_run(config.output);
  std::vector<fs::path> paths;
  if (run)
    for (const std::string& path : paths_of_run(config.output))
      if (is_there(path)) paths.emplace_back(path);
  data::DataConfig data = config.data;
  const std::vector<CorpusFile> files = corpus_files(data);
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(config.output, none)) {
    const std::string name = entry.path().filename().string();
    const bool named = std::ranges::any_of(files, [&](const CorpusFile& file) {
      return fs::equivalent(*file.path, entry.path(), none);
    });
    if ((is_kept_corpus(name) && !named) || (run && is_event_file(name)))
      paths.push_back(entry.path());
  }
  return paths;
}

void put_back(const std::string& folder) {
  const fs::path aside = place_aside(folder);
  if (!is_there(aside)) return;
  if (has_begun(folder)) return delete_put_aside(folder);
  std::vector<fs::path> paths;
  for (const fs::directory_entry& entry : fs::directory_iterator(aside))
    paths.push_back(entry.path());
  std::ranges::sort(paths, {},
                    [](const fs::path& path) { return path.filename() == kCheckpoints; });
  for (const fs::path& path : paths) {
    const fs::path to = fs::path(folder) / path.filename();
    std::error_code ignored;
    fs::remove_all(to, ignored);  // move_path() says why not
    move_path(path, to);
  }
  std::error_code ignored;
  fs::remove(aside, ignored);
  log::info(folder + ": holds the older run again, for the new one had not begun");
}

}  // namespace

void put_aside(Config& config) {
  const std::vector<fs::path> paths = paths_to_delete(config);
  const fs::path aside = place_aside(config.output);
  try {
    if (!paths.empty()) make_folder(aside.string());
    for (const fs::path& path : paths) move_path(path, aside / path.filename());
    name_streams(config);
  } catch (const Failure&) {
    put_back(config.output);
    throw;
  }
}

void delete_put_aside(const std::string& folder) {
  // Under another name first: what a kill leaves of it is no run to put back.
  const fs::path deleted = fs::path(folder) / ".heed.deleted";
  std::error_code ignored;
  fs::remove_all(deleted, ignored);
  if (!is_there(place_aside(folder))) return;
  fs::rename(place_aside(folder), deleted, ignored);
  fs::remove_all(deleted, ignored);
}

void restore_older_run(const std::string& folder) {
  if (!is_there(place_aside(folder))) return;
  const FolderLock lock(folder, "heed train");
  put_back(folder);
}

RestoreAtEnd::~RestoreAtEnd() {
  try {
    put_back(folder_);
  } catch (const std::exception& error) {
    log::warn(error.what());
  }
}

}  // namespace heed::run
