#include "model/recurrent/encoder.h"

#include <ATen/ATen.h>

#include <string>

#include "kernels/gru.h"
#include "kernels/lstm.h"
#include "kernels/product.h"
#include "model/device.h"
#include "model/embedding.h"
#include "model/recurrent/cell.h"
#include "model/recurrent/library.h"

namespace heed::model {

RecurrentEncoder::RecurrentEncoder(const ModelConfig& config, int64_t input)
    : cell_(config.cell),
      layers_(config.layers),
      hidden_(config.hidden_size / 2),
      dropout_(config.dropout) {
  const int64_t gates = gate_count(cell_);
  for (int64_t layer = 0; layer < layers_; ++layer) {
    const int64_t width = layer == 0 ? input : 2 * hidden_;
    for (const char* direction : {"forward", "backward"}) {
      const auto add = [&](const char* part, const Tensor& value) {
        const std::string name = "layer" + std::to_string(layer) + "_" + direction + "_" + part;
        weights_.push_back(register_parameter(name, value));
      };
      add("input_weight", gate_matrices(gates, hidden_, width));
      add("hidden_weight", orthogonal_gates(gates, hidden_));
      add("input_bias", gate_bias(cell_, hidden_));
      add("hidden_bias", at::zeros({gates * hidden_}));
    }
  }
}

namespace {

/// Where each packed sequence, longest first, has its last place.
Tensor last_places(const Tensor& lengths, const std::vector<int64_t>& rows) {
  std::vector<int64_t> begins = {0};
  for (const int64_t count : rows) begins.push_back(begins.back() + count);
  const auto* length = lengths.const_data_ptr<int64_t>();
  std::vector<int64_t> places;
  for (int64_t i = 0; i < lengths.size(0); ++i)
    places.push_back(begins[static_cast<std::size_t>(length[i] - 1)] + i);
  return at::tensor(places, at::kLong);
}

}  // namespace

// Both directions of every layer by the fused kernels. The LSTM's two biases are only ever added.
RecurrentEncoder::Encoded RecurrentEncoder::fused(Tensor data, const Tensor& lengths,
                                                  const kernels::Packing& packing) const {
  const Tensor zeros =
      at::zeros({lengths.size(0), hidden_}, weights_.front().options().requires_grad(false));
  Tensor summary;
  for (int64_t layer = 0; layer < layers_; ++layer) {
    if (layer > 0) data = drop(data, dropout_, is_training());
    Tensor states[2];
    for (const int64_t direction : {0, 1}) {
      const Tensor* weights = &weights_[static_cast<std::size_t>(4 * (2 * layer + direction))];
      const Tensor bias = cell_ == Cell::gru ? weights[2] : weights[2] + weights[3];
      const Tensor gates = kernels::linear(data, weights[0], bias);
      const bool backward = direction == 1;
      states[direction] =
          cell_ == Cell::gru
              ? kernels::gru_sequence(gates, packing, weights[1], weights[3], zeros, backward)
              : kernels::lstm_sequence(gates, packing, weights[1], {zeros, zeros}, backward).hidden;
    }
    data = at::cat({states[0], states[1]}, 1);
    if (layer + 1 == layers_)
      summary = at::cat({states[0].index_select(0, last_places(lengths, packing.rows)),
                         states[1].narrow(0, 0, lengths.size(0))},
                        1);
  }
  return {data, summary};
}

// Of LibTorch's layers, on any device.
RecurrentEncoder::Encoded RecurrentEncoder::library(const Tensor& data,
                                                    const Tensor& batch_sizes) const {
  const Tensor zeros = at::zeros({2 * layers_, batch_sizes[0].item<int64_t>(), hidden_},
                                 weights_.front().options().requires_grad(false));
  const LibraryOutput all = run_library({.cell = cell_,
                                         .weights = weights_,
                                         .layers = layers_,
                                         .both_directions = true,
                                         .dropout = is_training() ? dropout_ : 0},
                                        data, batch_sizes, {zeros, zeros});
  const auto last = [&](int64_t direction) {
    return all.hidden.select(0, 2 * layers_ - 2 + direction);
  };
  return {all.outputs, at::cat({last(0), last(1)}, 1)};
}

// Packed sequences, longest first: padding is never computed with.
Memory RecurrentEncoder::forward(const Tensor& embedded, const Source& source) {
  const Tensor order = source.lengths.argsort(/*stable=*/true, 0, /*descending=*/true);
  const Tensor back = upload(order.argsort(), embedded.device());
  const Tensor sorted = embedded.index_select(0, upload(order, embedded.device()));
  const Tensor lengths = source.lengths.index_select(0, order);
  const auto [data, batch_sizes] = at::_pack_padded_sequence(sorted, lengths, true);
  const auto* rows = batch_sizes.const_data_ptr<int64_t>();
  const Encoded encoded = kernels::can_run_recurrence(data, weights_.front())
                              ? fused(data, lengths, {{rows, rows + batch_sizes.size(0)}})
                              : library(data, batch_sizes);
  const Tensor padded = std::get<0>(
      at::_pad_packed_sequence(encoded.states, batch_sizes, true, 0.0, embedded.size(1)));
  const Tensor values = drop(padded.index_select(0, back), dropout_, is_training());
  return make_memory(values, source.valid, encoded.summary.index_select(0, back));
}

}  // namespace heed::model
