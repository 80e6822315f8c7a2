#include "run/preparation.h"

#include <ATen/Parallel.h>
#include <torch/version.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "base/event_file.h"
#include "base/files.h"
#include "base/log.h"
#include "base/machine.h"
#include "base/run_folder.h"
#include "base/strings.h"
#include "config/differences.h"
#include "config/io.h"
#include "data/config.h"
#include "model/device.h"
#include "run/build.h"
#include "run/commit.h"
#include "run/folder.h"
#include "run/launcher.h"
#include "run/saved_config.h"
#include "train/config.h"

namespace heed::run {

namespace fs = std::filesystem;

namespace {

/// `heed runs` finds the run in it, for a folder without a run is looked through.
fs::path folder_aside(const std::string& folder) {
  return fs::path(folder) / ".heed.older-run";
}

/// The files that --overwrite deletes. checkpoints/ is moved first and restored last: if a folder
/// has checkpoints and a run that was put aside, the checkpoints are of another run.
std::vector<fs::path> paths_to_delete(const std::string& folder) {
  std::vector<fs::path> paths;
  if (!holds_run(folder)) return paths;
  for (const std::string& path : paths_of_run(folder))
    if (is_there(path)) paths.emplace_back(path);
  for (const std::string& name : names_in(folder))
    if (is_event_file(name)) paths.push_back(fs::path(folder) / name);
  return paths;
}

/// Deletes the run that was put aside; the new one begins.
void delete_put_aside(const std::string& folder) {
  // It gets another name first: what is left of it after a kill is no run that could be put back.
  const fs::path deleted = fs::path(folder) / ".heed.deleted";
  std::error_code ignored;
  fs::remove_all(deleted, ignored);
  if (!is_there(folder_aside(folder))) return;
  fs::rename(folder_aside(folder), deleted, ignored);
  fs::remove_all(deleted, ignored);
}

void put_back(const std::string& folder) {
  const fs::path aside = folder_aside(folder);
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
  log::info(folder + ": the older run is back, because the new one had not begun");
}

const std::string& made_folder(const std::string& folder) {
  make_folder(folder);
  return folder;
}

std::string own_command() {
  std::vector<std::string> words;
  std::string bytes = read_file("/proc/self/cmdline");
  if (bytes.ends_with('\0')) bytes.pop_back();
  for (const std::string& word : split(bytes, '\0')) words.push_back(shell_word(word));
  return join(words, " ");
}

/// Returns the provenance of the run that this process is about to make or to continue. Reads every
/// corpus once.
Provenance provenance_now(const ModelFolder& run) {
  return {.heed = HEED_VERSION,
          .commit = commit(),
          .libtorch = TORCH_VERSION,
          .processor = processor_name(),
          .device = run.device.str(),
          .precision = model::precision_name(run.precision),
          .threads = at::get_num_threads(),
          .command = own_command(),
          .corpora = sums_of(run.config.data),
          .vocabularies = fingerprints({run.source, run.target}, is_joint(run.config))};
}

/// Throws UserError where a file of data.valid has another path than in `saved` and is another
/// file than the run `before` was made with. Moved training corpora are compared by their pairs.
void require_same_validation(const Config& saved, const ModelFolder& run, const Provenance& before,
                             const Provenance& now) {
  const auto sum = [](const Provenance& of, const std::string& path) {
    const auto found = std::ranges::find(of.corpora, path, &CorpusSum::path);
    return found == of.corpora.end() ? "" : found->sha256;
  };
  for (const auto side : {&data::CorpusFiles::source, &data::CorpusFiles::target}) {
    const std::string &old = saved.data.valid.*side, &path = run.config.data.valid.*side;
    const std::string trained = sum(before, old);
    if (old != path && !trained.empty() && trained != sum(now, path))
      throw UserError(
          "{}: is not the file of data.valid that the run in {} began with, {}; name a copy of "
          "that file, or use --overwrite or another output",
          path, run.path, old);
  }
}

/// Returns what `precision: auto` meant on the CPU when the run in `folder` began, because older
/// versions did not write it into the configuration.
Precision precision_of_older_version(const std::string& folder, Precision saved) {
  const std::string file = file_in(folder, kProvenanceFile);
  if (saved != Precision::auto_ || !fs::exists(file)) return saved;
  const Provenance provenance = Provenance::read(file);
  if (provenance.device != "cpu") return saved;
  return provenance.precision == "bf16" ? Precision::auto_bf16 : Precision::auto_fp32;
}

}  // namespace

void put_aside(const std::string& folder) {
  const std::vector<fs::path> paths = paths_to_delete(folder);
  const fs::path aside = folder_aside(folder);
  try {
    if (!paths.empty()) make_folder(aside.string());
    for (const fs::path& path : paths) move_path(path, aside / path.filename());
  } catch (const Failure&) {
    put_back(folder);
    throw;
  }
}

void restore_older_run(const std::string& folder) {
  if (!is_there(folder_aside(folder))) return;
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

void require_no_older_run(const std::string& folder, const ExistingRun& existing) {
  if (existing.overwrite) return;
  if (holds_run(folder) && !existing.resume)
    throw UserError(folder +
                    ": holds a run already; --resume goes on with it, --overwrite starts again");
  if (fs::exists(fs::path(folder) / kWeightsFile) && !has_begun(folder))
    throw UserError(folder +
                    ": holds a model and no checkpoint to go on from; --overwrite starts again");
}

std::optional<Config> resumed_config(Config& config, const ExistingRun& existing) {
  if (!existing.resume || !has_begun(config.output)) return std::nullopt;
  Config saved = trained_config(config.output);
  saved.training.micro_batches = train::parts_per_batch(saved.training);  // 0 in older versions
  saved.precision = precision_of_older_version(config.output, saved.precision);
  config = decided_as(saved, config);
  require_same_fixed(config.output, saved, config);
  return saved;
}

Preparation::Preparation(const Config& config, const ExistingRun& existing,
                         const std::optional<Config>& saved)
    : lock_(made_folder(config.output), "heed train") {
  lock_.remove_left_overs();
  remove_old_rendezvous(config.output);
  require_no_older_run(config.output, existing);
  if (existing.overwrite) {
    put_aside(config.output);
    older_.emplace(config.output);
  }
  log::add_file(file_in(config.output, kLogFile));
  if (!saved) return;
  if (const auto changed = config::differences(*saved, config); !changed.empty())
    log::info("the run goes on with another configuration: " + config::differences_text(changed));
}

Vocabularies folder_vocabularies(const Config& config, const TrainedVocabularies& trained,
                                 const std::string& folder) {
  const bool joint = is_joint(config);
  if (!has_begun(folder) || !has_vocabularies(folder))
    save_vocabularies(make_vocabularies(config, trained), folder, joint);
  return load_vocabularies(folder, joint);
}

Provenance provenance_of(const ModelFolder& run, const std::optional<Config>& saved) {
  const std::string file = file_in(run.path, kProvenanceFile);
  Provenance now = provenance_now(run);
  if (!saved || !fs::exists(file)) return now;
  const Provenance before = Provenance::read(file);
  require_same_validation(*saved, run, before, now);
  const data::DataConfig& data = run.config.data;
  for (const CorpusSum& sum : changed_corpora(before.corpora, now.corpora)) {
    const std::string what =
        fmt::format("{}: has changed since the run in {} began", sum.path, run.path);
    if (decides(data, sum.path))
      throw UserError(what + "; restore it, or use --overwrite or another output");
    const bool of_test = sum.path == data.test.source || sum.path == data.test.target;
    log::warn(what + (of_test ? "; the test set is scored again" : ""));
  }
  return now;
}

bool has_scores(const std::optional<Config>& saved, const Config& config, const Provenance& now) {
  const std::string summary = file_in(config.output, kSummaryFile);
  return saved && fs::exists(summary) && changes(*saved, config).empty() &&
         changed_corpora(scored_corpora(summary), now.corpora).empty();
}

void write_config(const Config& config, const Provenance& provenance, int64_t updates, bool kept) {
  if (updates > config.training.updates)
    throw UserError(
        "training.updates: got {}, but the run in {} has made {} updates; set as many or more",
        config.training.updates, config.output, updates);
  if (!kept) {
    for (const char* old : {kSummaryFile, kTestTranslations}) {
      std::error_code ignored;
      fs::remove(fs::path(config.output) / old, ignored);
    }
  }
  write_atomic(file_in(config.output, kConfigFile), config::dump(config));
  write_atomic(file_in(config.output, kProvenanceFile), provenance.to_json());
  delete_put_aside(config.output);
}

}  // namespace heed::run
