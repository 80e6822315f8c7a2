#include "run/family.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <thread>

#include "base/error.h"
#include "base/files.h"
#include "base/log.h"
#include "base/machine.h"
#include "base/run_folder.h"
#include "base/signals.h"
#include "base/strings.h"
#include "base/subprocess.h"
#include "config/differences.h"
#include "config/io.h"
#include "config/suggest.h"
#include "data/config.h"
#include "model/description/config.h"
#include "model/description/traits.h"
#include "run/build.h"
#include "run/folder.h"
#include "run/launcher.h"
#include "run/model_folder.h"
#include "run/saved_config.h"
#include "run/summary.h"
#include "score/metrics.h"
#include "train/metrics_line.h"

namespace heed::run {

namespace fs = std::filesystem;

namespace {

/// Returns the settings that a system's name means where it has none of its own.
std::vector<std::string> settings_of(const std::string& name) {
  const auto& attentions = model::attention_names();
  if (name == "transformer") return {"model.type=transformer"};
  if (std::find(attentions.begin(), attentions.end(), name) != attentions.end())
    return {"model.type=rnn", "model.attention=" + name};
  return {};
}

/// A system with settings can be another model than its name says.
void tell_of_misleading_name(const FamilyMember& member) {
  const std::string kind = model::traits(member.config.model).name;
  const auto by_name = settings_of(member.name);
  if (by_name.empty() || kind == member.name) return;
  log::info(
      "{}: with its settings this is a model of the kind {}, although its name alone means {}",
      member.name, kind, join(by_name, ", "));
}

/// A system's name is that of its folder, beside the family's vocabulary. `before` has the others.
void check_name(const std::string& name, const std::vector<std::string>& before,
                const std::string& file) {
  if (std::ranges::find(before, name) != before.end())
    throw UserError("{}: systems: two are called '{}'; give each its own name", file, name);
  if (name.empty() || name == "." || name == ".." || name == "vocabulary" ||
      name.find('/') != std::string::npos)
    throw UserError(
        "{}: systems: '{}' cannot be a system's folder beside `vocabulary`; give it another name",
        file, name);
}

std::vector<SystemConfig> systems_of(const Config& config) {
  if (!config.systems.empty()) return config.systems;
  std::vector<SystemConfig> systems;
  for (const char* name : {"none", "bahdanau", "luong_general", "transformer"})
    systems.emplace_back().name = name;
  return systems;
}

std::string summary_of(const FamilyMember& member) {
  return file_in(member.folder, kSummaryFile);
}

/// Whether nothing is to be done for this member. Logs why where something is to be done again.
bool finished(const FamilyMember& member) {
  if (!fs::exists(summary_of(member))) return false;
  const auto changed = changes(saved_config(member.folder), member.config);
  if (!changed.empty()) {
    log::info(member.name +
              " goes on, its configuration has changed: " + config::differences_text(changed));
    return false;
  }
  std::vector<CorpusSum> test;
  for (const std::string& path : {member.config.data.test.source, member.config.data.test.target})
    if (!path.empty()) test.push_back(sum_of(path));
  const auto others = changed_corpora(scored_corpora(summary_of(member)), test);
  if (!others.empty())
    log::info("{} is scored again, {} has changed", member.name, others.front().path);
  return others.empty();
}

std::string vocabulary_folder(const Config& config) {
  return (fs::path(run_folder(config)) / "vocabulary").string();
}

/// Returns the settings by which a member uses the family's vocabulary.
std::vector<std::string> vocabulary_settings(const Config& config) {
  const std::string folder = vocabulary_folder(config);
  if (is_joint(config)) return {"data.vocabulary.source=" + file_in(folder, kJointVocabulary)};
  return {"data.vocabulary.source=" + file_in(folder, kSourceVocabulary),
          "data.vocabulary.target=" + file_in(folder, kTargetVocabulary)};
}

/// Returns the settings that a vocabulary depends on; all others have their defaults.
Config vocabulary_part(const Config& config) {
  Config part;
  part.seed = config.seed;
  part.data.vocabulary = config.data.vocabulary;
  part.data.train = config.data.train;
  for (data::CorpusFiles& corpus : part.data.train) {
    corpus.weight = 1;
    corpus.alignment.clear();
  }
  return part;
}

/// Checks that a system changes neither the vocabulary nor the test set, because all systems share
/// those of the family, and settings of their own would be lost.
void require_shared(const Config& family, const Config& system, const std::string& file,
                    const std::string& name) {
  for (const config::Difference& one : config::differences(family, system)) {
    if (one.path.starts_with("data.test"))
      throw UserError(
          "{}: systems: '{}' sets {}, and all systems are scored on one test set; set it for all",
          file, name, one.path);
    if (one.path.starts_with("data.vocabulary"))
      throw UserError(
          "{}: systems: '{}' sets {}, and all systems share one vocabulary; set it for all, or "
          "train the system by `heed train`",
          file, name, one.path);
  }
}

/// The config beside a vocabulary is written last, so that it stands for a whole one.
bool has_shared_vocabulary(const std::string& folder) {
  return has_vocabularies(folder) && fs::exists(fs::path(folder) / kConfigFile);
}

/// A vocabulary that is there already is of the same corpus and settings.
void require_same_vocabulary(const Config& config) {
  const std::string folder = vocabulary_folder(config);
  if (has_shared_vocabulary(folder))
    require_same_fixed(folder, vocabulary_part(saved_config(folder)), vocabulary_part(config));
}

/// Models of a family are compared, so what is in the folder of one is what the others have.
void require_shared_vocabulary(const Config& config, const std::string& member) {
  const std::string folder = vocabulary_folder(config);
  if (!has_shared_vocabulary(folder) || !has_vocabularies(member)) return;
  const bool joint = is_joint(config);
  const Vocabularies shared = load_vocabularies(folder, joint),
                     own = load_vocabularies(member, joint);
  const std::string cure = "restore it, or use --overwrite or another output";
  require_same_pieces("source", {folder, shared.source}, {member, own.source}, cure);
  require_same_pieces("target", {folder, shared.target}, {member, own.target}, cure);
}

/// The last event of a run's metrics.jsonl, as "1,200 2.31".
std::string progress_of(const FamilyMember& member) {
  std::ifstream file(fs::path(member.folder) / kMetricsFile, std::ios::ate);
  if (!file) return "starting";
  const std::streamoff size = file.tellg();
  file.seekg(std::max<std::streamoff>(0, size - 2048));
  std::string tail((std::istreambuf_iterator<char>(file)), {}), result = "starting";
  for (const std::string& line : split(tail, '\n')) {
    const auto event = train::parse_metrics(line);
    if (!event || event->event != "train") continue;
    const auto& loss = event->values[score::Metric::loss];
    result = fmt::format("{} updates, loss {}", event->update, loss ? fixed(*loss, 2) : "-");
  }
  return result;
}

struct Running {
  const FamilyMember* member;
  subprocess::Child child;
  std::chrono::steady_clock::time_point start;
};

std::string log_of(const FamilyMember& member) {
  return file_in(member.folder, "console.log");
}

Running start(const std::string& file, const FamilyMember& member, int64_t threads) {
  make_folder(member.folder);
  std::vector<std::string> command = {own_path(), "train", file};
  for (const std::string& setting : member.settings)
    command.insert(command.end(), {"--set", setting});
  command.insert(command.end(), {"--set", "threads=" + std::to_string(threads), "--resume"});
  log::info("training {} in {}, {}", member.name, member.folder, counted(threads, "thread"));
  return {&member, subprocess::start(command, log_of(member)), std::chrono::steady_clock::now()};
}

void show(const std::vector<Running>& running) {
  std::vector<std::string> parts;
  for (const Running& one : running)
    parts.push_back(one.member->name + " " + progress_of(*one.member));
  log::progress(join(parts, " | "));
}

void report_end(const Running& one, int status) {
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - one.start;
  log::clear_progress();
  if (status == 0)
    log::info(one.member->name + " trained in " + human_duration(elapsed.count()));
  else
    log::error("{} failed with exit code {}; see {}", one.member->name, status,
               log_of(*one.member));
}

}  // namespace

std::vector<FamilyMember> family(const std::string& file, const std::vector<std::string>& settings,
                                 const std::vector<std::string>& only) {
  require_no_stream(file, "each system");
  const Config config = load_config(file, settings);
  data::require_files(config.data, "heed bottleneck");
  std::vector<FamilyMember> members;
  std::vector<std::string> names;
  for (const SystemConfig& system : systems_of(config)) {
    check_name(system.name, names, file);
    names.push_back(system.name);
    if (!only.empty() && std::find(only.begin(), only.end(), system.name) == only.end()) continue;
    FamilyMember member{system.name, run_folder(config) + "/" + system.name, settings, {}};
    const auto own = system.set.empty() ? settings_of(system.name) : system.set;
    if (own.empty())
      throw UserError("{}: systems: '{}' is no model by itself; give it settings with `set`", file,
                      system.name);
    require_shared(config, with_settings(config, own), file, system.name);
    for (const auto& more : {own, vocabulary_settings(config)})
      member.settings.insert(member.settings.end(), more.begin(), more.end());
    member.settings.insert(member.settings.end(),
                           {"output=" + member.folder, "name=" + member.name});
    member.config = load_config(file, member.settings);  // says now what would fail in an hour
    tell_of_misleading_name(member);
    members.push_back(std::move(member));
  }
  for (const std::string& name : only)
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw UserError("--systems: no system '{}' in {}{}", name, file,
                      config::did_you_mean(name, names));
  return members;
}

std::vector<std::pair<std::string, Config>> systems_of(const std::vector<FamilyMember>& members) {
  std::vector<std::pair<std::string, Config>> systems;
  for (const FamilyMember& member : members) systems.emplace_back(member.name, member.config);
  return systems;
}

void require_same_family(const Config& config, const std::vector<FamilyMember>& members) {
  require_same_vocabulary(config);
  std::vector<CorpusSum> now;
  for (const FamilyMember& member : members) {
    const bool done = fs::exists(summary_of(member));
    if (!done && !has_begun(member.folder)) continue;
    require_same_fixed(member.folder, trained_config(member.folder), member.config);
    require_shared_vocabulary(config, member.folder);
    if (done && now.empty()) now = sums_of(config.data);
    for (const CorpusSum& sum : changed_corpora(scored_corpora(summary_of(member)), now))
      if (decides(member.config.data, sum.path))
        throw UserError(
            "{}: has changed since {} was trained; restore it, or use --overwrite or another "
            "output",
            sum.path, member.folder);
    const int64_t updates = done ? Summary::read(summary_of(member)).updates : 0;
    if (updates > member.config.training.updates)
      throw UserError(
          "{}: has made {} updates, and training.updates is {}; use --overwrite or another output",
          member.folder, updates, member.config.training.updates);
  }
}

void require_removable(const Config& config, const std::vector<FamilyMember>& members) {
  std::vector<std::string> removed{vocabulary_folder(config)};
  for (const FamilyMember& member : members)
    for (const std::string& path : paths_of_run(member.folder)) removed.push_back(path);
  require_spared(config, removed);
  for (const FamilyMember& member : members) {
    Config own = member.config;
    own.data.vocabulary = config.data.vocabulary;  // the family's is made anew
    require_spared(own, removed);
  }
}

void remove_family(const Config& config, const std::vector<FamilyMember>& members) {
  std::error_code ignored;
  fs::remove_all(vocabulary_folder(config), ignored);
  for (const FamilyMember& member : members) remove_run(member.folder);
}

Vocabularies share_vocabulary(const Config& config, const TrainedVocabularies& trained) {
  const std::string folder = vocabulary_folder(config);
  require_same_vocabulary(config);
  if (!has_shared_vocabulary(folder)) {
    make_folder(folder);
    save_vocabularies(make_vocabularies(config, trained), folder, is_joint(config));
    write_atomic(file_in(folder, kConfigFile), config::dump(config));
  }
  return load_vocabularies(folder, is_joint(config));
}

void train_family(const std::string& file, const std::vector<FamilyMember>& members, int64_t jobs) {
  const int64_t cores = available_cores();
  std::vector<const FamilyMember*> waiting;
  for (const FamilyMember& member : members)
    if (finished(member))
      log::info(member.name + " is trained already: " + member.folder);
    else
      waiting.push_back(&member);
  if (waiting.empty()) return;
  // All members count, trained or not: bits depend on the threads, and must not depend on what an
  // interruption has left to do.
  const int64_t wished = members.front().config.threads;
  const int64_t fitting = std::max<int64_t>(1, cores / std::max<int64_t>(1, wished));
  const int64_t together =
      std::min<int64_t>(jobs > 0 ? jobs : fitting, static_cast<int64_t>(members.size()));
  const int64_t threads = wished > 0 ? wished : std::max<int64_t>(1, cores / together);

  std::vector<Running> running;
  std::vector<std::string> failed;
  std::size_t next = 0;
  while (next < waiting.size() || !running.empty()) {
    while (next < waiting.size() && static_cast<int64_t>(running.size()) < together &&
           !signals::interrupted())
      running.push_back(start(file, *waiting[next++], threads));
    if (signals::interrupted()) {
      for (const Running& one : running) one.child.signal(SIGTERM);
      for (Running& one : running) one.child.wait();
      throw Failure(
          "interrupted; the same command, without --overwrite, goes on from the last checkpoints");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    show(running);
    std::erase_if(running, [&](Running& one) {
      const auto status = one.child.finished();
      if (status) report_end(one, *status);
      if (status && *status != 0) failed.push_back(log_of(*one.member));
      return status.has_value();
    });
  }
  log::clear_progress();
  if (!failed.empty())
    throw Failure("training failed; the last lines of {} say why", join(failed, " and "));
}

}  // namespace heed::run
