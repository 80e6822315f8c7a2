// heed train CONFIG: vocabulary, data, model, training, and the final test score, into one folder.
// heed train FOLDER --resume: goes on with the run in it.
#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <torch/version.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "apps/commands.h"
#include "apps/shared/base_model.h"
#include "apps/shared/binding.h"
#include "apps/shared/config.h"
#include "apps/shared/corpora.h"
#include "apps/shared/model_folder.h"
#include "apps/shared/rank_processes.h"
#include "apps/shared/run_check.h"
#include "apps/shared/run_config.h"
#include "apps/shared/run_summary.h"
#include "apps/shared/together.h"
#include "apps/shared/training_run.h"
#include "apps/train/folder.h"
#include "apps/train/older_run.h"
#include "apps/train/scores.h"
#include "apps/train/spool.h"
#include "base/error.h"
#include "base/files.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/random.h"
#include "base/signals.h"
#include "base/strings.h"
#include "config/io.h"
#include "data/batches.h"
#include "data/corpus.h"
#include "model/device.h"
#include "model/model.h"
#include "ranks/board.h"
#include "ranks/group.h"
#include "train/trainer.h"

namespace heed {

namespace fs = std::filesystem;

namespace {

struct TrainArgs {
  std::string config;
  std::vector<std::string> settings;
  Wish wish;
  int64_t ranks = 1, restarts = 0, rank_timeout = 120;
};

/// Of a YAML file, or of a run's folder, which goes on as it is. Names the folder of the run. The
/// `first` process puts an older run back there that a killed --overwrite has left aside.
Config wanted_config(const TrainArgs& args, bool first) {
  std::error_code none;
  if (!fs::is_directory(args.config, none)) {
    Config config = load_config(args.config, args.settings);
    config.output = run_folder(config);
    if (first) restore_older_run(config.output);
    return config;
  }
  const std::string folder = args.config, file = (fs::path(folder) / "config.yaml").string();
  if (!args.wish.resume)
    throw UserError(folder + ": is a folder; `heed train " + shell_path(folder) +
                    " --resume` goes on with the run in it");
  if (first) restore_older_run(folder);
  if (!fs::exists(file) || !has_begun(folder))
    throw UserError(folder +
                    ": holds no run to go on with; it has no config.yaml or no checkpoint");
  const Config saved = load_config(file, {});
  Config config = load_config(file, args.settings);
  if (config.output != saved.output)
    throw UserError(
        "--set output: the run in " + folder +
        " goes on where it is; another output needs a YAML file in place of the folder");
  find_kept_corpora(config, folder);
  std::error_code moved;
  if (!fs::equivalent(saved.output, folder, moved)) config.output = folder;
  return config;
}

std::vector<data::Batch> validation_batches(const ModelFolder& folder,
                                            const data::CorpusFiles& files) {
  if (files.source.empty()) return {};
  const Config& config = folder.config;
  const data::CorpusReading reading = validation_reading(config);
  const auto corpus = data::Corpus::read({files}, folder.source, folder.target, reading);
  if (const data::Notice& dropped = corpus.reports().front().dropped; dropped.count > 0)
    log::warn(files.source + ": left out of the loss, longer than the " +
              counted(reading.max_length, "piece") + " of " + reading.limit + ": " +
              dropped.text());
  if (config.training.batch_type != train::BatchType::tokens)
    return data::fixed_batches(corpus, 4096);
  // A GPU that has memory for a part of a training batch may not have it for a whole one.
  const int64_t parts = folder.device.is_cpu() ? 1 : train::parts_per_batch(config.training);
  return data::fixed_batches(corpus, std::max<int64_t>(1, config.training.batch_size / parts));
}

std::vector<train::ValidationSet> further_sets(const ModelFolder& folder, ranks::Group& group) {
  std::vector<train::ValidationSet> sets;
  for (const data::CorpusFiles& files : folder.config.data.more_valid)
    sets.push_back(
        {files.name, validation_batches(folder, files), scores_of(folder, files, group)});
  return sets;
}

void log_start(const ModelFolder& folder, const ranks::Place& place) {
  const Config& config = folder.config;
  const bool rnn = config.model.type == model::ModelType::rnn;
  log::info("heed " HEED_VERSION ", LibTorch " TORCH_VERSION ", seed " +
            std::to_string(config.seed));
  log::info(
      "model " + (rnn ? "rnn, attention " + config.model.attention : std::string("transformer")) +
      ", " + human_count(static_cast<double>(model::count_parameters(*folder.model))) +
      " parameters, " + folder.device.str() + ", " + counted(at::get_num_threads(), "thread") +
      ", " + model::precision_name(folder.precision) +
      (place.alone() ? "" : ", " + std::to_string(place.size) + " ranks of these"));
  if (config.training.guided_alignment == 0 && data::has_alignment(config.data))
    log::warn("data.train.alignment is not used: training.guided_alignment is 0");
  if (config.deterministic)
    at::globalContext().setDeterministicAlgorithms(true, /*warn_only=*/false);
}

/// As the first rank has it, which alone knows what an older part of the run has decided.
void decide_parts_together(Config& config, const at::Device& device, ranks::Group& group) {
  int64_t& parts = config.training.micro_batches;
  const bool open = parts == 0;
  decide_parts(config, device, group.size());
  parts = group.broadcast(parts);
  if (open && group.leads())
    log::info(
        "training.micro_batches: " + std::to_string(parts) +
        (device.is_cpu() ? ", by training.batch_size" : ", a part of an update for each GPU"));
}

/// One rank of a run, or a run alone. The first `check`s before it takes the folder; what that
/// finds belongs into the run's log.
void train_here(const TrainArgs& args, Config config, const ranks::Place& place,
                const std::function<RunCheck(const Config&)>& check) {
  const std::string folder = config.output;
  std::optional<Config> saved;
  std::optional<Preparation> preparation;
  const auto prepare = [&] {
    saved = resumed_config(config, args.wish);
    const RunCheck found = check(config);
    preparation.emplace(config, args.wish, saved);
    found.tell();
  };
  // Ranks of a launcher meet before, for large corpora are checked longer than they look for each
  // other. The first one says in the folder where it is.
  const bool launched = !place.alone() && place.meeting != ranks::Meeting::file;
  if (!place.leads()) {
    log::set_origin("rank " + std::to_string(place.rank));
    log::set_quiet();
  } else if (launched) {
    make_folder(folder);
  } else {
    prepare();
  }
  const at::Device device = model::open_device(device_of_rank(config.device, place));
  ranks::Group group(
      place,
      {.device = device, .timeout = std::chrono::seconds(args.rank_timeout), .folder = folder});
  use_threads(threads_of_rank(config.threads, group, place));
  if (launched && group.leads()) prepare();
  const ranks::Board board(place.folder, place.size);
  data::HygieneReport hygiene;
  if (group.leads()) {
    log::progress("reading the corpora");
    hygiene = report_corpora(config.data);
    folder_vocabularies(config, folder);
    group.leave("vocabularies", folder);
  } else {
    group.await("vocabularies");
  }
  decide_parts_together(config, device, group);
  const Vocabularies vocabularies = load_vocabularies(folder, is_joint(config));
  const bool goes_on = group.broadcast(saved.has_value());

  ModelFolder run = fresh_model(std::move(config), folder, vocabularies, device);
  if (!run.config.training.from.empty() && !goes_on) take_base_weights(run);
  log_start(run, place);
  std::optional<Provenance> provenance;
  group.take_time([&] {  // reads the corpora
    if (group.leads()) provenance = provenance_of(run, saved);
  });
  const bool scored = provenance && has_scores(saved, run.config, *provenance);
  const auto corpus = training_corpus(run, group);
  if (group.leads())
    for (const std::string& line : split(corpus->report(), '\n'))
      if (!line.empty()) log::info(line);
  signals::install();
  const train::TrainResult result = train::train(
      {.model = run.model,
       .another = another_model(run),
       .config = run.config.training,
       .device = run.device,
       .precision = run.precision,
       .folder = folder,
       .seed = static_cast<uint64_t>(run.config.seed),
       .width = run.config.model.type == model::ModelType::transformer
                    ? run.config.model.width
                    : run.config.model.hidden_size,
       .corpus = corpus,
       .batches = batch_options(run.config),
       .validation = validation_batches(run, run.config.data.valid),
       .scores = scores_of(run, run.config.data.valid, group),
       .further = further_sets(run, group),
       .begins = [&](int64_t updates) { write_config(run.config, *provenance, updates, scored); },
       .group = &group,
       .checksum = mix({checksum(run.config), corpus->fingerprint()}),
       .updated = [&](int64_t update) { board.show(place.rank, update); },
       .resume = args.wish.resume,
       .metadata = binding_of(run.config, vocabularies),
       .configuration = config::dump(run.config)});
  // Of the ranks that this program has started one speaks for all.
  const bool is_spoken_for = !group.leads() && place.meeting == ranks::Meeting::file;
  if (result.stopped == train::StopReason::interrupted && is_spoken_for) return;
  if (result.stopped == train::StopReason::interrupted) {
    if (group.leads()) board.show_interruption();
    throw Failure("interrupted at update " + std::to_string(result.updates) +
                  ", everything is saved; `heed train " + shell_path(folder) +
                  " --resume` goes on from there");
  }
  log::info(result.reason());
  const bool has_all = group.broadcast(scored);
  if (result.stopped == train::StopReason::nothing_to_do && has_all) return;
  const std::vector<std::string> scores = score_test(run, group);
  const BaseScores base = score_base(run, group);
  if (!group.leads()) return;
  RunSummary summary{.parameters = model::count_parameters(*run.model),
                     .updates = result.updates,
                     .minutes = result.minutes,
                     .tokens_per_second = result.tokens_per_second,
                     .validation_loss = result.loss_of_best,
                     .validation_bleu = result.bleu_of_best,
                     .stop_reason = result.reason(),
                     .test_scores = scores,
                     .base_before = base.before,
                     .base_after = base.after};
  write_atomic((fs::path(folder) / "summary.json").string(), summary.to_json(*provenance, hygiene));
  log::info("done: heed translate " + shell_path(folder));
}

/// The command line of one rank; with `again`, of one that goes on.
std::vector<std::string> rank_command(const TrainArgs& args, const Config& config, bool again) {
  std::vector<std::string> command = {own_path(), "train", args.config};
  for (const std::string& setting : args.settings)
    command.insert(command.end(), {"--set", setting});
  for (const std::string& setting : kept_corpora(config))
    command.insert(command.end(), {"--set", setting});
  command.insert(command.end(), {"--rank-timeout", std::to_string(args.rank_timeout)});
  if (args.wish.resume || again) command.push_back("--resume");
  return command;
}

/// In processes of this machine, which this one starts; they do not repeat the check.
void train_in_ranks(const TrainArgs& args, Config config, const RunCheck& found) {
  make_folder(config.output);
  signals::install();
  try {
    {
      const FolderLock lock(config.output, "heed train");
      // Here: ranks that start again before one of them had done it would go on with the older run.
      if (args.wish.overwrite) put_aside(config);
      log::add_file((fs::path(config.output) / "train.log").string());
      found.tell();
      log::close_files();
    }
    run_ranks({.command = rank_command(args, config, false),
               .again = rank_command(args, config, true),
               .ranks = args.ranks,
               .restarts = args.restarts});
  } catch (...) {
    if (args.wish.overwrite) restore_older_run(config.output);
    throw;
  }
}

void train_command(const TrainArgs& args) {
  const ranks::Place place = ranks::place_of();
  // Not a rank of heed's own launcher, which prepares and checks all before.
  const bool first = place.leads() && place.meeting != ranks::Meeting::file;
  Config config = wanted_config(args, first);
  if (!place.alone() && args.ranks != 1 && args.ranks != place.size)
    throw UserError("--ranks " + std::to_string(args.ranks) + ": " + place.announcer +
                    " has started " + std::to_string(place.size) +
                    " ranks already; leave the option out");
  StreamedCorpora streams;
  if (place.alone())
    streams.read(config, args.wish);
  else
    data::require_files(config.data, "a run of " + place.announcer);
  const bool here = !place.alone() || args.ranks == 1;
  if (!here) require_no_stream(args.config, "each rank of --ranks");
  const auto check = [&](const Config& wanted) {
    RunCheck found;
    if (!first) return found;  // others find the same
    log::progress("checking what the configuration names");
    found = check_run(wanted, {.file = args.config,
                               .resume = args.wish.resume,
                               .overwrite = args.wish.overwrite,
                               .ranks = here ? place.local_size : args.ranks,
                               .own_device = here});
    found.require(args.config);
    return found;
  };
  if (here) return train_here(args, std::move(config), place, check);
  Config resumed = config;  // the ranks decide the same
  resumed_config(resumed, args.wish);
  const RunCheck found = check(resumed);
  train_in_ranks(args, std::move(config), found);
}

}  // namespace

void add_train(CommandLine& program) {
  auto args = std::make_shared<TrainArgs>();
  CommandLine command = program.command("train", "Train a model from a YAML file");
  command
      .option("config", args->config,
              "The configuration, which `heed config` explains; with --resume also a run's folder")
      .required();
  command
      .option("--set", args->settings,
              "Change one key of the file, e.g. --set training.updates=2000; may be repeated")
      .one_at_a_time();
  const Argument resume =
      command.flag("--resume", args->wish.resume,
                   "Continue from the newest checkpoint, or start if there is none");
  command
      .flag("--overwrite", args->wish.overwrite,
            "Delete an older run in the same folder, once the new one begins")
      .excludes(resume);
  const Argument ranks =
      command
          .option(
              "--ranks", args->ranks,
              "Train in this many processes of this machine, which divide the cores or take one "
              "GPU each; their number changes no bit of the result")
          .between(1, 1024);
  command
      .option("--restarts", args->restarts,
              "With --ranks: how often all may start again from the last checkpoint if one fails")
      .between(0, 1000000)
      .needs(ranks);
  command
      .option("--rank-timeout", args->rank_timeout,
              "Seconds after which the run ends if a rank does not answer")
      .shows_default()
      .between(1, 86400);
  command.examples({"heed train configs/multi30k_transformer.yaml --set training.updates=2000",
                    "heed train runs/multi30k_quick --resume"});
  command.run([args] { train_command(*args); });
}

}  // namespace heed
