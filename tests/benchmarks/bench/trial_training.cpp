#include "benchmarks/bench/trial_training.h"

#include <deque>

#include "base/signals.h"
#include "model/model.h"
#include "run/build.h"

namespace heed::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kUpdatesAhead = 2;

/// A small corpus is read again.
run::Config without_end(run::Config config) {
  config.training.epochs = 0;
  config.data.stages.clear();
  return config;
}

}  // namespace

TrialTraining::TrialTraining(run::Config config, const std::string& folder,
                             const run::Vocabularies& vocabularies)
    : run_(run::fresh_model(without_end(std::move(config)), folder, vocabularies)),
      shard_(*run_.model, group_),
      optimizer_(run_.config.training, shard_),
      updater_(*run_.model, run_.config.training, run_.device, run_.precision, optimizer_, nullptr,
               run::another_model(run_)),
      batches_(data::BatchStream(run::training_corpus(run_), run::batch_options(run_.config)),
               train::parts_per_batch(run_.config.training)) {
  run_.model->train();
}

TrialSums TrialTraining::updates(int64_t count) {
  TrialSums sums{.parameters = model::count_parameters(*run_.model),
                 .precision = model::precision_name(run_.precision)};
  const double waited = batches_.waited();
  std::deque<train::UpdateReport> reports;  // the host is ahead of a GPU, as in training
  const auto start = Clock::now();
  for (int64_t i = 0; i < count; ++i) {
    signals::stop_if_interrupted();
    const auto batches = batches_.next(run_.config.training.accumulate);
    expect(batches.has_value(), "batches without an end");
    const train::UpdateReport& report = reports.emplace_back(updater_.run(
        batches->parts, {.update = ++done_, .rate = run_.config.training.learning_rate}));
    sums.tokens += report.tokens();
    sums.real += report.real();
    sums.padded += report.padded();
    sums.parts += report.seconds();
    if (reports.size() <= kUpdatesAhead) continue;
    reports.front().numbers();  // waits for a GPU
    reports.pop_front();
  }
  for (const train::UpdateReport& report : reports) report.numbers();
  sums.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  sums.waiting = batches_.waited() - waited;
  return sums;
}

}  // namespace heed::bench
