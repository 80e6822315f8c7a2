// One update of the weights: forward and backward over the parts of its batches, clipping, the
// optimizer, the average of weights.
//
// A batch is cut into parts (data::parts_of). Each rank computes a range of them, each part by one
// worker: a thread with a model of its own over the same weights. The gradients are added along a
// tree (TreeSum), and what a part draws follows from the seed, the update and its number. So the
// number of workers and of ranks changes nothing.
#pragma once

#include <c10/core/Device.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "data/origin.h"
#include "kernels/divide_work.h"
#include "model/device.h"
#include "model/pointer.h"
#include "train/config.h"
#include "train/loss.h"
#include "train/losses.h"
#include "train/optimizer.h"
#include "train/optimizer_step.h"
#include "train/recorded_pass.h"
#include "train/shard.h"

namespace heed::data {
struct Batch;  // data/batch.h
}  // namespace heed::data

namespace heed::train {

struct UpdateNumbers {
  double loss = 0, nll = 0;  // summed over tokens; not finite where the update was skipped...
  double norm = 0;           // ...or this is: of the gradient, before clipping
  std::map<std::string, double> terms =
      {};  // LossTerms, summed; `loss` has them times their weight
  bool finite() const;
};

double seconds_between(std::chrono::steady_clock::time_point from,
                       std::chrono::steady_clock::time_point to);

/// The seconds that the phases of an update took on the host. The workers' time is divided by their
/// number; a GPU may still be computing.
struct UpdateSeconds {
  double forward = 0, backward = 0, optimizer = 0;
  UpdateSeconds& operator+=(const UpdateSeconds& other);
};

/// The results of one update. Its weights are unchanged where the numbers are not finite.
class UpdateReport {
 public:
  /// `numbers`: LossSum::numbers() of the `terms`, and the gradient's norm.
  UpdateReport(const UpdatePlan& plan, const std::vector<data::Batch>& parts,
               const std::vector<AuxiliaryLoss>& terms, model::Download numbers,
               const UpdateSeconds& seconds);
  bool ready() const { return numbers_.arrived(); }
  /// Waits where they are not ready.
  UpdateNumbers numbers() const;

  const UpdatePlan& plan() const { return plan_; }
  int64_t tokens() const { return tokens_; }  // target tokens without padding
  int64_t real() const { return real_; }      // tokens of both sides without padding
  int64_t padded() const { return padded_; }  // the same with padding
  const std::vector<data::Origin>& origins() const { return origins_; }  // of all sentences
  const UpdateSeconds& seconds() const { return seconds_; }

 private:
  UpdatePlan plan_;
  int64_t tokens_ = 0, real_ = 0, padded_ = 0;
  std::vector<data::Origin> origins_;
  UpdateSeconds seconds_;
  std::vector<AuxiliaryLoss> terms_;
  model::Download numbers_;  // [2 + terms + 1] double
};

/// Freezes what training.freeze names, or gives the model adapters, with which all else is frozen.
/// Throws UserError.
void choose_trainable(model::Model& model, const TrainConfig& config);

/// The trainable parameters, in an order that only the kind of model decides (trainable()).
std::vector<Tensor> trainable_list(const model::Model& model);

/// The gradient of each parameter, undefined where it has none; the parameters lose them.
Gradients take_gradients(const std::vector<Tensor>& parameters);

/// Returns how many of this process's threads (at::get_num_threads()) compute a part together on a
/// CPU: one, unless there are several for each part of an update.
int64_t threads_of_a_part(const TrainConfig& config, int64_t ranks);

/// How the work of an update is divided on a CPU.
struct Division {
  int64_t parts = 1;       // of an update
  int64_t accumulate = 1;  // batches of an update
  int64_t threads = 1;     // of each rank
  int64_t ranks = 1;
  int64_t of_a_part = 1;  // threads_of_a_part()
};
/// Returns what a user is told of it: who computes how many parts, and whether their number changes
/// the result. "" where one thread computes all.
std::string division_text(const Division& of);

/// Makes a model of the same kind, with weights of its own; may be empty.
using MakeModel = std::function<model::ModelPtr()>;

class Updater {
 public:
  /// Updates the optimizer's shard of the model. All arguments must outlive this object; `average`
  /// may be nullptr. Without `another` there is one worker.
  Updater(model::Model& model, const TrainConfig& config, at::Device device,
          at::ScalarType precision, Optimizer& optimizer, Average* average, MakeModel another = {});

  /// `parts` are all of the update; this rank computes its range of them. Losses are divided by the
  /// target tokens of all together, so that accumulating does what one large batch does. A part for
  /// which memory runs out is computed in two halves, again and again; throws Failure where that
  /// does not help. Collective.
  UpdateReport run(const std::vector<data::Batch>& parts, const UpdatePlan& plan);

  /// Logs how the parts are divided among threads, and what is recorded as graphs of a GPU.
  void log_how_it_computes() const;

  const OptimizerStep& step() const { return step_; }
  const RecordedPass& recorded_pass() const { return recorded_pass_; }

 private:
  struct Worker {
    model::Model& model;
    std::vector<Tensor> parameters;  // trainable_list()
  };
  struct PartSums {  // over the tokens of one part
    Tensor losses;   // LossSum::numbers()
    Gradients gradients;
    UpdateSeconds seconds;
  };
  struct UpdateJob {  // one update
    const std::vector<data::Batch>& parts;
    const UpdatePlan& plan;
    int64_t tokens;  // of all parts
  };
  using Clock = std::chrono::steady_clock;
  /// Returns how many threads compute a part: all of them on another device than a CPU, and where
  /// there is one worker, because then parts are computed one by one.
  int64_t threads_of_a_part() const;
  void add_workers(int64_t count);
  LossSum loss_of_part(model::Model& model, const data::Batch& part, uint64_t seed) const;
  PartSums compute(Worker& worker, const data::Batch& part, uint64_t seed, const UpdateJob& job);
  PartSums compute_within_memory(Worker& worker, const data::Batch& part, uint64_t seed,
                                 const UpdateJob& job);
  std::optional<PartSums> compute_recorded(const data::Batch& part, uint64_t seed,
                                           const UpdateJob& job);
  bool is_too_large(const data::Batch& part) const;
  void note_too_large(const data::Batch& part, const UpdatePlan& plan);
  std::vector<Gradients> accumulate(const UpdateJob& job, const Tensor& losses,
                                    UpdateSeconds& seconds);
  Tensor losses_of_all(const Tensor& mine, int64_t parts) const;

  const TrainConfig& config_;
  at::Device device_;
  at::ScalarType precision_;
  Shard& shard_;
  OptimizerStep step_;
  MakeModel another_;
  std::vector<model::ModelPtr> others_;  // of the workers but the first
  std::vector<Worker> workers_;
  RecordedPass recorded_pass_;                  // of the first of them
  kernels::Waiting waiting_;                    // of threads that compute a part together
  std::atomic<int64_t> too_large_ = INT64_MAX;  // padded tokens of the smallest part for which
                                                // memory was too small
};

}  // namespace heed::train
