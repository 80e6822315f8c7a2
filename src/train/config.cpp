#include "train/config.h"

#include <algorithm>

#include "train/kinds.h"

namespace heed::train {

int64_t parts_per_batch(const TrainConfig& config) {
  return config.micro_batches > 0 ? config.micro_batches : default_parts(config, false, 1);
}

int64_t default_parts(const TrainConfig& config, bool gpu, int64_t ranks) {
  if (gpu) return (ranks + config.accumulate - 1) / config.accumulate;
  // Smaller ones cost: each has its own pass over the weights.
  constexpr int64_t kTokens = 2048, kSentences = 64;
  const int64_t size = config.batch_type == BatchType::tokens ? kTokens : kSentences;
  return std::max<int64_t>(1, config.batch_size / size);
}

int64_t warmup_updates(const TrainConfig& config) {
  if (config.warmup >= 0) return config.warmup;
  return schedule_info(config.schedule).warmup == Warmup::kIfSet ? 0 : 4000;
}

std::vector<Metric> translation_metrics(const TrainConfig& config) {
  std::vector<Metric> metrics;
  for (const score::MetricInfo& each : score::kMetrics) {
    if (each.source == score::MetricSource::heed) continue;
    const bool of_command = each.source == score::MetricSource::command;
    const bool asked_for = of_command ? !config.validation_command.empty()
                                      : each.metric == Metric::bleu && config.validate_bleu;
    if (asked_for || each.metric == config.early_stopping.metric) metrics.push_back(each.metric);
  }
  return metrics;
}

bool less_is_better(const EarlyStopping& stopping) {
  return stopping.lower_is_better || score::info_of(stopping.metric).better == score::Better::less;
}

namespace {

/// The metric that decides has to be computed.
void check(const EarlyStopping& stopping, const TrainConfig& config) {
  const bool of_command = score::info_of(stopping.metric).source == score::MetricSource::command;
  if (stopping.metric == Metric::bleu && !config.validate_bleu)
    throw config::ConfigError(
        "training.early_stopping.metric: bleu is not computed; set training.validate_bleu: true, "
        "or metric: loss");
  if (stopping.lower_is_better && !of_command)
    throw config::ConfigError(
        "training.early_stopping.lower_is_better: is about metric: command; of {} heed knows which "
        "is better; set it to false",
        config::name_of(stopping.metric));
  if (of_command && config.validation_command.empty())
    throw config::ConfigError(
        "training.early_stopping.metric: command, but there is none; set "
        "training.validation_command, or metric: loss");
}

void check_take(const TrainConfig& config) {
  if (config.take.empty()) return;
  if (config.from.empty())
    throw config::ConfigError(
        "training.take: says what is taken from a trained model; name its folder in training.from, "
        "or leave it out");
  if (config.adapters.kind != AdapterKind::none)
    throw config::ConfigError(
        "training.take: adapters need the whole model of training.from; leave it out, or set "
        "training.adapters.kind: none");
}

void check(const Adapters& adapters, const TrainConfig& config) {
  if (adapters.kind == AdapterKind::none) return;
  if (config.from.empty())
    throw config::ConfigError(
        "training.adapters.kind: lora is for a trained model; name its folder in training.from, or "
        "set kind: none");
  if (!config.freeze.empty())
    throw config::ConfigError(
        "training.freeze: with training.adapters all weights of the model are frozen; leave it "
        "out");
  if (adapters.matrices.empty())
    throw config::ConfigError(
        "training.adapters.matrices: names none; set attention, feed_forward or both");
}

}  // namespace

void check(const TrainConfig& config) {
  if (config.betas.size() != 2)
    throw config::ConfigError("training.betas: got {} of them, expected two, as in [0.9, 0.98]",
                              config.betas.size());
  if (schedule_info(config.schedule).divides_by_warmup() && warmup_updates(config) == 0)
    throw config::ConfigError(
        "training.warmup: {} needs at least 1 update; schedule: constant needs none",
        config::name_of(config.schedule));
  check(config.early_stopping, config);
  check_take(config);
  check(config.adapters, config);
}

}  // namespace heed::train
