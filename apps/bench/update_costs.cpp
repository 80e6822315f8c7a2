#include "apps/bench/update_costs.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/signals.h"
#include "data/prefetcher.h"
#include "kernels/draws.h"
#include "kernels/share_out.h"
#include "model/device.h"
#include "model/model.h"
#include "model/weights.h"
#include "run/build.h"
#include "run/measuring.h"
#include "train/loss.h"
#include "train/update.h"

namespace heed {
namespace {

using at::Tensor;

/// What is added or stepped with is given up.
train::Gradients copies_of(const train::Gradients& gradients) {
  train::Gradients copies;
  for (const Tensor& one : gradients) copies.push_back(one.defined() ? one.clone() : one);
  return copies;
}

Tensor joined(const train::Gradients& gradients) {
  std::vector<Tensor> flat;
  for (const Tensor& one : gradients)
    if (one.defined()) flat.push_back(one.reshape({-1}));
  return at::cat(flat);
}

/// The median of work(prepare()), without `prepare`; one more goes before them, unmeasured.
template <class Prepare, class Work>
double median_after(int repeats, const Prepare& prepare, const Work& work) {
  std::vector<double> seconds;
  for (int i = 0; i <= repeats; ++i) {
    signals::stop_if_interrupted();
    auto prepared = prepare();
    const double one = run::seconds_of([&] { work(prepared); });
    if (i > 0) seconds.push_back(one);
  }
  return run::median(std::move(seconds));
}

/// An endless run on the CPU with a part for each core.
run::Config config_for(run::Config config, int64_t cores) {
  config.device = "cpu";
  config.training.epochs = 0;
  const int64_t parts = train::parts_per_batch(config.training) * config.training.accumulate;
  config.training.accumulate *= (cores + parts - 1) / parts;
  return config;
}

}  // namespace

struct UpdateMeasure::Impl {
  /// One model for each core, over the same weights, as train::Updater has them.
  struct CostWorker {
    model::ModelPtr model;
    std::vector<Tensor> parameters;
  };

  struct PassSeconds {
    double forward = 0, backward = 0;
    double both() const { return forward + backward; }
  };

  Impl(const run::Config& config, const std::string& folder, const run::Vocabularies& vocabularies,
       int64_t all_cores)
      : cores(all_cores),
        run(run::fresh_model(config_for(config, all_cores), folder, vocabularies)),
        training(run.config.training),
        parts_per_batch(train::parts_per_batch(training)),
        shard(*run.model, group),
        optimizer(training, shard),
        stream(run::training_corpus(run), run::batch_options(run.config)),
        alone_batches(stream, parts_per_batch),
        together_batches(stream, parts_per_batch) {
    if (training.ema > 0) average.emplace(shard, training.ema);
    updater.emplace(*run.model, training, run.device, run.precision, optimizer,
                    average ? &*average : nullptr, run::another_model(run));
    run.model->train();
    workers.push_back({run.model, train::trainable_list(*run.model)});
    while (std::ssize(workers) < cores) {
      const model::ModelPtr other = run::another_model(run)();
      model::share_weights(*run.model, *other);
      other->train();
      workers.push_back({other, train::trainable_list(*other)});
    }
  }

  PassSeconds compute(const CostWorker& worker, const data::Batch& part, uint64_t seed) const {
    PassSeconds seconds;
    const kernels::Draws draws(seed, run.device);
    train::LossSum loss;
    seconds.forward = run::seconds_of([&] {
      const auto source = model::make_source(part, run.device);
      const train::Target target = train::make_target(part, run.device);
      const model::Autocast autocast(run.device, run.precision, /*keep_copies=*/false);
      loss = train::loss_of(*worker.model, worker.model->features(source, target.input), target,
                            training.label_smoothing);
    });
    seconds.backward = run::seconds_of(
        [&] { (loss.smoothed / static_cast<double>(part.target_tokens())).backward(); });
    return seconds;
  }

  /// All parts one behind the other, so that no core waits before the last ones.
  std::vector<PassSeconds> compute_all(const std::vector<data::Batch>& parts,
                                       int64_t threads) const {
    at::set_num_threads(static_cast<int>(threads));
    std::vector<PassSeconds> seconds(parts.size());
    kernels::share_out(std::ssize(parts), [&](int64_t item, int64_t which) {
      signals::stop_if_interrupted();
      seconds[item] = compute(workers[which], parts[item], static_cast<uint64_t>(item));
      train::take_gradients(workers[which].parameters);
    });
    return seconds;
  }

  /// Of the next updates, one update behind the other.
  std::vector<data::Batch> next_parts(int64_t updates) {
    std::vector<data::Batch> batches;
    for (int64_t batch = 0; batch < updates * training.accumulate; ++batch)
      batches.push_back(std::move(stream.next()->batch));
    return train::parts_of(batches, training);
  }

  double run_updates(int64_t updates, int64_t threads, data::Prefetcher& batches) {
    at::set_num_threads(static_cast<int>(threads));
    return run::seconds_of([&] {
      for (int64_t update = 0; update < updates; ++update) {
        signals::stop_if_interrupted();
        const auto prepared = batches.next(training.accumulate);
        expect(prepared.has_value(), "an endless run");
        updater->run(prepared->parts, {.update = ++done, .rate = training.learning_rate}).numbers();
      }
    });
  }

  CostRound round(int64_t updates) {
    CostRound round{.costs = fixed_costs, .updates = static_cast<double>(updates)};
    std::vector<data::Batch> parts;
    const double making = run::seconds_of([&] { parts = next_parts(updates); });
    const auto count = static_cast<double>(parts.size());
    double both = 0, crowded = 0;
    const std::vector<PassSeconds> alone = compute_all(parts, 1);
    for (const PassSeconds& one : compute_all(parts, cores)) crowded += one.both();
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const int64_t tokens = parts[i].target_tokens();
      round.costs.parts.push_back({alone[i].both(), tokens});
      round.tokens += static_cast<double>(tokens);
      round.forward += alone[i].forward / count;
      round.backward += alone[i].backward / count;
      both += alone[i].both();
    }
    round.costs.parts_per_update = std::ssize(parts) / updates;
    round.costs.slowdown = crowded / both;
    round.costs.making_batches = making / count;
    round.alone_seconds = run_updates(updates, 1, alone_batches);
    round.together_seconds = run_updates(updates, cores, together_batches);
    return round;
  }

  /// The median of work(prepare()) on one core and on all.
  template <class Prepare, class Work>
  study::SharedWork on_one_and_all(int repeats, const Prepare& prepare, const Work& work) const {
    at::set_num_threads(1);
    const double alone = median_after(repeats, prepare, work);
    at::set_num_threads(static_cast<int>(cores));
    return {alone, median_after(repeats, prepare, work)};
  }

  /// What belongs to the weights and not to the parts.
  void measure_fixed_costs(int repeats) {
    const std::vector<data::Batch> parts = next_parts(1);
    for (data::Prefetcher* batches : {&alone_batches, &together_batches})
      batches->next(training.accumulate);  // the same place
    at::set_num_threads(1);
    compute(workers[0], parts[0], 1);
    const train::Gradients gradients = train::take_gradients(workers[0].parameters);
    const at::NoGradGuard no_grad;
    fixed_costs.cores = cores;
    for (const Tensor& parameter : workers[0].parameters)
      fixed_costs.bytes += static_cast<double>(parameter.nbytes());
    fixed_costs.add = median_after(
        repeats, [&] { return std::pair(copies_of(gradients), copies_of(gradients)); },
        [](auto& two) {
          train::TreeSum sum(2);
          sum.add(0, std::move(two.first));
          sum.add(1, std::move(two.second));
        });
    fixed_costs.copy = on_one_and_all(
        repeats, [&] { return gradients; }, [](const auto& all) { joined(all); });
    const Tensor skip = at::zeros({});
    fixed_costs.optimizer = on_one_and_all(
        repeats, [&] { return shard.sum(1, {copies_of(gradients)}); },
        [&](const train::Gradients& sums) {
          const Tensor norm = optimizer.gradient_norm(sums);
          optimizer.step(training.learning_rate, sums,
                         train::gradient_divisor(norm, training.clip_norm, 1), skip);
          if (average) average->update(++done);
        });
  }

  const int64_t cores;
  run::ModelFolder run;
  const train::TrainConfig& training;
  const int64_t parts_per_batch;
  ranks::Group group;
  train::Shard shard;
  train::Optimizer optimizer;
  std::optional<train::Average> average;
  std::optional<train::Updater> updater;
  std::vector<CostWorker> workers;
  data::BatchStream stream;
  data::Prefetcher alone_batches, together_batches;  // the same, each for itself
  int64_t done = 0;
  study::UpdateCosts fixed_costs;
};

UpdateMeasure::UpdateMeasure(const run::Config& config, const std::string& folder,
                             const run::Vocabularies& vocabularies, int64_t cores, int repeats)
    : impl_(std::make_unique<Impl>(config, folder, vocabularies, cores)) {
  impl_->measure_fixed_costs(repeats);
  impl_->round(2);  // fills pools and caches
}

UpdateMeasure::~UpdateMeasure() = default;

CostRound UpdateMeasure::next(int64_t updates) {
  return impl_->round(updates);
}

}  // namespace heed
