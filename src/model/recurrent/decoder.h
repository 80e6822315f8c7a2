// The recurrent decoder around an attention: which recurrence it runs depends on the attention's
// timing.
//
//   kNever   s(t) = f(s(t-1), y(t-1), c)                               c: the encoder's summary
//   kBefore  c(t) = attention(s(t-1)), s(t) = f(s(t-1), y(t-1), c(t))
//            both read out through tanh(W [s(t); y(t-1); c(t)]), or the maxout of Bahdanau et al.
//            A.2.2
//   kAfter   s(t) = f(s(t-1), y(t-1)), c(t) = attention(s(t)),
//            read out as h~(t) = tanh(W [c(t); s(t)]);
//            with input feeding s(t) = f(s(t-1), y(t-1), h~(t-1))
//
// With several layers the attention works with the top one, and c(t) or h~(t-1) enters the bottom
// one.
#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/product.h"
#include "model/description/config.h"
#include "model/description/kinds.h"
#include "model/recurrent/attention/attention.h"
#include "model/recurrent/cell.h"
#include "model/state.h"
#include "model/trace.h"

namespace heed::model {

class RecurrentDecoder : public torch::nn::Module {
 public:
  /// `input` is the width of the embeddings and of the features.
  RecurrentDecoder(const ModelConfig& config, int64_t input);

  /// The state before the first step, beam 1; projects the encoder's states.
  State start(const Encoded& encoded);

  /// One step for every hypothesis: embedded [sentences, beam, input] -> features of the same
  /// shape. `weights`, where not null, receives [sentences, heads, beam, source].
  Tensor step(const Tensor& embedded, State& state, Tensor* weights);

  /// Teacher forcing: embedded [batch, target, input] -> features of the same shape. `weights`,
  /// where not null, receives [batch, heads, target, source], and `logs` the logarithms of their
  /// mean over the heads, [batch, target, source], with a gradient.
  Tensor run(const Tensor& embedded, const State& state, Tensor* weights, Tensor* logs = nullptr,
             const Exchange& exchange = {});

  bool attends() const { return timing_ != Timing::kNever; }

 private:
  struct Carried {
    std::vector<CellState> layers;  // bottom first, each [sentences, beam, hidden]
    Tensor feed;                    // h~(t-1) [sentences, beam, input] with input feeding
    Tensor coverage;                // as in StepInput
  };
  /// The results of one step, or of all steps, joined along the second dimension.
  struct DecoderStep {
    Tensor before, top;  // the top layer's s(t-1) and s(t), [sentences, beam, hidden]
    Attended attended;
    Tensor attentional;  // h~(t) [sentences, beam, input], kAfter only
  };

  /// The data that the steps of one sequence share: weights whose gradients are collected, and the
  /// encoder's states.
  struct SharedBySteps {
    Prepared memory;
    std::vector<RecurrentCell::SequenceWeights> cells;  // bottom first
    kernels::Collected read_state, read_context;        // of the attentional state
  };

  Carried first_states(const Tensor& summary) const;
  Prepared load_memory(const State& state) const;
  Carried load(const State& state) const;
  void store(const Carried& carried, State& state) const;
  Tensor bottom_gates(const Tensor& embedded, const State& state) const;
  SharedBySteps begin(const Prepared& memory) const;
  DecoderStep advance(const Tensor& gates, Carried& carried, const SharedBySteps& sequence,
                      StepInput asked);
  DecoderStep run_stepwise(const Tensor& gates, Carried& carried, const Prepared& memory,
                           StepInput asked);
  DecoderStep run_at_once(const Tensor& embedded, const State& state, Carried& carried,
                          const Prepared& memory, StepInput asked);
  static Tensor attentional_state(const Tensor& context, const Tensor& top,
                                  const SharedBySteps& sequence);
  static Tensor by_head(const Attended& attended);
  Tensor read_out(const Tensor& embedded, const DecoderStep& step) const;

  Cell cell_;
  Timing timing_;
  bool feeding_, maxout_;
  double dropout_;
  AttentionPtr attention_;
  std::vector<std::shared_ptr<RecurrentCell>> cells_;  // bottom first
  Tensor initial_weight_, initial_bias_;               // summary -> every layer's first state
  Tensor read_state_, read_context_, read_input_;      // W of the read-out in its parts
  Tensor read_bias_;
};

}  // namespace heed::model
