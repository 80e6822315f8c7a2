#include "run/saved_config.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <map>
#include <system_error>

#include "base/error.h"
#include "base/event_file.h"
#include "base/files.h"
#include "base/random.h"
#include "base/run_folder.h"
#include "base/shell_names.h"
#include "base/strings.h"
#include "config/io.h"
#include "config/schema.h"
#include "data/config.h"
#include "data/flaws.h"
#include "decode/search/config.h"
#include "train/config.h"

namespace heed::run {

namespace fs = std::filesystem;

namespace {

Config without_circumstances(Config config) {
  const Config plain;
  config.name = plain.name;
  config.output = plain.output;
  config.device = plain.device;
  config.threads = plain.threads;
  config.systems.clear();
  return config;
}

/// Returns the paths of all files that a run is made of; the keys of corpora that it lacks are left
/// out.
std::map<std::string, std::string*> paths_in(Config& config) {
  std::map<std::string, std::string*> paths = {
      {"data.vocabulary.source", &config.data.vocabulary.source},
      {"data.vocabulary.target", &config.data.vocabulary.target},
      {"training.from", &config.training.from}};
  for (const auto& [key, corpus] : data::corpora_of(config.data)) {
    paths[key + ".source"] = &corpus->source;
    paths[key + ".target"] = &corpus->target;
    paths[key + ".alignment"] = &corpus->alignment;
  }
  std::erase_if(paths, [](const auto& path) { return path.second->empty(); });
  return paths;
}

/// `config` with the paths of `other` where both have one.
Config with_paths_of(Config other, Config config) {
  const auto paths = paths_in(other);
  for (const auto& [key, path] : paths_in(config))
    if (const auto found = paths.find(key); found != paths.end()) *path = *found->second;
  return config;
}

/// Whether `path` is `folder`, which may be a file, or is inside it, by whatever link. Neither need
/// be there.
bool lies_in(const std::string& path, const std::string& folder) {
  std::error_code none;
  const fs::path there = fs::weakly_canonical(folder, none);
  for (fs::path at = fs::weakly_canonical(path, none); at.has_relative_path();
       at = at.parent_path())
    if (at == there || fs::equivalent(at, there, none)) return true;
  return false;
}

/// Returns all files that `heed train` writes, and those that are in its folders now, because a
/// link may lead there.
std::vector<std::string> files_of_run(const fs::path& run) {
  std::vector<std::string> files = paths_of_run(run.string());
  std::error_code none;
  for (const std::string& name : names_in(run.string()))
    if (is_event_file(name)) files.push_back((run / name).string());
  for (const std::string& path : paths_of_run(run.string()))  // some are folders
    for (const fs::directory_entry& entry : fs::directory_iterator(path, none))
      files.push_back(entry.path().string());
  return files;
}

void require_not_of_run(const std::string& output, const fs::path& run) {
  std::error_code none;
  if (!fs::exists(run / kConfigFile, none) || !holds_run(run.string())) return;
  const auto is_it = [&](const std::string& file) { return lies_in(output, file); };
  if (std::ranges::any_of(files_of_run(run), is_it))
    throw UserError(
        "{}: belongs to the run in {}, whose files only `heed train` writes; name another file",
        output, run.string());
}

/// Returns the paths of an argument: also the folders of an ensemble, and the file of NAME=FILE.
std::vector<std::string> paths_in_argument(const std::string& argument) {
  std::vector<std::string> paths = split(argument, ',');
  paths.push_back(argument);
  if (const std::size_t equals = argument.find('='); equals != std::string::npos)
    paths.push_back(argument.substr(equals + 1));
  return paths;
}

constexpr std::size_t kNamedRuns = 5;  // in a message

/// Returns the paths of the models in a folder, sorted; "" is the working folder.
std::vector<std::string> runs_in(const std::string& folder) {
  std::vector<std::string> runs;
  for (const std::string& name : names_in(folder.empty() ? "." : folder)) {
    const fs::path run = fs::path(folder) / name;
    if (fs::exists(run / kConfigFile) && fs::exists(run / kWeightsFile))
      runs.push_back(run.string());
  }
  std::ranges::sort(runs);
  return runs;
}

/// Returns "; did you mean 'runs/demo'?" for 'runs/dmeo', or "".
std::string hint_of_model(const std::string& path) {
  if (const std::string unexpanded = shell_hint(path); !unexpanded.empty()) return unexpanded;
  const std::string near = nearest_spelling(path, runs_in(fs::path(path).parent_path().string()));
  return near.empty() ? "" : fmt::format("; did you mean '{}'?", near);
}

}  // namespace

bool holds_run(const std::string& folder) {
  return fs::exists(fs::path(folder) / kWeightsFile) || fs::exists(fs::path(folder) / kCheckpoints);
}

std::vector<std::string> model_paths(const std::string& paths) {
  std::error_code none;
  if (fs::is_directory(paths, none)) return {paths};  // a run may have a comma in its name
  const std::vector<std::string> all = split(paths, ',');
  if (all.size() > 1 && std::ranges::count(all, "") > 0)
    throw UserError("'{}': a comma without a model folder before or after it", one_line(paths));
  return all;
}

std::string named_models(const std::string& paths) {
  const auto is_here = [](const std::string& path) {
    std::error_code none;
    return path.empty() || path.find('/') != path.npos || fs::exists(path, none);
  };
  std::error_code none;
  if (fs::exists(paths, none)) return paths;  // also one with commas in its name
  std::vector<std::string> all = split(paths, ',');
  for (std::string& path : all)
    if (const std::string run = "runs/" + path; !is_here(path) && holds_run(run)) path = run;
  return join(all, ",");
}

void require_model_folder(const std::string& path) {
  if (!fs::exists(path)) throw UserError("{}: no such model folder{}", path, hint_of_model(path));
  if (!fs::is_directory(path)) {
    const fs::path folder = parent_folder(path);
    if (fs::exists(folder / kConfigFile) && holds_run(folder.string()))
      throw UserError("{}: is a file of a model; give the model's folder, {}", path,
                      shell_path(folder.string()));
    throw UserError(
        "{}: is a file; the model comes first, and is a folder that `heed train` or `heed import` "
        "wrote",
        path);
  }
  if (!fs::exists(fs::path(path) / kConfigFile)) {
    std::vector<std::string> runs = runs_in(path);
    if (!runs.empty()) {
      const std::size_t all = runs.size();
      if (all > kNamedRuns) runs.resize(kNamedRuns);
      throw UserError("{}: is a folder of {}; give one of them: {}{}", path, counted(all, "model"),
                      join(runs, ", "), all > kNamedRuns ? ", ..." : "");
    }
    throw UserError(
        "{}: not a model folder, it has no config.yaml; give a folder that `heed train` wrote, or "
        "make one of another program's model by `heed import`",
        path);
  }
  if (!fs::exists(fs::path(path) / kWeightsFile))
    throw UserError(
        path + ": has no model.safetensors; its training has not reached a first validation yet");
}

std::vector<std::string> paths_of_run(const std::string& folder) {
  std::vector<std::string> paths;
  for (const char* name : {kCheckpoints, kConfigFile, kProvenanceFile, kWeightsFile, kMetricsFile,
                           kLogFile, kSummaryFile, kValidations, kJointVocabulary,
                           kSourceVocabulary, kTargetVocabulary, kTestTranslations})
    paths.push_back(file_in(folder, name));
  return paths;
}

void remove_run(const std::string& folder) {
  for (const std::string& path : paths_of_run(folder)) {
    std::error_code error;
    fs::remove_all(path, error);
    if (error) throw Failure(path + ": cannot delete it: " + error.message());
  }
  remove_event_files(folder);
}

void require_spared(const Config& config, const std::vector<std::string>& paths) {
  Config named = config;
  for (const auto& [key, path] : paths_in(named)) {
    const std::string file = key == "training.from" ? file_in(*path, kWeightsFile) : *path;
    if (std::ranges::any_of(paths, [&](const std::string& one) { return lies_in(file, one); }))
      throw UserError("{}: {}: --overwrite would delete it before it is read; name another output",
                      key, *path);
  }
}

void require_harmless(const std::string& output, const std::vector<std::string>& named) {
  std::error_code none;
  if (fs::is_other(output, none)) return;  // a pipe or a device loses nothing
  for (const std::string& argument : named)
    for (const std::string& path : paths_in_argument(argument)) {
      if (path.empty()) continue;
      require_not_of_run(output, path);
      require_not_read(output, {path});
    }
  // A model that the command does not read is no less of value.
  fs::path folder = fs::weakly_canonical(output, none);
  while (folder.has_relative_path()) require_not_of_run(output, folder = folder.parent_path());
}

void require_file_elsewhere(const std::string& file, const std::string& folder) {
  std::error_code none;
  if (fs::equivalent(file, fs::path(folder) / kConfigFile, none))
    throw UserError(
        "{}: the new run in {} writes its own config.yaml over it; move it to another folder, or "
        "name another output",
        file, folder);
}

void require_own_files(const std::string& folder) {
  if (holds_run(folder) || fs::exists(fs::path(folder) / kLogFile)) return;
  for (const std::string& path : paths_of_run(folder))
    if (fs::exists(path))
      throw UserError(path +
                      ": is there, and train.log of a run is not; the new run would replace it; "
                      "move it away, or name another output");
}

Config saved_config(const std::string& folder) {
  const std::string path = file_in(folder, kConfigFile);
  if (!fs::exists(path))
    throw UserError(
        "{}: is missing, and says what the run in {} is; write it with `heed config`, or use "
        "--overwrite or another output{}",
        path, folder, shell_hint(folder));
  require_regular(path);
  Config config;
  config::load_file(config, path);
  return config;
}

Config decided_as(const Config& saved, Config config) {
  int64_t& parts = config.training.micro_batches;
  if (parts == 0) parts = saved.training.micro_batches;
  // -1 and the number that it stands for are the same.
  if (train::warmup_updates(saved.training) == train::warmup_updates(config.training))
    config.training.warmup = saved.training.warmup;
  const bool decided =
      saved.precision == Precision::auto_fp32 || saved.precision == Precision::auto_bf16;
  if (config.precision == Precision::auto_ && decided) config.precision = saved.precision;
  decode::WeightType& weights = config.decoding.weights;
  if (weights == decode::WeightType::auto_ && decode::is_chosen(saved.decoding.weights))
    weights = saved.decoding.weights;
  return config;
}

void require_same_fixed(const std::string& folder, const Config& saved, const Config& config) {
  const bool overlap = data::leaves_out(config.data, data::Flaw::overlap);
  const Config file = saved_config(folder);
  const Config trained = with_paths_of(file, saved);
  std::vector<std::string> wrong;
  for (const config::Difference& one : config::differences(trained, decided_as(saved, config))) {
    const bool test = one.path == "data.test.source" || one.path == "data.test.target";
    if (one.on_resume == config::OnResume::fixed)
      wrong.push_back(fmt::format("{}: {} (wanted: {})", one.path, one.before, one.after));
    else if (overlap && test)
      wrong.push_back(
          fmt::format("{}: {} (wanted: {}; data.clean: overlap leaves out training pairs by it)",
                      one.path, one.before, one.after));
  }
  if (wrong.empty()) return;
  const bool edited =
      std::ranges::any_of(config::differences(trained, file), [&](const config::Difference& one) {
        return std::ranges::any_of(
            wrong, [&](const std::string& text) { return text.starts_with(one.path + ": "); });
      });
  throw UserError(
      "{}{}{}, which is fixed once a run has begun; {}use --overwrite or another output",
      file_in(folder, kConfigFile), edited ? " was edited: the run was trained with " : " has ",
      join(wrong, ", "), edited ? "set it back, or " : "");
}

std::vector<config::Difference> changes(const Config& saved, const Config& config) {
  return config::differences(without_circumstances(saved),
                             without_circumstances(decided_as(saved, config)));
}

uint64_t checksum(const Config& config) {
  uint64_t sum = 0;
  for (const char byte : config::dump(without_circumstances(config)))
    sum = mix({sum, static_cast<uint64_t>(byte)});
  return sum;
}

}  // namespace heed::run
