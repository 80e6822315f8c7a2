// Helpers that tests of whole training runs share: small settings, and a folder that goes away.
#pragma once

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/log.h"
#include "base/strings.h"
#include "message.h"
#include "model/weights.h"
#include "temporary_folder.h"
#include "toy_model.h"
#include "train/checkpoint.h"
#include "train/trainer.h"

namespace heed::train {

using nlohmann::json;
using ::testing::HasSubstr;

constexpr int64_t kPieces = 23;  // of the vocabularies of small models

inline TrainConfig quick(int64_t updates) {
  TrainConfig config;
  config.updates = updates;
  config.batch_size = 40;
  config.schedule = ScheduleKind::constant;
  config.learning_rate = 0.01;
  config.label_smoothing = 0.1;
  config.validate_every = 1000;
  config.save_every = 1000;
  config.log_every = 5;
  return config;
}

inline TrainerSetup setup_of(const std::string& folder, const TrainConfig& config,
                             double dropout = 0) {
  TrainerSetup setup;
  setup.model = std::make_shared<toy::ToyModel>(dropout);
  setup.config = config;
  setup.folder = folder;
  setup.corpus = toy::corpus();
  setup.batches = batch_options(config, data::DataConfig{}, 1, 1);
  setup.interrupted = [] { return false; };
  return setup;
}

inline std::optional<ValidationScores> bleu(double value) {
  return ValidationScores{.values = {{Metric::bleu, value}}};
}

inline std::vector<data::Batch> validation() {
  return data::fixed_batches(*toy::corpus(9), 30);
}

inline std::vector<json> metrics(const TemporaryFolder& folder, const std::string& event) {
  std::vector<json> out;
  for (const auto& line : split(read_file(folder / "metrics.jsonl"), '\n'))
    if (!line.empty() && json::parse(line).at("event") == event) out.push_back(json::parse(line));
  return out;
}

/// All of metrics.jsonl but what a clock has measured.
inline std::vector<json> timeless_metrics(const TemporaryFolder& folder) {
  std::vector<json> out;
  for (const auto& line : split(read_file(folder / "metrics.jsonl"), '\n')) {
    if (line.empty()) continue;
    out.push_back(json::parse(line));
    for (const char* key : {"seconds", "left", "tokens_per_second", "waiting"})
      out.back().erase(key);
  }
  return out;
}

/// The lines that a run logs while this lives.
class Logged {
 public:
  Logged() { log::add_file(folder_ / "log"); }
  ~Logged() { log::close_files(); }
  Logged(const Logged&) = delete;
  Logged& operator=(const Logged&) = delete;
  std::string text() const { return read_file(folder_ / "log"); }

 private:
  TemporaryFolder folder_;
};

inline void expect_same_weights(const std::string& a, const std::string& b) {
  const NamedTensors left = read_weights(a), right = read_weights(b);
  ASSERT_EQ(left.size(), right.size());
  for (const auto& [name, tensor] : left) EXPECT_TRUE(at::equal(tensor, right.at(name))) << name;
}

class Trainer : public ::testing::Test {
 protected:
  Trainer() {
    log::set_quiet();
    at::set_num_threads(1);  // for models this small; and a forked process has no other threads
  }
  TemporaryFolder folder, other;
};

}  // namespace heed::train
