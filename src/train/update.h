// One update of the weights: forward and backward over its batches, clipping, the optimizer, the
// average of weights.
#pragma once

#include <c10/core/Device.h>

#include <chrono>
#include <cstdint>
#include <vector>

#include "data/batch.h"
#include "model/model.h"
#include "train/config.h"
#include "train/optimizer.h"
#include "train/readback.h"

namespace heed::train {

struct UpdatePlan {
  int64_t update = 1;     // its number, from 1
  double rate = 0;        // learning rate
  double loss_scale = 1;  // fp16: small gradients survive, and are divided again
};

struct UpdateNumbers {
  double loss = 0, nll = 0;  // summed over tokens; not finite where the update was skipped...
  double norm = 0;           // ...or this is: of the gradient, before clipping
  bool finite() const;
};

double seconds_between(std::chrono::steady_clock::time_point from,
                       std::chrono::steady_clock::time_point to);

/// Where an update's time went on the host; a GPU may still be at work.
struct UpdateSeconds {
  double forward = 0, backward = 0, optimizer = 0;
  UpdateSeconds& operator+=(const UpdateSeconds& other);
};

/// What one update did. Its weights are unchanged where the numbers are not finite.
class UpdateReport {
 public:
  UpdateReport(const UpdatePlan& plan, const std::vector<data::Batch>& batches, Readback numbers);
  bool ready() const { return numbers_.ready(); }
  UpdateNumbers numbers() const;

  UpdatePlan plan;
  int64_t tokens = 0;                 // target tokens without padding
  int64_t real = 0, places = 0;       // both sides, without and with padding
  std::vector<data::Origin> origins;  // of all sentences
  UpdateSeconds seconds;

 private:
  Readback numbers_;
};

class Updater {
 public:
  /// All must outlive this object; `average` may be nullptr.
  Updater(model::Model& model, const TrainConfig& config, at::Device device,
          at::ScalarType precision, Optimizer& optimizer, Average* average);

  /// Losses are divided by the target tokens of all batches together, so that accumulating does
  /// what one large batch does. A batch for which memory runs out is split in two, again and again;
  /// throws Failure where that does not help.
  UpdateReport run(std::vector<data::Batch> batches, const UpdatePlan& plan);

 private:
  struct Sums {
    Tensor loss, nll;
  };
  using Clock = std::chrono::steady_clock;
  Sums accumulate(const std::vector<data::Batch>& batches, double loss_scale);
  Sums accumulate_within_memory(std::vector<data::Batch>& batches, const UpdatePlan& plan);
  void split(std::vector<data::Batch>& batches, std::size_t which, const UpdatePlan& plan);

  model::Model& model_;
  const TrainConfig& config_;
  at::Device device_;
  at::ScalarType precision_;
  Optimizer& optimizer_;
  Average* average_;
  std::size_t current_ = 0;  // the batch being computed
  UpdateSeconds seconds_;    // of the update being computed
  int64_t too_large_ = 0;    // padded places of the smallest batch that memory was too small for
};

/// Rows [begin, end) of a batch, padded no further than they need.
data::Batch rows_of(const data::Batch& batch, int64_t begin, int64_t end);

}  // namespace heed::train
