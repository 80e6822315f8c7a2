#include "run/rank_training.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <torch/version.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/log.h"
#include "base/random.h"
#include "base/signals.h"
#include "base/strings.h"
#include "config/io.h"
#include "data/batches.h"
#include "model/device.h"
#include "model/model.h"
#include "run/base_model.h"
#include "run/binding.h"
#include "run/build.h"
#include "run/corpora.h"
#include "run/divide.h"
#include "run/saved_config.h"
#include "run/scores.h"
#include "run/summary.h"

namespace heed::run {

namespace {

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

}  // namespace

RankTraining::RankTraining(Config config, const ranks::Place& place, RankOptions options)
    : config_(std::move(config)),
      place_(place),
      options_(std::move(options)),
      folder_(config_.output) {}

void RankTraining::prepare_folder() {
  // Ranks of a launcher meet before, for large corpora are checked longer than they look for each
  // other. The first one says in the folder where it is.
  const bool launched = !place_.alone() && place_.meeting != ranks::Meeting::file;
  if (!place_.leads()) {
    log::set_origin("rank " + std::to_string(place_.rank));
    log::set_quiet();
  } else if (launched) {
    make_folder(folder_);
  } else {
    take_folder();
  }
  device_ = model::open_device(device_of_rank(config_.device, place_));
  group_.emplace(place_, ranks::GroupOptions{
                             .device = device_, .timeout = options_.timeout, .folder = folder_});
  use_threads(threads_of_rank(config_.threads, *group_, place_));
  if (launched && group_->leads()) take_folder();
  board_.emplace(place_.folder, place_.size);
  if (group_->leads())
    put_vocabularies();
  else
    group_->await("vocabularies");
}

void RankTraining::take_folder() {
  saved_ = resumed_config(config_, options_.wish);
  const Check found = options_.check(config_);
  preparation_.emplace(config_, options_.wish, saved_);
  found.tell();
}

void RankTraining::put_vocabularies() {
  log::progress("reading the corpora");
  hygiene_ = report_corpora(config_.data);
  folder_vocabularies(config_, folder_);
  group_->leave("vocabularies", folder_);
}

void RankTraining::build() {
  decide_parts_together();
  const Vocabularies vocabularies = load_vocabularies(folder_, is_joint(config_));
  const bool goes_on = group_->tell(saved_ ? "goes on" : "") == "goes on";
  run_.emplace(fresh_model(std::move(config_), folder_, vocabularies, device_));
  if (!run_->config.training.from.empty() && !goes_on) take_base_weights(*run_);
  log_start();
  group_->take_time([&] {  // reads the corpora
    if (group_->leads()) provenance_ = provenance_of(*run_, saved_);
  });
  scored_ = provenance_ && has_scores(saved_, run_->config, *provenance_);
  corpus_ = training_corpus(*run_, *group_);
  if (!group_->leads()) return;
  for (const std::string& line : split(corpus_->report(), '\n'))
    if (!line.empty()) log::info(line);
}

/// As the first rank has it, which alone knows what an older part of the run has decided.
void RankTraining::decide_parts_together() {
  int64_t& parts = config_.training.micro_batches;
  const bool open = parts == 0;
  decide_parts(config_, device_, group_->size());
  parts = std::stoll(group_->tell(std::to_string(parts)));
  if (open && group_->leads())
    log::info(
        "training.micro_batches: " + std::to_string(parts) +
        (device_.is_cpu() ? ", by training.batch_size" : ", a part of an update for each GPU"));
}

void RankTraining::log_start() const {
  const Config& config = run_->config;
  const bool rnn = config.model.type == model::ModelType::rnn;
  log::info("heed " HEED_VERSION ", LibTorch " TORCH_VERSION ", seed " +
            std::to_string(config.seed));
  log::info("model " +
            (rnn ? "rnn, attention " + config.model.attention : std::string("transformer")) + ", " +
            human_count(static_cast<double>(model::count_parameters(*run_->model))) +
            " parameters, " + run_->device.str() + ", " + counted(at::get_num_threads(), "thread") +
            ", " + model::precision_name(run_->precision) +
            (place_.alone() ? "" : ", " + std::to_string(place_.size) + " ranks of these"));
  if (config.training.guided_alignment == 0 && data::has_alignment(config.data))
    log::warn("data.train.alignment is not used: training.guided_alignment is 0");
  if (config.deterministic)
    at::globalContext().setDeterministicAlgorithms(true, /*warn_only=*/false);
}

void RankTraining::train() {
  signals::install();
  result_ = train::train(setup());
}

train::TrainerSetup RankTraining::setup() {
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
      .width = config.model.type == model::ModelType::transformer ? config.model.width
                                                                  : config.model.hidden_size,
      .corpus = corpus_,
      .batches = batch_options(config),
      .validation = validation_batches(run, config.data.valid),
      .scores = scores_of(run, config.data.valid, *group_),
      .further = further_sets(run, *group_),
      .begins =
          [this](int64_t updates) { write_config(run_->config, *provenance_, updates, scored_); },
      .group = &*group_,
      .checksum = mix({checksum(config), corpus_->fingerprint()}),
      .updated = [this](int64_t update) { board_->show(place_.rank, update); },
      .resume = options_.wish.resume,
      .metadata = binding_of(config, {run.source, run.target}),
      .configuration = config::dump(config)};
}

void RankTraining::finish() {
  if (result_.stopped == train::StopReason::interrupted) return report_interruption();
  log::info(result_.reason());
  const bool has_all = group_->tell(scored_ ? "scored" : "") == "scored";
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
  write_atomic((std::filesystem::path(folder_) / "summary.json").string(),
               summary.to_json(*provenance_, hygiene_));
  log::info("done: heed translate " + shell_path(folder_));
}

void RankTraining::report_interruption() const {
  // Of the ranks that this program has started one speaks for all.
  if (!group_->leads() && place_.meeting == ranks::Meeting::file) return;
  if (group_->leads()) board_->show_interruption();
  throw Failure("interrupted at update " + std::to_string(result_.updates) +
                ", everything is saved; `heed train " + shell_path(folder_) +
                " --resume` goes on from there");
}

}  // namespace heed::run
