// The attention of a recurrent decoder: one file and one line of registry.def per mechanism.
#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernels/normalisers/normaliser.h"
#include "kernels/tensor.h"
#include "model/description/config.h"
#include "model/description/kinds.h"

namespace heed::model {

/// The encoder's output for the sentences of a batch.
struct Encoded {
  Tensor values;  // [sentences, source, memory] states h(i), both directions concatenated; fp32, or
                  // double
  Tensor valid;   // [sentences, source] bool, false on padding
  Tensor summary;  // [sentences, memory] the last states, both directions
  Tensor bias;     // [sentences, 1, source] added to scores: 0 where valid, -inf on padding
};

/// Returns these tensors with the bias, which it makes from `valid`.
Encoded make_encoded(const Tensor& values, const Tensor& valid, const Tensor& summary);

/// Data that the steps of one sequence share, of a mechanism's own type: weights whose gradient is
/// collected (kernels/product.h), or keys in another form. It keeps the tensors of which it was
/// made, because a step may come with others.
struct SequenceCache {
  virtual ~SequenceCache() = default;
};

/// The encoder's output in the form that a mechanism reads.
struct Prepared : Encoded {
  Tensor keys = {};  // mechanism-specific projection of values, or undefined
  std::shared_ptr<const SequenceCache> cache = {};  // made by begin(); null: there is none
};

/// The input of one step, or of several steps that are computed together.
struct StepInput {
  Tensor query = {};     // [sentences, query, width of s]: steps of teacher forcing or hypotheses
  int64_t position = 0;  // the 0-based target position of the first query
  int64_t stride = 0;    // 1 where queries are successive positions, 0 where they are at the same
  Tensor coverage = {};  // earlier attention, where the mechanism asks for it:
                         // [sentences, query, source, any]
  bool logs = false;     // the weights' logarithms are wanted
  /// Replaces the weights, [sentences, query, source]; undefined: they stay.
  std::function<Tensor(const Tensor&, int64_t head)> exchange = {};
  int64_t head = 0;  // the number of the head, where there are several
};

struct Attended {
  Tensor context;  // [sentences, query, memory]
  Tensor weights;  // [sentences, query, source], rows sum to 1 over valid positions; undefined for
                   // `none`
  Tensor logs = {};      // of the weights, with a gradient; where StepInput::logs wants them
  Tensor heads = {};     // [sentences, query, heads, source]: where there are several, whose mean
                         // `weights` is
  Tensor coverage = {};  // after this step, as in StepInput
};

/// Normaliser and dropout of weights.
struct Weighing {
  kernels::Normalise normalise = &kernels::softmax;
  double dropout = 0;  // of the weights, while training
};

struct AttentionSize {
  int64_t query = 0;   // width of the decoder's state s
  int64_t memory = 0;  // width of the encoder's states h
  int64_t hidden = 0;  // width of the inner layer, where there is one
  Weighing weighing;
  int64_t positions = 1024;  // source positions that a mechanism without content knows
};

/// A mechanism overrides `attend` and, where it needs them, `project` and `share`. These run in
/// fp32 (or double) whatever the precision: numbers of bf16 lie 1/8 apart between 16 and 32, and a
/// score that is off by 1/16 makes a weight that is off by 6 %.
class Attention : public torch::nn::Module {
 public:
  /// Makes the projections that are needed once per sentence.
  Prepared prepare(const Encoded& encoded);

  /// Makes the data that the steps of one sequence share, before the first of them.
  Prepared begin(Prepared memory);

  /// StepInput::coverage before the first step, [sentences, 1, source, any]; undefined for a
  /// mechanism that does not need it. A mechanism that needs it computes one step at a time.
  virtual Tensor first_coverage(const Encoded&) const { return {}; }

  /// Computes one step, or several together. `memory` is the result of begin(), or the same with
  /// other keys or another bias for this step. The context has the query's type.
  Attended forward(StepInput step, const Prepared& memory);

 protected:
  /// Projects the encoder's states.
  virtual Prepared project(const Encoded& encoded) { return {encoded}; }

  virtual std::shared_ptr<const SequenceCache> share(const Prepared&) { return nullptr; }

  virtual Attended attend(const StepInput& step, const Prepared& memory) = 0;
};

using AttentionPtr = std::shared_ptr<Attention>;

using AttentionMaker = AttentionPtr (*)(const AttentionSize& size);

/// The constructor of the mechanism with a name of registry.def. Throws Bug for another name, which
/// check() refuses.
AttentionMaker attention_maker(const std::string& name);

/// The mechanism of `model.attention`, in a window, then with coverage, then side by side as heads,
/// as the configuration says.
AttentionPtr make_attention(const ModelConfig& config);

}  // namespace heed::model
