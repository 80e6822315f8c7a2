#include "apps/cli/outputs.h"

#include "base/error.h"
#include "base/event_file.h"
#include "base/files.h"
#include "base/run_folder.h"
#include "base/strings.h"
#include "run/saved_config.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

/// All that `heed train` writes, and what is in its folders now: a link may lead there.
std::vector<std::string> files_of_run(const fs::path& run) {
  std::vector<std::string> files = run::paths_of_run(run.string());
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(run, none)) {
    const std::string name = entry.path().filename().string();
    if (run::is_kept_corpus(name) || is_event_file(name)) files.push_back(entry.path().string());
  }
  for (const std::string& path : run::paths_of_run(run.string()))  // some are folders
    for (const fs::directory_entry& entry : fs::directory_iterator(path, none))
      files.push_back(entry.path().string());
  return files;
}

void require_not_of_run(const std::string& output, const fs::path& run) {
  std::error_code none;
  if (!fs::exists(run / kConfigFile, none) || !run::holds_run(run.string())) return;
  const auto is_it = [&](const std::string& file) { return run::lies_in(output, file); };
  if (std::ranges::any_of(files_of_run(run), is_it))
    throw UserError(
        "{}: belongs to the run in {}, whose files only `heed train` writes; name another file",
        output, run.string());
}

/// Also the folders of an ensemble, and the file of NAME=FILE.
std::vector<std::string> paths_in(const std::string& argument) {
  std::vector<std::string> paths = split(argument, ',');
  paths.push_back(argument);
  if (const std::size_t equals = argument.find('='); equals != std::string::npos)
    paths.push_back(argument.substr(equals + 1));
  return paths;
}

}  // namespace

void require_harmless(const std::string& output, const std::vector<std::string>& named) {
  std::error_code none;
  if (fs::is_other(output, none)) return;  // a pipe or a device loses nothing
  for (const std::string& argument : named)
    for (const std::string& path : paths_in(argument)) {
      if (path.empty()) continue;
      require_not_of_run(output, path);
      require_not_read(output, {path});
    }
  // A model that the command does not read is no less of value.
  fs::path folder = fs::weakly_canonical(output, none);
  while (folder.has_relative_path()) require_not_of_run(output, folder = folder.parent_path());
}

}  // namespace heed
