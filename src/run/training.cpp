#include "run/training.h"

#include <chrono>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/signals.h"
#include "base/strings.h"
#include "run/check.h"
#include "run/launcher.h"
#include "run/older_run.h"
#include "run/rank_training.h"
#include "run/saved_config.h"
#include "run/spool.h"

namespace heed::run {

namespace fs = std::filesystem;

namespace {

/// Of a YAML file, or of a run's folder, which goes on as it is. Names the folder of the run. The
/// `first` process puts an older run back there that a killed --overwrite has left aside.
Config wanted_config(const TrainingRequest& request, bool first) {
  std::error_code none;
  if (!fs::is_directory(request.config, none)) {
    Config config = load_config(request.config, request.settings);
    config.output = run_folder(config);
    if (first) restore_older_run(config.output);
    return config;
  }
  const std::string folder = request.config, file = (fs::path(folder) / "config.yaml").string();
  if (!request.wish.resume)
    throw UserError(folder + ": is a folder; `heed train " + shell_path(folder) +
                    " --resume` goes on with the run in it");
  if (first) restore_older_run(folder);
  if (!fs::exists(file) || !has_begun(folder))
    throw UserError(folder +
                    ": holds no run to go on with; it has no config.yaml or no checkpoint");
  const Config saved = load_config(file, {});
  Config config = load_config(file, request.settings);
  if (config.output != saved.output)
    throw UserError(
        "--set output: the run in " + folder +
        " goes on where it is; another output needs a YAML file in place of the folder");
  find_kept_corpora(config, folder);
  std::error_code moved;
  if (!fs::equivalent(saved.output, folder, moved)) config.output = folder;
  return config;
}

/// The command line of one rank; with `again`, of one that goes on.
std::vector<std::string> rank_command(const TrainingRequest& request, const Config& config,
                                      bool again) {
  std::vector<std::string> command = {own_path(), "train", request.config};
  for (const std::string& setting : request.settings)
    command.insert(command.end(), {"--set", setting});
  for (const std::string& setting : kept_corpora(config))
    command.insert(command.end(), {"--set", setting});
  command.insert(command.end(), {"--rank-timeout", std::to_string(request.rank_timeout)});
  if (request.wish.resume || again) command.push_back("--resume");
  return command;
}

/// In processes of this machine, which this one starts; they do not repeat the check.
void make_run_in_ranks(const TrainingRequest& request, Config config, const Check& found) {
  make_folder(config.output);
  signals::install();
  try {
    {
      const FolderLock lock(config.output, "heed train");
      // Here: ranks that start again before one of them had done it would go on with the older run.
      if (request.wish.overwrite) put_aside(config);
      log::add_file((fs::path(config.output) / "train.log").string());
      found.tell();
      log::close_files();
    }
    run_ranks({.command = rank_command(request, config, false),
               .again = rank_command(request, config, true),
               .ranks = request.ranks,
               .restarts = request.restarts});
  } catch (...) {
    if (request.wish.overwrite) restore_older_run(config.output);
    throw;
  }
}

}  // namespace

void make_run(const TrainingRequest& request) {
  const ranks::Place place = ranks::place_of();
  // Not a rank of heed's own launcher, which prepares and checks all before.
  const bool first = place.leads() && place.meeting != ranks::Meeting::file;
  Config config = wanted_config(request, first);
  if (!place.alone() && request.ranks != 1 && request.ranks != place.size)
    throw UserError("--ranks " + std::to_string(request.ranks) + ": " + place.announcer +
                    " has started " + std::to_string(place.size) +
                    " ranks already; leave the option out");
  StreamedCorpora streams;
  if (place.alone())
    streams.read(config, request.wish);
  else
    data::require_files(config.data, "a run of " + place.announcer);
  const bool here = !place.alone() || request.ranks == 1;
  if (!here) require_no_stream(request.config, "each rank of --ranks");
  const auto check = [&](const Config& wanted) {
    Check found;
    if (!first) return found;  // others find the same
    log::progress("checking what the configuration names");
    found = check_run(wanted, {.file = request.config,
                               .resume = request.wish.resume,
                               .overwrite = request.wish.overwrite,
                               .ranks = here ? place.local_size : request.ranks,
                               .own_device = here});
    found.require(request.config);
    return found;
  };
  if (here) {
    RankTraining training(std::move(config), place,
                          {.wish = request.wish,
                           .timeout = std::chrono::seconds(request.rank_timeout),
                           .check = check});
    training.prepare_folder();
    training.build();
    training.train();
    training.finish();
    return;
  }
  Config resumed = config;  // the ranks decide the same
  resumed_config(resumed, request.wish);
  const Check found = check(resumed);
  make_run_in_ranks(request, std::move(config), found);
}

}  // namespace heed::run
