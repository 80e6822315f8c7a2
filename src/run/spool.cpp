#include "run/spool.h"

#include <sys/stat.h>

#include <filesystem>
#include <future>

#include "base/files.h"
#include "base/log.h"
#include "run/folder.h"
#include "run/saved_config.h"

namespace heed::run {

namespace fs = std::filesystem;

namespace {

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

/// Files have their later names there, for .tsv says what is in one.
fs::path streams_of(const std::string& folder) {
  return fs::path(folder) / ".heed.streams";
}

}  // namespace

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

void remove_old_streams(const std::string& folder) {
  std::error_code ignored;
  fs::remove_all(streams_of(folder), ignored);
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
