// heed train CONFIG: vocabulary, data, model, training, and the final test score, into one folder.
// heed train FOLDER --resume: goes on with the run in it.
#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <torch/version.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>

#include "apps/commands.h"
#include "apps/shared/config.h"
#include "apps/shared/corpora.h"
#include "apps/shared/model_folder.h"
#include "apps/shared/pairs.h"
#include "apps/shared/provenance.h"
#include "apps/shared/rank_processes.h"
#include "apps/shared/run_config.h"
#include "apps/shared/run_summary.h"
#include "apps/shared/test_set.h"
#include "apps/shared/together.h"
#include "apps/shared/training_run.h"
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
#include "score/sacrebleu.h"
#include "train/trainer.h"

namespace heed {

namespace fs = std::filesystem;

namespace {

struct TrainArgs {
  std::string config;
  std::vector<std::string> settings;
  bool resume = false, overwrite = false;
  int64_t ranks = 1, restarts = 0, rank_timeout = 120;
};

/// Of a YAML file, or of a run's folder, which goes on as it is. Names the folder of the run.
Config wanted_config(const TrainArgs& args) {
  std::error_code none;
  if (!fs::is_directory(args.config, none)) {
    Config config = load_config(args.config, args.settings);
    config.output = run_folder(config);
    return config;
  }
  const std::string folder = args.config, file = (fs::path(folder) / "config.yaml").string();
  if (!args.resume)
    throw UserError(folder + ": is a folder; `heed train " + shell_word(folder) +
                    " --resume` goes on with the run in it");
  if (!fs::exists(file) || !has_begun(folder))
    throw UserError(folder +
                    ": holds no run to go on with; it has no config.yaml or no checkpoint");
  const Config saved = load_config(file, {});
  Config config = load_config(file, args.settings);
  if (config.output != saved.output)
    throw UserError(
        "--set output: the run in " + folder +
        " goes on where it is; another output needs a YAML file in place of the folder");
  std::error_code moved;
  if (!fs::equivalent(saved.output, folder, moved)) config.output = folder;
  return config;
}

/// Refuses to write over an older run unless asked to.
void prepare_folder(const std::string& folder, const TrainArgs& args) {
  const bool trained = fs::exists(fs::path(folder) / "model.safetensors");
  const bool used = trained || fs::exists(fs::path(folder) / "checkpoints");
  if (args.overwrite) {
    if (used) remove_run(folder);
  } else if (used && !args.resume) {
    throw UserError(folder +
                    ": holds a run already; --resume goes on with it, --overwrite starts again");
  } else if (trained && !has_begun(folder)) {
    throw UserError(folder +
                    ": holds a model and no checkpoint to go on from; --overwrite starts again");
  }
}

/// Those of the folder when a run goes on, else new ones, saved there. A run that failed before its
/// first checkpoint may have left some that were made of other corpora.
Vocabularies folder_vocabularies(const Config& config, const std::string& folder) {
  const bool joint = is_joint(config);
  if (!has_begun(folder) || !has_vocabularies(folder))
    save_vocabularies(make_vocabularies(config), folder, joint);
  return load_vocabularies(folder, joint);
}

/// Greedy translations of the validation set, scored by sacrebleu; nothing after a signal.
std::function<std::optional<double>(model::Model&)> bleu_of(const ModelFolder& folder,
                                                            ranks::Group& group) {
  const Config& config = folder.config;
  if (!config.training.validate_bleu) return {};
  auto pairs =
      std::make_shared<Pairs>(read_pairs(config.data.valid.source, config.data.valid.target));
  score::EvaluationConfig evaluation = config.evaluation;
  evaluation.metrics = {"bleu"};
  decode::DecodeConfig greedy = config.decoding;
  greedy.beam_size = greedy.n_best = 1;
  greedy.sampling = {};
  greedy.batch_size = std::max<int64_t>(64, greedy.batch_size);
  greedy.max_length_ratio = std::min(2.0, greedy.max_length_ratio);  // an untrained model rambles
  return [pairs, evaluation, greedy, member = folder.member(), device = folder.device,
          precision = folder.precision, &group](model::Model&) -> std::optional<double> {
    using Lines = std::vector<std::string>;
    const auto translate = [&](const Lines& lines) -> std::optional<Lines> {
      decode::Translator translator({member}, greedy, device, precision);
      translator.warn_of_cuts = false;
      translator.interrupted = signals::interrupted;
      Lines texts;
      for (decode::Translation& translation : translator.translate(lines))
        texts.push_back(std::move(translation.text));
      if (signals::interrupted()) return std::nullopt;
      return texts;
    };
    const auto hypotheses = translate_together(group, pairs->source, translate);
    if (!hypotheses) return std::nullopt;
    return first_rank_finds(
        group, [&] { return score::score(*hypotheses, pairs->target, evaluation).front().value; });
  };
}

std::vector<data::Batch> validation_batches(const ModelFolder& folder) {
  const Config& config = folder.config;
  data::CorpusReading reading = readable(*folder.model);
  reading.long_sentences = data::LongSentences::error;
  const auto corpus =
      data::Corpus::read({config.data.valid}, folder.source, folder.target, reading);
  const bool tokens = config.training.batch_type == train::BatchType::tokens;
  return data::fixed_batches(corpus, tokens ? config.training.batch_size : 4096);
}

void log_start(const ModelFolder& folder, const ranks::Place& place) {
  const Config& config = folder.config;
  const bool rnn = config.model.type == model::ModelType::rnn;
  log::info("heed " HEED_VERSION ", LibTorch " TORCH_VERSION ", seed " +
            std::to_string(config.seed));
  log::info("model " +
            (rnn ? "rnn, attention " + config.model.attention : std::string("transformer")) + ", " +
            human_count(static_cast<double>(model::count_parameters(*folder.model))) +
            " parameters, " + folder.device.str() + ", " + std::to_string(at::get_num_threads()) +
            " threads, " + model::precision_name(folder.precision) +
            (place.alone() ? "" : ", " + std::to_string(place.size) + " ranks of these"));
  if (config.deterministic)
    at::globalContext().setDeterministicAlgorithms(true, /*warn_only=*/false);
}

/// A scorer that is missing, or that refuses what `evaluation` asks for, is known now rather than
/// after an hour. One that fails may be mended by then.
void check_scorer(const score::EvaluationConfig& evaluation) {
  score::find_sacrebleu();
  try {
    score::check_evaluation(evaluation);
  } catch (const Failure& failure) {
    log::warn(std::string("scores may be missing: ") + failure.what());
  }
}

/// The test set by beam search: test.hypothesis and the scores, by the first rank.
std::vector<std::string> score_test(const ModelFolder& folder, ranks::Group& group) {
  const Config& config = folder.config;
  if (config.data.test.source.empty()) return {};
  const TestSet set = open_test_set(config, "", "");
  group.begin("the test set was translated");
  const auto hypotheses = translate_together(
      group, set.source, [&](const auto& lines) { return translate_all(folder, lines); });
  if (!group.leads()) return {};
  write_lines((fs::path(folder.path) / "test.hypothesis").string(), *hypotheses);
  std::vector<std::string> scores;
  for (const score::Score& score : score::score(*hypotheses, set.reference, config.evaluation)) {
    scores.push_back(describe(score));
    log::info("test " + scores.back());
  }
  return scores;
}

/// The config of the run that `wanted` goes on with, if one has begun. Throws UserError where a
/// fixed key differs.
std::optional<Config> resumed_config(const Config& wanted, const TrainArgs& args) {
  if (!args.resume || !has_begun(wanted.output)) return std::nullopt;
  Config saved = saved_config(wanted.output);
  require_same_fixed(wanted.output, saved, wanted);
  return saved;
}

/// Whether the run's folder has scores that this config would give again.
bool has_scores(const std::optional<Config>& saved, const Config& config) {
  return saved && changes(*saved, config).empty() &&
         fs::exists(fs::path(config.output) / "summary.json");
}

/// What this process makes the run by and of. Throws UserError where a corpus that the run in the
/// folder has begun with is another one now; only the test set may change.
Provenance provenance_of(const ModelFolder& run, bool resumed) {
  const std::string file = (fs::path(run.path) / "provenance.json").string();
  Provenance now = Provenance::of(run);
  if (!resumed || !fs::exists(file)) return now;
  const data::CorpusFiles& test = run.config.data.test;
  for (const CorpusSum& sum : changed_corpora(Provenance::read(file), now)) {
    const std::string what = sum.path + ": has changed since the run in " + run.path + " began";
    if (sum.path != test.source && sum.path != test.target)
      throw UserError(what + "; restore it, or use --overwrite or another output");
    log::warn(what + "; earlier test scores are of other lines");
  }
  return now;
}

/// From here on the folder is of `config`. `updates` are done; old scores may be `kept`.
void write_config(const Config& config, const Provenance& provenance, int64_t updates, bool kept) {
  if (updates > config.training.updates)
    throw UserError("training.updates: got " + std::to_string(config.training.updates) +
                    ", but the run in " + config.output + " has made " + std::to_string(updates) +
                    " updates; set as many or more");
  std::error_code ignored;
  if (!kept) fs::remove(fs::path(config.output) / "summary.json", ignored);
  write_atomic((fs::path(config.output) / "config.yaml").string(), config::dump(config));
  write_atomic((fs::path(config.output) / "provenance.json").string(), provenance.to_json());
}

/// The first rank's part, before any can train: the folder, its lock, log and vocabularies.
class Preparation {
 public:
  Preparation(const Config& config, const TrainArgs& args, const std::optional<Config>& saved,
              const ranks::Place& place)
      : lock_(made(config.output), "heed train") {
    lock_.remove_left_overs();
    remove_old_meetings(config.output, place.folder);
    prepare_folder(config.output, args);
    log::add_file((fs::path(config.output) / "train.log").string());
    if (!saved) return;
    if (const auto changed = config::differences(*saved, config); !changed.empty())
      log::info("the run goes on with another configuration: " + config::differences_text(changed));
  }

 private:
  static const std::string& made(const std::string& folder) {
    make_folder(folder);
    return folder;
  }
  FolderLock lock_;
};

/// One rank of a run, or a run alone.
void train_here(const TrainArgs& args, Config config, const ranks::Place& place) {
  const std::string folder = config.output;
  std::optional<Config> saved;
  std::optional<Preparation> preparation;
  if (place.leads()) {
    saved = resumed_config(config, args);
    preparation.emplace(config, args, saved, place);
  } else {
    log::set_origin("rank " + std::to_string(place.rank));
    log::set_quiet();
  }
  use_threads(threads_of_rank(config.threads, place));
  const at::Device device = model::open_device(device_of_rank(config.device, place));
  ranks::Group group(
      place,
      {.device = device, .timeout = std::chrono::seconds(args.rank_timeout), .folder = folder});
  const ranks::Board board(place.folder, place.size);
  data::HygieneReport hygiene;
  if (group.leads()) {
    hygiene = report_corpora(config.data);
    folder_vocabularies(config, folder);
    group.leave("vocabularies", folder);
  } else {
    group.await("vocabularies");
  }
  const Vocabularies vocabularies = load_vocabularies(folder, is_joint(config));
  const bool scored = has_scores(saved, config);

  ModelFolder run = fresh_model(std::move(config), folder, vocabularies, device);
  log_start(run, place);
  std::optional<Provenance> provenance;
  if (group.leads()) provenance = provenance_of(run, saved.has_value());
  const auto corpus = training_corpus(run, group);
  if (group.leads())
    for (const std::string& line : split(corpus->report(), '\n'))
      if (!line.empty()) log::info(line);
  signals::install();
  const auto seed = static_cast<uint64_t>(run.config.seed);
  const train::TrainResult result = train::train(
      {.model = run.model,
       .another = another_model(run),
       .config = run.config.training,
       .device = run.device,
       .precision = run.precision,
       .folder = folder,
       .seed = seed,
       .width = run.config.model.type == model::ModelType::transformer
                    ? run.config.model.width
                    : run.config.model.hidden_size,
       .corpus = corpus,
       .batches =
           train::batch_options(run.config.training, run.config.data, seed, at::get_num_threads()),
       .validation = validation_batches(run),
       .bleu = bleu_of(run, group),
       .begins = [&](int64_t updates) { write_config(run.config, *provenance, updates, scored); },
       .group = &group,
       .checksum = mix({checksum(run.config), corpus->fingerprint()}),
       .updated = [&](int64_t update) { board.show(place.rank, update); },
       .resume = args.resume});
  if (result.stopped == train::StopReason::interrupted && !group.leads()) return;
  if (result.stopped == train::StopReason::interrupted)
    throw Failure("interrupted at update " + std::to_string(result.updates) +
                  ", everything is saved; `heed train " + shell_word(folder) +
                  " --resume` goes on from there");
  log::info(result.reason());
  const bool has_all = group.tell(scored ? "scored" : "") == "scored";
  if (result.stopped == train::StopReason::nothing_to_do && has_all) return;
  const std::vector<std::string> scores = score_test(run, group);
  if (!group.leads()) return;
  RunSummary summary{.parameters = model::count_parameters(*run.model),
                     .updates = result.updates,
                     .minutes = result.minutes,
                     .tokens_per_second = result.tokens_per_second,
                     .validation_loss = result.best_loss.value_or(0),
                     .validation_bleu = result.bleu_of_best.value_or(-1),
                     .stop_reason = result.reason(),
                     .test_scores = scores};
  write_atomic((fs::path(folder) / "summary.json").string(), summary.to_json(*provenance, hygiene));
  log::info("done: heed translate " + shell_word(folder));
}

/// The command line of one rank; with `again`, of one that goes on.
std::vector<std::string> rank_command(const TrainArgs& args, bool again) {
  std::vector<std::string> command = {own_path(), "train", args.config};
  for (const std::string& setting : args.settings)
    command.insert(command.end(), {"--set", setting});
  command.insert(command.end(), {"--rank-timeout", std::to_string(args.rank_timeout)});
  if (args.overwrite && !again) command.push_back("--overwrite");
  if (args.resume || again) command.push_back("--resume");
  return command;
}

void train_command(const TrainArgs& args) {
  Config config = wanted_config(args);
  const ranks::Place place = ranks::place_of();
  if (!place.alone() && args.ranks != 1 && args.ranks != place.size)
    throw UserError("--ranks " + std::to_string(args.ranks) + ": " + place.announcer +
                    " has started " + std::to_string(place.size) +
                    " ranks already; leave the option out");
  require_corpora(config);
  const bool scoring = config.training.validate_bleu || !config.data.test.source.empty();
  if (scoring && place.leads()) check_scorer(config.evaluation);
  if (!place.alone() || args.ranks == 1) return train_here(args, std::move(config), place);
  make_folder(config.output);
  signals::install();
  run_ranks({.command = rank_command(args, false),
             .again = rank_command(args, true),
             .ranks = args.ranks,
             .restarts = args.restarts,
             .folder = config.output});
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
  const Argument resume = command.flag(
      "--resume", args->resume, "Continue from the newest checkpoint, or start if there is none");
  command.flag("--overwrite", args->overwrite, "Delete an older run in the same folder first")
      .excludes(resume);
  const Argument ranks =
      command
          .option("--ranks", args->ranks,
                  "Train in so many processes of this machine, which share out the cores or take a "
                  "GPU each; their number changes no bit of the result")
          .between(1, 1024);
  command
      .option("--restarts", args->restarts,
              "With --ranks: how often all start again from the last checkpoint when one has ended")
      .between(0, 1000000)
      .needs(ranks);
  command
      .option("--rank-timeout", args->rank_timeout,
              "Seconds after which a rank that does not answer is given up")
      .shows_default()
      .between(1, 86400);
  command.examples({"heed train configs/multi30k_transformer.yaml --set training.updates=2000",
                    "heed train runs/multi30k_quick --resume"});
  command.run([args] { train_command(*args); });
}

}  // namespace heed
