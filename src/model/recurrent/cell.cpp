#include "model/recurrent/cell.h"

#include <ATen/ATen.h>
#include <c10/util/Exception.h>

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include "kernels/recurrence.h"
#include "model/embedding.h"

namespace heed::model {

Tensor gate_matrices(int64_t gates, int64_t hidden, int64_t input) {
  std::vector<Tensor> blocks;
  for (int64_t i = 0; i < gates; ++i) blocks.push_back(xavier(hidden, input));
  return at::cat(blocks);
}

Tensor orthogonal_gates(int64_t gates, int64_t hidden) {
  std::vector<Tensor> blocks;
  for (int64_t i = 0; i < gates; ++i) blocks.push_back(orthogonal(hidden));
  return at::cat(blocks);
}

Tensor gate_bias(Cell kind, int64_t hidden) {
  Tensor bias = at::zeros({gate_count(kind) * hidden});
  if (kind == Cell::lstm) bias.narrow(0, hidden, hidden).fill_(1);
  return bias;
}

RecurrentCell::RecurrentCell(Cell kind, int64_t input, int64_t hidden, int64_t extra)
    : kind_(kind) {
  const int64_t gates = gate_count(kind);
  input_weight_ = register_parameter("input_weight", gate_matrices(gates, hidden, input));
  if (extra > 0)
    extra_weight_ = register_parameter("extra_weight", gate_matrices(gates, hidden, extra));
  hidden_weight_ = register_parameter("hidden_weight", orthogonal_gates(gates, hidden));
  input_bias_ = register_parameter("input_bias", gate_bias(kind, hidden));
  if (kind == Cell::gru)
    hidden_bias_ = register_parameter("hidden_bias", at::zeros({gates * hidden}));
}

Tensor RecurrentCell::project(const Tensor& input) const {
  return kernels::linear(input, input_weight_, input_bias_);
}

RecurrentCell::SequenceWeights RecurrentCell::begin() const {
  return {kernels::collected(hidden_weight_, hidden_bias_),
          extra_weight_.defined() ? kernels::collected(extra_weight_) : kernels::Collected()};
}

Tensor RecurrentCell::project_extra(const Tensor& extra, const SequenceWeights& steps) const {
  return kernels::collected_linear(extra, steps.extra);
}

namespace {

CellState fused_step(Cell kind, const Tensor& gates, const Tensor& recurrent,
                     const CellState& state) {
  const auto rows = [](const Tensor& x) { return x.flatten(0, -2); };
  if (kind == Cell::gru)
    return {
        kernels::gru_step(rows(gates), rows(recurrent), rows(state.hidden)).view_as(state.hidden),
        {}};
  const auto next = kernels::lstm_step(rows(gates), rows(recurrent), rows(state.cell));
  return {next.hidden.view_as(state.hidden), next.cell.view_as(state.cell)};
}

/// Drops LibTorch's warnings. cuDNN wants all weights in one piece of memory, copies them there,
/// and warns of it at each call. The copy is cheap beside the computation, and other code wants the
/// weights as they are.
class Silent : public c10::WarningHandler {
 public:
  void process(const c10::Warning&) override {}
};

}  // namespace

// States keep their own type (fp32 under autocast) while the gates may be narrower. chunk and split
// are better here than narrow, because their gradient is one concatenation.
CellState RecurrentCell::step(const Tensor& gates, const CellState& state,
                              const SequenceWeights& steps) const {
  const Tensor recurrent = kernels::collected_linear(state.hidden, steps.hidden);
  if (kernels::can_run_recurrence(gates, state.hidden))
    return fused_step(kind_, gates, recurrent, state);
  const auto type = state.hidden.scalar_type();
  if (kind_ == Cell::gru) {
    const int64_t hidden = state.hidden.size(-1);
    const auto from_input = gates.split_with_sizes({2 * hidden, hidden}, -1);
    const auto from_state = recurrent.split_with_sizes({2 * hidden, hidden}, -1);
    const auto open = at::sigmoid(from_input[0] + from_state[0]).chunk(2, -1);  // r, z
    const Tensor candidate = at::tanh(from_input[1] + open[0] * from_state[1]);
    return {at::lerp(candidate.to(type), state.hidden, open[1].to(type)), {}};
  }
  const auto part = (gates + recurrent).chunk(4, -1);
  const Tensor kept = at::sigmoid(part[1]) * state.cell;
  const Tensor cell = kept + at::sigmoid(part[0]) * at::tanh(part[2]);
  return {(at::sigmoid(part[3]) * at::tanh(cell)).to(type), cell};
}

Tensor RecurrentCell::unroll(const Tensor& input, const SameExtra& extra, CellState& state) const {
  if (!input.is_cpu()) return unroll_by_library(input, extra, state);
  const Tensor own = project(input), gates = extra.gates.defined() ? own + extra.gates : own;
  if (kernels::can_run_recurrence(gates, state.hidden)) return unroll_fused(gates, state);
  const SequenceWeights steps = begin();
  std::vector<Tensor> outputs;
  for (const Tensor& now : gates.split(1, 1)) {
    state = step(now, state, steps);
    outputs.push_back(state.hidden);
  }
  return at::cat(outputs, 1);
}

// Runs the fused kernels over sequences of one length, laid out step by step.
Tensor RecurrentCell::unroll_fused(const Tensor& gates, CellState& state) const {
  const int64_t rows = gates.size(0), steps = gates.size(1);
  const kernels::Packing packing{std::vector<int64_t>(static_cast<std::size_t>(steps), rows)};
  const Tensor packed = gates.transpose(0, 1).flatten(0, 1), hidden = state.hidden.flatten(0, 1);
  const auto unpacked = [&](const Tensor& x) {  // [batch, time, hidden]
    return x.view({steps, rows, -1}).transpose(0, 1);
  };
  Tensor outputs;
  if (kind_ == Cell::gru) {
    outputs = unpacked(
        kernels::gru_sequence(packed, packing, hidden_weight_, hidden_bias_, hidden, false));
  } else {
    const auto all = kernels::lstm_sequence(packed, packing, hidden_weight_,
                                            {hidden, state.cell.flatten(0, 1)}, false);
    outputs = unpacked(all.hidden);
    state.cell = unpacked(all.cell).narrow(1, steps - 1, 1);
  }
  state.hidden = outputs.narrow(1, steps - 1, 1);
  return outputs;
}

// The second input becomes more columns of the first.
Tensor RecurrentCell::unroll_by_library(const Tensor& input, const SameExtra& extra,
                                        CellState& state) const {
  Tensor x = input, weight = input_weight_;
  if (extra.input.defined()) {
    x = at::cat({input, extra.input.to(input.scalar_type()).expand({-1, input.size(1), -1})}, 2);
    weight = at::cat({input_weight_, extra_weight_}, 1);
  }
  const Tensor hidden_bias =
      hidden_bias_.defined() ? hidden_bias_ : at::zeros_like(input_bias_).requires_grad_(false);
  const auto by_layer = [](const Tensor& rows) {  // [batch, 1, hidden] -> [1, batch, hidden]
    return rows.defined() ? rows.transpose(0, 1).contiguous() : rows;
  };
  const LibraryOutput all = run_library(kind_, {weight, hidden_weight_, input_bias_, hidden_bias},
                                        x, {by_layer(state.hidden), by_layer(state.cell)});
  state.hidden = all.hidden.transpose(0, 1);
  if (kind_ == Cell::lstm) state.cell = all.cell.transpose(0, 1);
  return all.outputs;
}

// Autocast by itself would run cuDNN's recurrences in fp16, where bf16 is asked for; in fp16
// gradients that are not scaled vanish.
LibraryOutput run_library(Cell cell, const LibraryWeights& weights, const Tensor& input,
                          const CellState& first) {
  const at::ScalarType type = kernels::product_type(input);
  const kernels::WithoutAutocast in_this_type;
  Silent silent;
  const c10::WarningUtils::WarningHandlerGuard guard(&silent);
  const auto as = [&](const Tensor& x) { return x.to(type); };
  const std::vector<Tensor> all = {as(weights.input), as(weights.hidden), as(weights.input_bias),
                                   as(weights.hidden_bias)};
  // A gradient on a GPU needs the call's `train`, outside of training, too: saliency takes one.
  const bool keep_states = at::GradMode::is_enabled();
  LibraryOutput out;
  if (cell == Cell::gru)
    std::tie(out.outputs, out.hidden) =
        at::gru(as(input), as(first.hidden), all, true, 1, 0.0, keep_states, false, true);
  else
    std::tie(out.outputs, out.hidden, out.cell) = at::lstm(
        as(input), {as(first.hidden), as(first.cell)}, all, true, 1, 0.0, keep_states, false, true);
  return out;
}

}  // namespace heed::model
