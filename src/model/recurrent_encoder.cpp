#include "model/recurrent_encoder.h"

#include <ATen/ATen.h>

#include <string>
#include <tuple>

#include "model/embedding.h"
#include "model/recurrent_cell.h"

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

// Packed sequences, longest first: padding is never computed with.
Memory RecurrentEncoder::forward(const Tensor& embedded, const Source& source) {
  const Tensor order = source.lengths.argsort(/*stable=*/true, 0, /*descending=*/true);
  const Tensor back = order.argsort().to(embedded.device());
  const Tensor sorted = embedded.index_select(0, order.to(embedded.device()));
  const auto [data, batch_sizes] =
      at::_pack_padded_sequence(sorted, source.lengths.index_select(0, order), true);
  const Tensor zeros = at::zeros({2 * layers_, embedded.size(0), hidden_},
                                 weights_.front().options().requires_grad(false));
  Tensor outputs, last;  // last [layers * 2, batch, hidden]
  if (cell_ == Cell::gru)
    std::tie(outputs, last) =
        at::gru(data, batch_sizes, zeros, weights_, true, layers_, dropout_, is_training(), true);
  else
    std::tie(outputs, last, std::ignore) = at::lstm(data, batch_sizes, {zeros, zeros}, weights_,
                                                    true, layers_, dropout_, is_training(), true);
  const Tensor padded =
      std::get<0>(at::_pad_packed_sequence(outputs, batch_sizes, true, 0.0, embedded.size(1)));
  const Tensor summary =
      at::cat({last.select(0, 2 * layers_ - 2), last.select(0, 2 * layers_ - 1)}, 1);
  const Tensor values = drop(padded.index_select(0, back), dropout_, is_training());
  return make_memory(values, source.valid, summary.index_select(0, back));
}

}  // namespace heed::model
