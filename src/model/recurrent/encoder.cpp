#include "model/recurrent/encoder.h"

#include <ATen/ATen.h>

#include <cstddef>
#include <cstdint>

#include "kernels/product.h"
#include "kernels/recurrence.h"
#include "model/description/config.h"
#include "model/embedding.h"

namespace heed::model {

RecurrentEncoder::RecurrentEncoder(const ModelConfig& config, int64_t input)
    : cell_(config.cell),
      layers_(config.layers),
      hidden_(config.hidden_size / 2),
      dropout_(config.dropout) {
  const int64_t gates = gate_count(cell_);
  for (int64_t layer = 0; layer < layers_; ++layer) {
    const int64_t width = layer == 0 ? input : 2 * hidden_;
    std::array<LibraryWeights, 2>& both = weights_.emplace_back();
    for (const std::size_t direction : {0, 1}) {
      const auto add = [&](const char* part, const Tensor& value) {
        return register_parameter(
            fmt::format("layer{}_{}_{}", layer, direction == 0 ? "forward" : "backward", part),
            value);
      };
      both[direction] = {.input = add("input_weight", gate_matrices(gates, hidden_, width)),
                         .hidden = add("hidden_weight", orthogonal_gates(gates, hidden_)),
                         .input_bias = add("input_bias", gate_bias(cell_, hidden_)),
                         .hidden_bias = add("hidden_bias", at::zeros({gates * hidden_}))};
    }
  }
}

namespace {

/// The index of each packed sequence's last step; the longest sequence is the first.
Tensor last_steps(const Tensor& lengths, const std::vector<int64_t>& rows) {
  std::vector<int64_t> begins = {0};
  for (const int64_t count : rows) begins.push_back(begins.back() + count);
  const auto* length = lengths.const_data_ptr<int64_t>();
  std::vector<int64_t> indices;
  for (int64_t i = 0; i < lengths.size(0); ++i)
    indices.push_back(begins[static_cast<std::size_t>(length[i] - 1)] + i);
  return at::tensor(indices, at::kLong);
}

/// For each position of [batch, length] the index of the position whose content it gets when each
/// sentence is turned around; padding stays after the sentence. Returns [batch * length].
Tensor turned(const Tensor& valid) {
  const Tensor lengths = valid.sum(1, /*keepdim=*/true);
  const Tensor positions = at::arange(valid.size(1), lengths.options());
  const Tensor within = at::where(valid, lengths - 1 - positions, positions);
  const Tensor begins = at::arange(valid.size(0), lengths.options()).mul_(valid.size(1));
  return (within + begins.unsqueeze(1)).flatten();
}

Tensor rows_at(const Tensor& x, const Tensor& indices) {
  return x.flatten(0, 1).index_select(0, indices);
}

}  // namespace

// Computed by the fused kernels from packed sequences, longest first: nothing is computed for
// padding. The LSTM's two biases are only ever used as their sum.
RecurrentEncoder::Outputs RecurrentEncoder::packed(const Tensor& embedded,
                                                   const Tensor& all_lengths) const {
  const Tensor order = all_lengths.argsort(/*stable=*/true, 0, /*descending=*/true);
  const Tensor back = order.argsort(), lengths = all_lengths.index_select(0, order);
  auto [data, batch_sizes] =
      at::_pack_padded_sequence(embedded.index_select(0, order), lengths, true);
  const auto* rows = batch_sizes.const_data_ptr<int64_t>();
  const kernels::Packing packing{{rows, rows + batch_sizes.size(0)}};
  const Tensor zeros = at::zeros({lengths.size(0), hidden_},
                                 weights_.front()[0].input.options().requires_grad(false));
  Tensor summary;
  for (int64_t layer = 0; layer < layers_; ++layer) {
    if (layer > 0) data = drop(data, dropout_, is_training());
    Tensor states[2];
    for (const int64_t direction : {0, 1}) {
      const auto& [input, recurrent, input_bias, hidden_bias] = weights_[layer][direction];
      const Tensor bias = cell_ == Cell::gru ? input_bias : input_bias + hidden_bias;
      const Tensor gates = kernels::linear(data, input, bias);
      const bool backward = direction == 1;
      states[direction] =
          cell_ == Cell::gru
              ? kernels::gru_sequence(gates, packing, recurrent, hidden_bias, zeros, backward)
              : kernels::lstm_sequence(gates, packing, recurrent, {zeros, zeros}, backward).hidden;
    }
    data = at::cat({states[0], states[1]}, 1);
    if (layer + 1 == layers_)
      summary = at::cat({states[0].index_select(0, last_steps(lengths, packing.rows)),
                         states[1].narrow(0, 0, lengths.size(0))},
                        1);
  }
  const Tensor states =
      std::get<0>(at::_pad_packed_sequence(data, batch_sizes, true, 0.0, embedded.size(1)));
  return {states.index_select(0, back), summary.index_select(0, back)};
}

// Computed by LibTorch's layers. Each direction comes to the padding of a sentence last, so that
// its states there enter no others. cuDNN takes packed sequences, too, but needs their lengths on
// the host, and takes four times as long for the gradient of two directions.
RecurrentEncoder::Outputs RecurrentEncoder::padded(Tensor data, const Tensor& valid) const {
  const Tensor zeros = at::zeros({1, data.size(0), hidden_},
                                 weights_.front()[0].input.options().requires_grad(false));
  const Tensor turn = turned(valid);
  const Tensor last = turn.view_as(valid).select(1, 0);  // of each sentence
  Tensor summary;
  for (int64_t layer = 0; layer < layers_; ++layer) {
    if (layer > 0) data = drop(data, dropout_, is_training());
    const auto run = [&](int64_t direction, const Tensor& input) {
      return run_library(cell_, weights_[layer][direction], input, {zeros, zeros}).outputs;
    };
    const Tensor forward = run(0, data);
    const Tensor backward = run(1, rows_at(data, turn).view_as(data));
    if (layer + 1 == layers_)
      summary = at::cat({rows_at(forward, last), rows_at(backward, last)}, 1);
    data = at::cat({forward, rows_at(backward, turn).view_as(forward)}, 2);
  }
  return {data.masked_fill(valid.logical_not().unsqueeze(2), 0), summary};
}

Encoded RecurrentEncoder::forward(const Tensor& embedded, const Source& source) {
  const Outputs outputs = kernels::can_run_recurrence(embedded, weights_.front()[0].input)
                              ? packed(embedded, source.lengths)
                              : padded(embedded, source.valid);
  return make_encoded(drop(outputs.states, dropout_, is_training()), source.valid, outputs.summary);
}

}  // namespace heed::model
