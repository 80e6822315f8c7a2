// Gradients to updates: Adam and AdamW (Kingma and Ba 2015; Loshchilov and Hutter 2019) and SGD as
// one call over all tensors, Adadelta (Zeiler 2012). What is kept between updates has names and is
// saved with them.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/model.h"
#include "train/config.h"

namespace heed::train {

using at::Tensor;
using NamedTensors = std::map<std::string, Tensor>;

/// The trainable parameters by dotted name, tied ones once (not copied).
NamedTensors trainable(const model::Model& model);

class Optimizer {
 public:
  /// Of the model's parameters, which must be on their device already and stay there.
  Optimizer(const TrainConfig& config, const model::Model& model);

  void clear_gradients();

  /// sqrt of the sum of all squared gradients: [] float on the device.
  Tensor gradient_norm() const;

  /// One update with gradients divided by `divisor` ([] float); where `skip` ([] float, on the
  /// device) is 1 nothing changes. Neither is read by the host on a GPU (but for Adadelta, which
  /// reads `skip`). The gradients' content is undefined afterwards. On a
  /// CPU no bit depends on the number of threads, here as in gradient_norm().
  void step(double rate, const Tensor& divisor, const Tensor& skip);

  /// "exp_avg/encoder.weight" and so on; not copied.
  NamedTensors state() const;
  /// Throws UserError naming `origin` for the state of another optimizer or model.
  void load_state(const NamedTensors& state, const std::string& origin);

 private:
  struct Slot {  // of one parameter
    std::string name;
    Tensor parameter;
    Tensor step;           // [] float: updates so far (adam, adamw)
    Tensor first, second;  // running averages
  };
  struct Lists;  // the same as lists, of the parameters that have a gradient

  Lists lists() const;
  void step_of(const Lists& some, double rate, const std::optional<Tensor>& scale,
               const Tensor& skip) const;
  void adadelta(double rate, const Lists& lists) const;

  TrainConfig config_;
  std::vector<Slot> slots_;
};

/// What the gradients are divided by: `scale` (of the loss, fp16) times what shortens them to
/// `clip` (0: never). [] float, on the device of `norm`, which still has the scale in it.
Tensor gradient_divisor(const Tensor& norm, double clip, double scale);

/// A running average of the weights: average += (1 - d) * (weights - average), d = decay, less
/// while there are few updates: min(decay, (1 + t) / (10 + t)).
class Average {
 public:
  Average(const model::Model& model, double decay);

  void update(int64_t t);  // t: updates so far, from 1
  /// Exchanges the model's weights and the average, content by content.
  void swap();

  const NamedTensors& tensors() const { return average_; }
  /// Throws UserError naming `origin` where names or shapes differ.
  void load(const NamedTensors& tensors, const std::string& origin);

 private:
  NamedTensors weights_, average_;
  std::vector<Tensor> weight_list_, average_list_;
  double decay_;
};

/// The weights are averaged ones for the lifetime of this object; does nothing for nullptr.
class Averaged {
 public:
  explicit Averaged(Average* average) : average_(average) {
    if (average_) average_->swap();
  }
  ~Averaged() {
    if (average_) average_->swap();
  }
  Averaged(const Averaged&) = delete;
  Averaged& operator=(const Averaged&) = delete;

 private:
  Average* average_;
};

}  // namespace heed::train
