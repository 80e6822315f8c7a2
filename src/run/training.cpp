#include "run/training.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <torch/version.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/random.h"
#include "base/run_folder.h"
#include "base/signals.h"
#include "base/strings.h"
#include "config/io.h"
#include "data/config.h"
#include "data/corpus.h"
#include "data/hygiene.h"
#include "decode/search/config.h"
#include "kernels/divide_work.h"
#include "model/description/safetensors_file.h"
#include "model/description/traits.h"
#include "model/device.h"
#include "model/model.h"
#include "ranks/group.h"
#include "ranks/progress_board.h"
#include "ranks/rank_info.h"
#include "run/build.h"
#include "run/check.h"
#include "run/config.h"
#include "run/ending.h"
#include "run/folder.h"
#include "run/launcher.h"
#include "run/model_folder.h"
#include "run/precision.h"
#include "run/saved_config.h"
#include "run/scores.h"
#include "run/summary.h"
#include "text/copies.h"
#include "train/config.h"
#include "train/limits.h"
#include "train/setup.h"
#include "train/trainer.h"

namespace heed::run {

namespace fs = std::filesystem;

namespace {

/// Returns the configuration of a YAML file, or of a run's folder, which goes on as it is. It names
/// the folder of the run. The `first` process puts an older run back there that a killed
/// --overwrite has left aside.
Config wanted_config(const TrainingRequest& request, bool first) {
  std::error_code none;
  if (!fs::is_directory(request.config, none)) {
    Config config = load_config(request.config, request.settings);
    config.output = run_folder(config);
    if (first) restore_older_run(config.output);
    return config;
  }
  const std::string folder = request.config, file = file_in(folder, kConfigFile);
  if (!request.existing.resume && !holds_run(folder))
    throw UserError(
        "{}: is a folder without a run; a training begins with a configuration, which `heed init "
        "SOURCE TARGET` writes for a corpus",
        folder);
  if (!request.existing.resume)
    throw UserError("{}: is a folder; `heed train {} --resume` goes on with the run in it", folder,
                    shell_path(folder));
  if (first) restore_older_run(folder);
  if (!fs::exists(file) || !has_begun(folder))
    throw UserError(folder +
                    ": holds no run to go on with; it has no config.yaml or no checkpoint");
  const Config saved = load_config(file, {});
  Config config = load_config(file, request.settings);
  if (config.output != saved.output)
    throw UserError(
        "--set output: the run in {} goes on where it is; another output needs a YAML file in "
        "place of the folder",
        folder);
  std::error_code moved;
  if (!fs::equivalent(saved.output, folder, moved)) config.output = folder;
  return config;
}

/// One rank of a run, or a run alone, in four phases, which all ranks go through together.
class RankTraining {
 public:
  using CheckConfig = std::function<Check(const Config&)>;

  /// `config.output` is the run's folder. The first rank calls `check` before it takes the folder:
  /// what that finds belongs into the run's log.
  RankTraining(const TrainingRequest& request, const ranks::RankInfo& rank, Config config,
               CheckConfig check)
      : request_(request),
        rank_(rank),
        config_(std::move(config)),
        check_(std::move(check)),
        folder_(config_.output) {}

  /// The first rank checks, takes the folder and puts the vocabularies into it; all ranks meet.
  void prepare_folder() {
    // Ranks of a launcher meet before, for large corpora are checked longer than they look for each
    // other. The first one says in the folder where it is.
    const bool launched = !rank_.alone() && rank_.rendezvous != ranks::Rendezvous::file;
    if (!rank_.leads()) {
      log::set_origin("rank " + std::to_string(rank_.rank));
      log::set_quiet();
    } else if (launched) {
      make_folder(folder_);
    } else {
      take_folder();
    }
    device_ = model::open_device(device_of_rank(config_.device, rank_));
    group_.emplace(rank_,
                   ranks::GroupOptions{.device = device_,
                                       .timeout = std::chrono::seconds(request_.rank_timeout),
                                       .folder = folder_});
    use_threads(threads_of_rank(config_.threads, *group_, rank_));
    board_.emplace(rank_.folder, rank_.size);
    group_->begin("the first rank prepared the run's folder");
    group_->take_time([&] {
      if (!group_->leads()) return;
      if (launched) take_folder();
      put_vocabularies();
    });
    group_->begin("training began");
  }

  /// The model, with the weights of training.from in a run that begins, and the training corpus.
  void build() {
    decide_parts_together();
    const Vocabularies vocabularies =
        with_languages(load_vocabularies(folder_, is_joint(config_)), config_);
    decide_precision_together(vocabularies);
    const bool goes_on = group_->broadcast(saved_.has_value());
    run_.emplace(fresh_model(std::move(config_), folder_, vocabularies, device_));
    const train::TrainConfig& training = run_->config.training;
    if (training.adapters.kind != train::AdapterKind::none)
      base_ = model::load_metadata(file_in(training.from, kWeightsFile)).at("checksum");
    else if (!training.from.empty() && !goes_on)
      take_base_weights(*run_);
    log_start();
    if (run_->config.deterministic)  // of this process from now on
      at::globalContext().setDeterministicAlgorithms(true, /*warn_only=*/false);
    group_->take_time([&] {  // reads the corpora
      if (group_->leads()) provenance_ = provenance_of(*run_, saved_);
    });
    scored_ = provenance_ && has_scores(saved_, run_->config, *provenance_);
    corpus_ = training_corpus(*run_, *group_);
    if (!group_->leads()) return;
    for (const std::string& line : split(corpus_->report(), '\n'))
      if (!line.empty()) log::info(line);
  }

  /// Afterwards the model has the weights of model.safetensors.
  void train() {
    signals::install();
    // LibTorch's threads, which may compute without being given a part.
    kernels::divide_work(at::get_num_threads(), [](int64_t, int64_t) {});
    result_ = train::train(setup());
  }

  /// The scores of the test set, and summary.json. Throws Failure after a signal: the run is saved.
  void finish() {
    if (result_.stopped == train::StopReason::interrupted) return report_interruption();
    log::info(result_.reason());
    const bool has_all = group_->broadcast(scored_);
    if (result_.stopped == train::StopReason::nothing_to_do && has_all) return;
    const std::vector<std::string> scores = score_test(*run_, *group_);
    const BaseScores base = score_base(*run_, *group_);
    if (!group_->leads()) return;
    const Summary summary{.parameters = model::count_parameters(*run_->model),
                          .updates = result_.updates,
                          .minutes = result_.minutes,
                          .tokens_per_second = result_.tokens_per_second,
                          .validation_loss = result_.loss_of_best,
                          .validation_bleu = result_.bleu_of_best,
                          .stop_reason = result_.reason(),
                          .test_scores = scores,
                          .base_before = base.before,
                          .base_after = base.after};
    write_atomic(file_in(folder_, kSummaryFile), summary.to_json(*provenance_, hygiene_));
    log::info(ending_text(result_, run_->config.training, corpus_->size(), folder_));
  }

 private:
  void take_folder() {
    saved_ = resumed_config(config_, request_.existing);
    Check found = check_(config_);
    trained_ = std::move(found.trained);
    preparation_.emplace(config_, request_.existing, saved_);
    found.tell();
  }

  void put_vocabularies() {
    log::progress("reading the corpora");
    hygiene_ = data::report_hygiene(config_.data);
    const text::CopyLimit copies = hygiene_.usual_copies();
    if (config_.data.common_words == 0 && copies.is_near() && !copies.is_of_few)
      config_.data.common_words = std::round(100 * copies.usual) / 100;
    folder_vocabularies(config_, trained_, folder_);
  }

  /// Takes the number of parts from the first rank, which alone knows what an older part of the run
  /// has decided.
  void decide_parts_together() {
    int64_t& parts = config_.training.micro_batches;
    decide_parts(config_, device_, group_->size());
    parts = group_->broadcast(parts);
  }

  /// Takes the precision, and that of translations, from the first rank, because measurements in
  /// each rank could find different ones.
  void decide_precision_together(const Vocabularies& vocabularies) {
    if (group_->leads()) decide_precision(config_, device_, vocabularies.sizes());
    config_.precision =
        static_cast<Precision>(group_->broadcast(static_cast<int64_t>(config_.precision)));
    decode::WeightType& weights = config_.decoding.weights;
    weights = static_cast<decode::WeightType>(group_->broadcast(static_cast<int64_t>(weights)));
  }

  void log_start() const {
    const Config& config = run_->config;
    log::info("heed " HEED_VERSION ", LibTorch " TORCH_VERSION ", seed " +
              std::to_string(config.seed));
    log::info("model {}, {} parameters{}, {}, {}, {}{}", model::traits(config.model).network,
              human_count(static_cast<double>(model::count_parameters(*run_->model))),
              base_.empty() ? "" : " of adapters", run_->device.str(),
              counted(at::get_num_threads(), "thread"), model::precision_name(run_->precision),
              rank_.alone() ? "" : fmt::format(", {} ranks of these", rank_.size));
    if (config.training.guided_alignment == 0 && config.data.terms == 0 &&
        data::has_alignment(config.data))
      log::warn("data.train.alignment is not used: training.guided_alignment is 0");
  }

  train::TrainerSetup setup() {
    ModelFolder& run = *run_;
    const Config& config = run.config;
    return {
        .model = run.model,
        .another = another_model(run),
        .config = config.training,
        .device = run.device,
        .precision = run.precision,
        .folder = folder_,
        .seed = static_cast<uint64_t>(config.seed),
        .width = model::traits(config.model).width,
        .corpus = corpus_,
        .batches = batch_options(config),
        .validation = validation_batches(run, config.data.valid),
        .scores = scores_of(run, config.data.valid, *group_),
        .further = further_sets(run, *group_),
        .begins =
            [this](int64_t updates) { write_config(run_->config, *provenance_, updates, scored_); },
        .group = &*group_,
        .checksum = mix({checksum(config), corpus_->fingerprint()}),
        .updated = [this](int64_t update) { board_->show(rank_.rank, update); },
        .resume = request_.existing.resume,
        .before = saved_ ? std::optional(saved_->training) : std::nullopt,
        .metadata = binding_of(config, {run.source, run.target}),
        .configuration = config::dump(config),
        .base = base_};
  }

  void report_interruption() const {
    // One of the ranks that this program has started writes the messages for all.
    if (!group_->leads() && rank_.rendezvous == ranks::Rendezvous::file) return;
    if (group_->leads()) board_->show_interruption();
    throw Failure(
        "interrupted at update {} of {}, everything is saved; `heed train {} --resume` goes on "
        "from there",
        with_commas(result_.updates), with_commas(result_.planned), shell_path(folder_));
  }

  const TrainingRequest& request_;
  const ranks::RankInfo rank_;
  Config config_;  // until build(); then run_ has it
  const CheckConfig check_;
  const std::string folder_;

  std::optional<Config> saved_;  // of a run that goes on, on the first rank
  std::optional<Preparation> preparation_;
  at::Device device_ = at::kCPU;
  std::optional<ranks::Group> group_;
  std::optional<ranks::ProgressBoard> board_;
  data::HygieneReport hygiene_;  // on the first rank
  TrainedVocabularies trained_;  // the same

  std::optional<ModelFolder> run_;
  std::string base_;                      // TrainerSetup::base
  std::optional<Provenance> provenance_;  // on the first rank
  bool scored_ = false;                   // the folder has the scores that this run would give
  std::shared_ptr<const data::Corpus> corpus_;

  train::TrainResult result_;
};

/// The command line of one rank; with `again`, of one that goes on.
std::vector<std::string> rank_command(const TrainingRequest& request, bool again) {
  std::vector<std::string> command = {own_path(), "train", request.config};
  for (const std::string& setting : request.settings)
    command.insert(command.end(), {"--set", setting});
  command.insert(command.end(), {"--rank-timeout", std::to_string(request.rank_timeout)});
  if (request.existing.resume || again) command.push_back("--resume");
  return command;
}

/// Trains in processes of this machine, which this one starts; they do not repeat the check.
void make_run_in_ranks(const TrainingRequest& request, const Config& config, const Check& found) {
  make_folder(config.output);
  signals::install();
  try {
    {
      const FolderLock lock(config.output, "heed train");
      // Here: ranks that start again before one of them had done it would go on with the older run.
      if (request.existing.overwrite) put_aside(config.output);
      log::add_file(file_in(config.output, kLogFile));
      found.tell();
      log::close_files();
    }
    run_ranks({.command = rank_command(request, false),
               .again = rank_command(request, true),
               .ranks = request.ranks,
               .restarts = request.restarts});
  } catch (...) {
    if (request.existing.overwrite) restore_older_run(config.output);
    throw;
  }
}

}  // namespace

void make_run(const TrainingRequest& request) {
  const ranks::RankInfo rank = ranks::rank_info();
  // A rank of heed's own launcher is not first: the launcher prepares and checks all before.
  const bool first = rank.leads() && rank.rendezvous != ranks::Rendezvous::file;
  Config config = wanted_config(request, first);
  if (!rank.alone() && request.ranks != 1 && request.ranks != rank.size)
    throw UserError("--ranks {}: {} has started {} ranks already; leave the option out",
                    request.ranks, rank.announcer, rank.size);
  data::require_files(config.data, "heed train");
  const bool here = !rank.alone() || request.ranks == 1;
  if (!here) require_no_stream(request.config, "each rank of --ranks");
  const auto check = [&](const Config& config_to_check) {
    Check found;
    if (!first) return found;  // others find the same
    log::progress("checking what the configuration names");
    found = check_run(config_to_check, {.file = request.config,
                                        .resume = request.existing.resume,
                                        .overwrite = request.existing.overwrite,
                                        .ranks = here ? rank.local_size : request.ranks,
                                        .own_device = here});
    found.require(request.config);
    return found;
  };
  if (here) {
    RankTraining training(request, rank, std::move(config), check);
    training.prepare_folder();
    training.build();
    training.train();
    training.finish();
    return;
  }
  Config resumed = config;  // the ranks decide the same
  resumed_config(resumed, request.existing);
  const Check found = check(resumed);
  make_run_in_ranks(request, config, found);
}

}  // namespace heed::run
