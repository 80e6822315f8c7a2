#include "model/transformer/fixed_beams.h"

#include <ATen/ATen.h>

#include <limits>

#include "model/transformer/attention/kinds.h"
#include "model/transformer/positions/positions.h"

namespace heed::model {
namespace {

constexpr double kNotSeen = -std::numeric_limits<double>::infinity();

/// The rows of some sentences become the first ones.
void bring_forward(const Tensor& all, const Tensor& rows) {
  all.narrow(0, 0, rows.size(0)).copy_(all.index_select(0, rows));
}

}  // namespace

bool has_fixed_steps(const ModelConfig& config) {
  return self_attention_info(config.self_attention).has_scores() && config.sliding_window == 0 &&
         positions_info(config.positions).effect != PositionsEffect::kAddsScores;
}

FixedBeams::FixedBeams(const State& state, int64_t numbers, int64_t beam, const BeamsShape& most)
    : most_(most) {
  const Tensor& source = state.memory[kSourceHeads];
  const int64_t head = source.size(3), slots = most.steps * beam;
  padding_ = at::zeros({most.sentences, 1, 1, most.source}, source.options());
  source_ = at::zeros({most.sentences, source.size(1), most.source, head}, source.options());
  steps_ = at::zeros({most.sentences, numbers / head, slots, head}, source.options());
  sees_ = at::empty({most.sentences, beam, slots}, source.options());
  at_ = at::zeros({1}, source.options().dtype(at::kLong));
}

void FixedBeams::start(const State& state, const BeamsShape& shape) {
  const Tensor &source = state.memory[kSourceHeads], &padding = state.memory[kHiddenPadding];
  const int64_t sentences = source.size(0), pieces = source.size(2);
  const State own = this->state(shape);
  for (const Tensor& one : own.memory) one.zero_();
  own.at.zero_();
  own.carried[0].fill_(kNotSeen);
  source_.narrow(0, 0, sentences).narrow(2, 0, pieces).copy_(source);
  const Tensor hidden = padding_.narrow(0, 0, sentences);
  hidden.narrow(3, pieces, shape.source - pieces).fill_(kNotSeen);
  if (padding.defined()) hidden.narrow(3, 0, pieces).copy_(padding.narrow(3, 0, pieces));
}

void FixedBeams::go_on_with(const Tensor& sentences, const Tensor& hypotheses) {
  for (const Tensor& one : {padding_, source_, steps_}) bring_forward(one, sentences);
  bring_forward(sees_.flatten(0, 1), hypotheses.flatten());
}

State FixedBeams::state(const BeamsShape& shape) const {
  const auto part = [&](const Tensor& all, int64_t dim, int64_t count) {
    return all.narrow(0, 0, shape.sentences).narrow(dim, 0, count);
  };
  const int64_t slots = shape.steps * beam();
  State out;
  out.memory = {part(padding_, 3, shape.source), part(source_, 2, shape.source),
                part(steps_, 2, slots)};
  out.carried = {part(sees_, 2, slots)};
  out.at = at_;
  out.end = shape.steps;
  return out;
}

}  // namespace heed::model
