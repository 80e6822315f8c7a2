// An LSTM over packed sequences in one piece, as the GRU of kernels/gru.h: with gates i, f, g, o,
//   c' = sigmoid(f) c + sigmoid(i) tanh(g), h' = sigmoid(o) tanh(c').
// CPU, fp32 and bf16 products with fp32 states. The readable twin is RecurrentCell.
#pragma once

#include "kernels/recurrence.h"
#include "kernels/tensor.h"

namespace heed::kernels {

struct LstmState {
  Tensor hidden, cell;  // [rows, hidden] fp32 each, or [places, hidden] of every step
};

/// gates [places, 4 * hidden] (the input's part with all bias), hidden_weight [4 * hidden, hidden],
/// initial of rows[0] rows -> the state of every place. `backward` runs each sequence from its last
/// step to its first. Gates of bf16 make bf16 products.
LstmState lstm_sequence(const Tensor& gates, const Packing& packing, const Tensor& hidden_weight,
                        const LstmState& initial, bool backward);

/// One step behind its products: gates and recurrent [rows, 4 * hidden], cell [rows, hidden] fp32
/// -> the next state.
LstmState lstm_step(const Tensor& gates, const Tensor& recurrent, const Tensor& cell);

}  // namespace heed::kernels
