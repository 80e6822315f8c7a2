// The attention of a recurrent decoder: one file and one line of registry.def per mechanism.
#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernels/additive.h"
#include "kernels/collected.h"
#include "kernels/normalisers/normaliser.h"
#include "kernels/tensor.h"
#include "model/config.h"

namespace heed::model {

/// The encoder as the decoder sees it, computed once per sentence.
struct Memory {
  Tensor values;   // [sentences, source, memory] encoder states h(i), both directions concatenated;
                   // fp32, or double
  Tensor keys;     // mechanism-specific projection of values, or undefined
  Tensor valid;    // [sentences, source] bool, false on padding
  Tensor summary;  // [sentences, memory] the encoder's last states, both directions
  Tensor bias;     // [sentences, 1, source] added to scores: 0 where valid, -inf on padding
  // Made by begin() for the steps of one sequence.
  kernels::Collected query = {};  // what multiplies the queries
  kernels::AdditiveMemory additive =
      {};                          // keys and values for the fused kernel, where it takes them
  Tensor facts = {};               // of coverage: what it reads of each position
  std::vector<Memory> heads = {};  // of several mechanisms side by side
  // For one step, or all of them.
  bool logs = false;  // the weights' logarithms are wanted
  /// Makes other weights, [sentences, query, source]; undefined: they stay.
  std::function<Tensor(const Tensor&, int64_t head)> exchange = {};
  int64_t head = 0;      // of several: which one this is of
  Tensor coverage = {};  // what was looked at before, where the mechanism asks for it:
                         // [sentences, query, source, any]
};

/// A Memory without keys, with the bias made from `valid`.
Memory make_memory(const Tensor& values, const Tensor& valid, const Tensor& summary);

struct Attended {
  Tensor context;  // [sentences, query, memory]
  Tensor weights;  // [sentences, query, source], rows sum to 1 over valid positions; undefined for
                   // `none`
  Tensor logs = {};      // of the weights, with a gradient; where Memory::logs wants them
  Tensor heads = {};     // [sentences, query, heads, source]: where there are several, whose mean
                         // `weights` is
  Tensor coverage = {};  // after this step, as in Memory
};

/// What becomes of scores.
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

/// When a mechanism is asked, which decides the recurrence around it (model/recurrent/decoder.h).
enum class Timing {
  kBefore,  // with s(t-1); c(t) enters the cell of step t (Bahdanau et al. 2015, A.1.2)
  kAfter,   // with s(t); then the attentional state (Luong et al. 2015, section 3)
  kNever,   // the context is the encoder's summary at every step (Cho et al. 2014)
};

/// A mechanism overrides `attend` and what it needs of `project` and `share`. These run in fp32 (or
/// double) whatever the precision: numbers of bf16 lie 1/8 apart between 16 and 32, and a score
/// that is off by 1/16 makes a weight that is off by 6 %.
class Attention : public torch::nn::Module {
 public:
  /// Once per sentence.
  Memory prepare(Memory memory);

  /// Before the steps of one sequence.
  Memory begin(Memory memory);

  /// Memory::coverage before the first step, [sentences, 1, source, any]; undefined for a mechanism
  /// that does not ask for it. One that does is asked for one step at a time.
  virtual Tensor first_coverage(const Memory&) const { return {}; }

  /// query [sentences, query, width of s]: several steps of teacher forcing or several hypotheses
  /// of a beam. `position` is the 0-based target position of the first query; `stride` is 1 where
  /// queries are successive positions and 0 where they are hypotheses at the same one. The context
  /// has the query's type.
  Attended forward(const Tensor& query, const Memory& memory, int64_t position, int64_t stride);

 protected:
  /// Projects the encoder's states.
  virtual Memory project(Memory memory) { return memory; }

  /// The place for what the steps of one sequence share, such as weights whose gradient is
  /// collected (kernels/collected.h).
  virtual Memory share(Memory memory) { return memory; }

  virtual Attended attend(const Tensor& query, const Memory& memory, int64_t position,
                          int64_t stride) = 0;
};

using AttentionPtr = std::shared_ptr<Attention>;

/// One line of registry.def.
struct AttentionKindInfo {
  const char* name;
  const char* help;  // the score, and the paper
  Timing timing;
  AttentionPtr (*make)(const AttentionSize& size);
};

/// Throws UserError for an unknown name.
const AttentionKindInfo& attention_info(const std::string& name);

}  // namespace heed::model
