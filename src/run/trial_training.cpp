#include "run/trial_training.h"

#include <ATen/ATen.h>

#include "base/signals.h"
#include "kernels/product.h"
#include "run/build.h"

namespace heed::run {

double median(std::vector<double> values) {
  expect(!values.empty(), "a median needs a number");
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double seconds_of(const std::function<void()>& run) {
  const auto start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median_seconds(int repeats, const std::function<void()>& run) {
  run();
  std::vector<double> seconds;
  for (int i = 0; i < repeats; ++i) seconds.push_back(seconds_of(run));
  return median(std::move(seconds));
}

double gemm_gflops(bool bf16, int64_t size, int repeats) {
  const at::Tensor a = at::ones({size, size}, at::dtype(bf16 ? at::kBFloat16 : at::kFloat));
  const at::Tensor turned = kernels::weight_by_columns(a, a.scalar_type());
  const double seconds =
      std::min(median_seconds(repeats, [&] { at::mm(a, a); }),
               median_seconds(repeats, [&] { kernels::times_transposed(a, turned); }));
  return 2 * static_cast<double>(size * size * size) / seconds / 1e9;
}

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kUpdatesAhead = 2;

/// A small corpus is read again.
Config without_end(Config config) {
  config.training.epochs = 0;
  config.data.stages.clear();
  return config;
}

}  // namespace

TrialTraining::TrialTraining(Config config, const std::string& folder,
                             const Vocabularies& vocabularies)
    : run_(fresh_model(without_end(std::move(config)), folder, vocabularies)),
      shard_(*run_.model, group_),
      optimizer_(run_.config.training, shard_),
      updater_(*run_.model, run_.config.training, run_.device, run_.precision, optimizer_, nullptr,
               another_model(run_)),
      batches_(data::BatchStream(training_corpus(run_), batch_options(run_.config)),
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
    sums.tokens += report.tokens;
    sums.real += report.real;
    sums.places += report.places;
    sums.parts += report.seconds;
    if (reports.size() <= kUpdatesAhead) continue;
    reports.front().numbers();  // waits for a GPU
    reports.pop_front();
  }
  for (const train::UpdateReport& report : reports) report.numbers();
  sums.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  sums.waiting = batches_.waited() - waited;
  return sums;
}

}  // namespace heed::run
