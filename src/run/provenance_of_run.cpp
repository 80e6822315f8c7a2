// What heed finds out about the run, the program and the machine.
#include <ATen/Parallel.h>
#include <torch/version.h>

#include <algorithm>
#include <fstream>
#include <string_view>

#include "base/files.h"
#include "base/strings.h"
#include "data/cleaning.h"
#include "model/device.h"
#include "run/binding.h"
#include "run/commit.h"
#include "run/model_folder.h"
#include "run/provenance.h"

namespace heed::run {

namespace {

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

}  // namespace

std::vector<CorpusSum> sums_of(const data::DataConfig& data) {
  std::vector<CorpusSum> sums;
  for (const auto& [key, corpus] : data::corpora_of(data))
    for (const std::string& path : {corpus->source, corpus->target, corpus->alignment})
      if (!path.empty()) sums.push_back(sum_of(path));
  return sums;
}

bool decides(const data::DataConfig& data, const std::string& path) {
  const bool overlap = data::leaves_out(data, data::Flaw::overlap);
  return std::ranges::any_of(data::corpora_of(data), [&](const auto& named) {
    const auto& [key, files] = named;
    const bool free = key.starts_with("data.more_valid") || (key == "data.test" && !overlap);
    return !free && (path == files->source || path == files->target || path == files->alignment);
  });
}

Provenance Provenance::of(const ModelFolder& run) {
  return {.heed = HEED_VERSION,
          .commit = ::heed::commit(),
          .libtorch = TORCH_VERSION,
          .processor = processor_name(),
          .device = run.device.str(),
          .precision = model::precision_name(run.precision),
          .threads = at::get_num_threads(),
          .command = own_command(),
          .corpora = sums_of(run.config.data),
          .vocabularies = fingerprints({run.source, run.target}, is_joint(run.config))};
}

}  // namespace heed::run
