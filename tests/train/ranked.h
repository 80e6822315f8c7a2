// Updates and whole runs by several ranks, for tests of what their number must not change.
#pragma once

#include <ATen/Parallel.h>

#include <functional>
#include <mutex>
#include <vector>

#include "model/kinds.h"
#include "ranks/together.h"
#include "train/own_optimizer.h"
#include "train/trainer_support.h"
#include "train/update.h"

namespace heed::train {

/// LibTorch's default generator, which initial weights are drawn from, is one for all threads.
inline std::mutex& one_generator() {
  static std::mutex one;
  return one;
}

/// Everything that a rank keeps a share of, whole and on the CPU.
struct Outcome {
  NamedTensors weights, averages, state;
  std::vector<double> numbers;
};

struct UpdatesOptions {
  model::ModelConfig model;
  at::Device device = at::kCPU;
  at::ScalarType precision = at::kFloat;
  OptimizerKind optimizer = OptimizerKind::adamw;
  double guided = 0;  // weight of guided alignment
  Adapters adapters = {};
  int64_t updates = 2;
};

/// Updates of five parts.
inline Outcome updates(ranks::Group& group, const UpdatesOptions& options) {
  constexpr int64_t kPieces = 23;
  TrainConfig training;
  training.optimizer = options.optimizer;
  training.guided_alignment = options.guided;
  training.weight_decay = 0.01;
  training.micro_batches = 3;
  training.accumulate = 2;
  training.adapters = options.adapters;
  const auto make = [&] {
    const std::lock_guard lock(one_generator());
    model::ModelPtr model = model::testing::model_of(options.model, kPieces);
    choose_trainable(*model, training);
    return model;
  };
  const model::ModelPtr model = make();
  model->to(options.device);
  Shard shard(*model, group);
  Optimizer optimizer(training, shard);
  Average average(shard, 0.9);
  Updater updater(*model, training, options.device, options.precision, optimizer, &average, make);
  model->train();
  Outcome out;
  std::vector<UpdateReport> reports;
  for (int64_t update = 1; update <= options.updates; ++update) {
    const auto examples = [&](int64_t pairs, int64_t seed) {
      auto made = toy::copies(pairs, seed, /*most=*/4);
      return options.guided > 0 ? toy::linked(std::move(made)) : made;
    };
    const auto parts = parts_of(
        {toy::batch_of(examples(7, 10 * update)), toy::batch_of(examples(2, 10 * update + 1))},
        training);
    reports.push_back(updater.run(parts, {.update = update, .rate = 0.01, .seed = 3}));
  }
  for (const UpdateReport& report : reports) {
    const UpdateNumbers numbers = report.numbers();
    out.numbers.insert(out.numbers.end(), {numbers.loss, numbers.nll, numbers.norm});
    for (const auto& [name, sum] : numbers.terms) out.numbers.push_back(sum);
  }
  for (const auto& [name, weight] : model::named_weights(*model))
    out.weights[name] = weight.detach().to(at::kCPU, weight.scalar_type(), false, /*copy=*/true);
  for (const auto& [name, tensor] : average.tensors()) out.averages[name] = tensor.cpu();
  for (const auto& [name, tensor] : optimizer.state()) out.state[name] = tensor.cpu();
  return out;
}

inline void expect_equal(const NamedTensors& one, const NamedTensors& other, const char* what) {
  ASSERT_EQ(one.size(), other.size()) << what;
  for (const auto& [name, tensor] : one)
    EXPECT_TRUE(at::equal(tensor, other.at(name))) << what << " " << name;
}

inline void expect_equal(const Outcome& one, const Outcome& other) {
  EXPECT_EQ(one.numbers, other.numbers);
  expect_equal(one.weights, other.weights, "weights");
  expect_equal(one.averages, other.averages, "average");
  expect_equal(one.state, other.state, "state");
}

/// A whole run with validations and checkpoints by so many ranks, in one folder; the weights that
/// it ends with. `change` sees the setup of each rank.
inline NamedTensors run_together(const TemporaryFolder& folder, int64_t ranks, TrainConfig config,
                                 bool resume = false,
                                 const std::function<void(TrainerSetup&)>& change = {},
                                 const ranks::GroupOptions& options = {}) {
  config.micro_batches = 3;
  config.ema = 0.9;
  config.validate_every = 4;
  config.save_every = 3;
  ranks::together(
      ranks,
      [&](ranks::Group& group) {
        at::set_num_threads(1);
        TrainerSetup setup = [&] {
          const std::lock_guard lock(one_generator());
          TrainerSetup made = setup_of(folder.path(), config, 0.1);
          if (change) change(made);
          return made;
        }();
        setup.group = &group;
        setup.validation = validation();
        setup.resume = resume;
        train(setup);
      },
      options);
  return read_weights(folder / "model.safetensors");
}

}  // namespace heed::train
