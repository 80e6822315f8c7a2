// The attention of a recurrent decoder: one file and one line of registry.def per mechanism.
#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <memory>
#include <string>

#include "kernels/additive.h"
#include "kernels/collected.h"
#include "kernels/tensor.h"
#include "model/config.h"

namespace heed::model {

/// The encoder as the decoder sees it, computed once per sentence.
struct Memory {
  Tensor values;   // [sentences, source, memory] encoder states h(i), both directions concatenated
  Tensor keys;     // mechanism-specific projection of values, or undefined
  Tensor valid;    // [sentences, source] bool, false on padding
  Tensor summary;  // [sentences, memory] the encoder's last states, both directions
  Tensor bias;     // [sentences, 1, source] added to scores: 0 where valid, -inf on padding
  // Made by begin() for the steps of one sequence.
  kernels::Collected query;          // what multiplies the queries
  kernels::AdditiveMemory additive;  // keys and values for the fused kernel, where it takes them
};

/// A Memory without keys, with the bias made from `valid`.
Memory make_memory(const Tensor& values, const Tensor& valid, const Tensor& summary);

struct Attended {
  Tensor context;  // [sentences, query, memory]
  Tensor weights;  // [sentences, query, source], rows sum to 1 over valid positions; undefined for
                   // `none`
};

struct AttentionSize {
  int64_t query = 0;         // width of the decoder's state s
  int64_t memory = 0;        // width of the encoder's states h
  int64_t hidden = 0;        // width of the inner layer, where there is one
  double dropout = 0;        // of the weights, while training
  int64_t positions = 1024;  // source positions that a mechanism without content knows
};

/// When a mechanism is asked, which decides the recurrence around it (model/recurrent/decoder.h).
enum class Timing {
  kBefore,  // with s(t-1); c(t) enters the cell of step t (Bahdanau et al. 2015, A.1.2)
  kAfter,   // with s(t); then the attentional state (Luong et al. 2015, section 3)
  kNever,   // the context is the encoder's summary at every step (Cho et al. 2014)
};

class Attention : public torch::nn::Module {
 public:
  /// Projects the encoder's states once per sentence.
  virtual Memory prepare(Memory memory) { return memory; }

  /// Called before the steps of one sequence: the place for what they share, such as weights whose
  /// gradient is collected (kernels/collected.h).
  virtual Memory begin(Memory memory) { return memory; }

  /// query [sentences, query, width of s]: several steps of teacher forcing or several hypotheses
  /// of a beam. `position` is the 0-based target position of the first query; `stride` is 1 where
  /// queries are successive positions and 0 where they are hypotheses at the same one.
  virtual Attended forward(const Tensor& query, const Memory& memory, int64_t position,
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
