#include "model/recurrent_cell.h"

#include <ATen/ATen.h>
#include <torch/nn/init.h>

#include "model/attention/common.h"

namespace heed::model {

Tensor gate_matrices(int64_t gates, int64_t hidden, int64_t input) {
  std::vector<Tensor> blocks;
  for (int64_t i = 0; i < gates; ++i) blocks.push_back(xavier(hidden, input));
  return at::cat(blocks);
}

Tensor orthogonal_gates(int64_t gates, int64_t hidden) {
  std::vector<Tensor> blocks;
  for (int64_t i = 0; i < gates; ++i)
    blocks.push_back(torch::nn::init::orthogonal_(at::empty({hidden, hidden})));
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
  return at::linear(input, input_weight_, input_bias_);
}

Tensor RecurrentCell::project_extra(const Tensor& extra) const {
  return at::linear(extra, extra_weight_);
}

// States keep their own type (fp32 under autocast) while the gates may be narrower. chunk and split
// rather than narrow: their gradient is one concatenation.
CellState RecurrentCell::step(const Tensor& gates, const CellState& state) const {
  const Tensor recurrent = at::linear(state.hidden, hidden_weight_, hidden_bias_);
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

Tensor RecurrentCell::unroll(const Tensor& gates, CellState& state) const {
  std::vector<Tensor> outputs;
  for (const Tensor& now : gates.split(1, 1)) {
    state = step(now, state);
    outputs.push_back(state.hidden);
  }
  return at::cat(outputs, 1);
}

}  // namespace heed::model
