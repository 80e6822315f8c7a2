#include "run/preparation.h"

#include <ATen/Parallel.h>
#include <sys/stat.h>
#include <torch/version.h>

#include <fstream>
#include <future>

#include "base/event_file.h"
#include "base/files.h"
#include "base/log.h"
#include "base/run_folder.h"
#include "base/strings.h"
#include "config/io.h"
#include "run/build.h"
#include "run/launcher.h"

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

/// What is aside: the new run begins.
void delete_put_aside(const std::string& folder) {
  // Under another name first: what a kill leaves of it is no run to put back.
  const fs::path deleted = fs::path(folder) / ".heed.deleted";
  std::error_code ignored;
  fs::remove_all(deleted, ignored);
  if (!is_there(place_aside(folder))) return;
  fs::rename(place_aside(folder), deleted, ignored);
  fs::remove_all(deleted, ignored);
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

const std::string& made(const std::string& folder) {
  make_folder(folder);
  return folder;
}

/// Files that StreamedCorpora::read() has put there have their later names, for .tsv says what is
/// in one.
fs::path streams_of(const std::string& folder) {
  return fs::path(folder) / ".heed.streams";
}

/// Corpora in .heed.streams/ that the config names become those that the run keeps, and the config
/// names them so.
void name_streams(Config& config) {
  for (const CorpusFile& file : corpus_files(config.data)) {
    if (*file.path != (streams_of(config.output) / file.name).string()) continue;
    const std::string kept = (fs::path(config.output) / file.name).string();
    std::error_code error;
    fs::rename(*file.path, kept, error);
    if (error) throw Failure(kept + ": cannot write: " + error.message());
    *file.path = kept;
  }
}

/// Deletes what a command that was killed has left there.
void remove_old_streams(const std::string& folder) {
  std::error_code ignored;
  fs::remove_all(streams_of(folder), ignored);
}

/// "model name" of the first core; empty where the system does not say.
std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return std::string(trim(line.substr(line.find(':') + 1)));
  return "";
}

std::string own_command() {
  std::vector<std::string> words;
  std::string bytes = read_file("/proc/self/cmdline");
  if (bytes.ends_with('\0')) bytes.pop_back();
  for (const std::string& word : split(bytes, '\0')) words.push_back(shell_word(word));
  return join(words, " ");
}

/// Of the run that this process is about to make or to go on with. Reads every corpus once.
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

/// Two names of one pipe or terminal, too, which fs::equivalent() does not compare.
bool is_same_stream(const std::string& one, const std::string& other) {
  const auto look = [](const std::string& name, struct stat& found) {
    return ::stat(name == "-" ? "/dev/stdin" : name.c_str(), &found) == 0;
  };
  struct stat a {
  }, b{};
  return one == other ||
         (look(one, a) && look(other, b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino);
}

void require_distinct(const std::vector<CorpusFile>& streams) {
  for (std::size_t i = 0; i < streams.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      if (is_same_stream(*streams[i].path, *streams[k].path))
        throw UserError("{}, {}: '{}' can be read only once; save one of them to a file",
                        streams[k].key, streams[i].key, *streams[k].path);
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

void require_no_older_run(const std::string& folder, const ExistingRun& existing) {
  if (existing.overwrite) return;
  if (holds_run(folder) && !existing.resume)
    throw UserError(folder +
                    ": holds a run already; --resume goes on with it, --overwrite starts again");
  if (fs::exists(fs::path(folder) / kWeightsFile) && !has_begun(folder))
    throw UserError(folder +
                    ": holds a model and no checkpoint to go on from; --overwrite starts again");
}

std::optional<Config> resumed_config(Config& wanted, const ExistingRun& existing) {
  if (!existing.resume || !has_begun(wanted.output)) return std::nullopt;
  Config saved = trained_config(wanted.output);
  saved.training.micro_batches = train::parts_per_batch(saved.training);  // 0 in older versions
  wanted = decided_as(saved, wanted);
  require_same_fixed(wanted.output, saved, wanted);
  return saved;
}

Preparation::Preparation(Config& config, const ExistingRun& existing,
                         const std::optional<Config>& saved)
    : lock_(made(config.output), "heed train") {
  lock_.remove_left_overs();
  remove_old_meetings(config.output);
  require_no_older_run(config.output, existing);
  if (existing.overwrite) {
    put_aside(config);
    older_.emplace(config.output);
  }
  remove_old_streams(config.output);
  log::add_file(file_in(config.output, kLogFile));
  if (!saved) return;
  if (const auto changed = config::differences(*saved, config); !changed.empty())
    log::info("the run goes on with another configuration: " + config::differences_text(changed));
}

Vocabularies folder_vocabularies(const Config& config, const std::string& folder) {
  const bool joint = is_joint(config);
  if (!has_begun(folder) || !has_vocabularies(folder))
    save_vocabularies(make_vocabularies(config), folder, joint);
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

StreamedCorpora::~StreamedCorpora() {
  std::error_code ignored;
  if (!aside_.empty()) fs::remove_all(aside_, ignored);
}

void StreamedCorpora::read(Config& config, const ExistingRun& existing) {
  const fs::path folder = config.output;
  std::vector<CorpusFile> streams = corpus_files(config.data);
  std::erase_if(streams, [](const CorpusFile& file) { return !text::is_stream(*file.path); });
  if (streams.empty()) return;
  require_distinct(streams);
  if (existing.resume && has_begun(config.output)) {
    Config saved = saved_config(config.output);
    const std::vector<CorpusFile> known = corpus_files(saved.data);
    for (const CorpusFile& stream : streams) {
      const std::string kept = (folder / stream.name).string();
      const auto is_it = [&](const CorpusFile& file) {
        return file.key == stream.key && fs::path(*file.path).filename() == stream.name;
      };
      if (std::ranges::none_of(known, is_it))
        throw UserError("{}: '{}': a run that goes on reads no stream; save it to a file",
                        stream.key, *stream.path);
      if (!fs::exists(kept))
        throw UserError(
            "{}: '{}' is not read again, and {}, where the run had kept it, is missing; restore "
            "it, or use --overwrite or another output",
            stream.key, *stream.path, kept);
      log::info("{}: {}, as the run began with it; '{}' is not read", stream.key, kept,
                *stream.path);
      *stream.path = kept;
    }
    return;
  }
  make_folder(config.output);
  const FolderLock lock(config.output, "heed train");
  lock.remove_left_overs();
  require_no_older_run(config.output, existing);
  const fs::path place = existing.overwrite ? streams_of(config.output) : folder;
  if (existing.overwrite) {
    remove_old_streams(config.output);
    aside_ = place.string();
    make_folder(aside_);
  }
  // All at once: who writes into several FIFOs may do so line by line.
  std::vector<std::future<void>> reading;
  for (const CorpusFile& stream : streams) {
    const std::string from = *stream.path, to = (place / stream.name).string();
    log::info("{}: reading '{}' into {}", stream.key, from, (folder / stream.name).string());
    reading.push_back(std::async(std::launch::async, [=, key = stream.key] {
      try {
        text::spool(from, to);
      } catch (const std::exception& error) {
        // Now, and again at the end: another stream may take hours.
        if (streams.size() > 1) log::error(key + ": " + error.what());
        throw;
      }
    }));
    *stream.path = to;
  }
  for (auto& one : reading) one.get();
}

std::vector<std::string> kept_corpora(const Config& config) {
  data::DataConfig data = config.data;
  std::vector<std::string> settings;
  for (const CorpusFile& file : corpus_files(data))
    if (*file.path == (fs::path(config.output) / file.name).string())
      settings.push_back(file.key + "=" + *file.path);
  return settings;
}

}  // namespace heed::run
