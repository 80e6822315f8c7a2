#include "apps/train/spool.h"

#include <algorithm>
#include <filesystem>
#include <future>
#include <vector>

#include "apps/shared/run_config.h"
#include "base/error.h"
#include "base/files.h"
#include "base/lock.h"
#include "base/log.h"
#include "text/spool.h"

namespace heed {

namespace fs = std::filesystem;

namespace {

void require_distinct(const std::vector<CorpusFile>& streams) {
  for (std::size_t i = 0; i < streams.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      if (*streams[i].path == *streams[k].path)
        throw UserError(streams[k].key + ", " + streams[i].key + ": '" + *streams[i].path +
                        "' can be read only once; save one of them to a file");
}

}  // namespace

void spool_corpora(Config& config, const Wish& wish) {
  const fs::path folder = config.output;
  std::vector<CorpusFile> streams = corpus_files(config.data);
  std::erase_if(streams, [](const CorpusFile& file) { return !text::is_stream(*file.path); });
  if (streams.empty()) return;
  require_distinct(streams);
  if (wish.resume && has_begun(config.output)) {
    for (const CorpusFile& stream : streams) {
      const std::string kept = (folder / stream.name).string();
      if (!fs::exists(kept))
        throw UserError(stream.key + ": '" + *stream.path + "' is not read again, and " + kept +
                        ", where the run had kept it, is missing; restore it, or use --overwrite "
                        "or another output");
      log::info(stream.key + ": " + kept + ", as the run began with it; '" + *stream.path +
                "' is not read");
      *stream.path = kept;
    }
    return;
  }
  make_folder(config.output);
  const FolderLock lock(config.output, "heed train");
  lock.remove_left_overs();
  require_no_older_run(config.output, wish);
  // All at once: who writes into several FIFOs may do so line by line.
  std::vector<std::future<void>> reading;
  for (const CorpusFile& stream : streams) {
    const std::string from = *stream.path, kept = (folder / stream.name).string();
    log::info(stream.key + ": reading '" + from + "' into " + kept);
    reading.push_back(std::async(std::launch::async, [=] { text::spool(from, kept); }));
    *stream.path = kept;
  }
  for (auto& one : reading) one.get();
}

void remove_kept(const Config& config) {
  data::DataConfig data = config.data;
  const std::vector<CorpusFile> files = corpus_files(data);
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(config.output, none)) {
    if (!is_kept_corpus(entry.path().filename().string())) continue;
    const bool named = std::ranges::any_of(files, [&](const CorpusFile& file) {
      return fs::equivalent(*file.path, entry.path(), none);
    });
    if (!named) fs::remove(entry.path(), none);
  }
}

std::vector<std::string> kept_corpora(const Config& config) {
  data::DataConfig data = config.data;
  std::vector<std::string> settings;
  for (const CorpusFile& file : corpus_files(data))
    if (*file.path == (fs::path(config.output) / file.name).string())
      settings.push_back(file.key + "=" + *file.path);
  return settings;
}

}  // namespace heed
