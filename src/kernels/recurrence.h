// A GRU and an LSTM over packed sequences in one piece: the recurrent products of all steps write
// into one tensor each way, so that the weights' gradient is a single product and a step makes no
// node of its own. CPU, fp32 and bf16 products with fp32 states: gates of bf16 make bf16 products.
// The readable twin is model::RecurrentCell. ssru() is an SSRU, whose steps have no products; its
// twin is in model/transformer/recurrence.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/tensor.h"

namespace heed::kernels {

/// Sequences laid out step by step, longest first: step t has the first rows[t] sequences, never
/// more than the step before it. Each step of each sequence is a row of the tensors below; `total`
/// is their number.
struct Packing {
  std::vector<int64_t> rows;
};

/// Whether the functions below take gates and states of these types and on this device.
bool can_run_recurrence(const Tensor& gates, const Tensor& state);

/// gates [total, 3 * hidden] (the input's part of r, z, n with its bias), hidden_weight [3 *
/// hidden, hidden], hidden_bias [3 * hidden], initial [rows[0], hidden] fp32 -> every state
/// [total, hidden] fp32. `backward` runs each sequence from its last step to its first. Throws Bug
/// where `gates` has not a row for every step of `packing`.
Tensor gru_sequence(const Tensor& gates, const Packing& packing, const Tensor& hidden_weight,
                    const Tensor& hidden_bias, const Tensor& initial, bool backward);

/// One step of a GRU after its products: gates and recurrent [rows, 3 * hidden], before [rows,
/// hidden] fp32 -> the next state [rows, hidden] fp32.
Tensor gru_step(const Tensor& gates, const Tensor& recurrent, const Tensor& before);

struct LstmState {
  Tensor hidden, cell;  // [rows, hidden] fp32 each, or [total, hidden] of every step
};

/// gru_sequence() for an LSTM, with gates i, f, g, o,
///   c' = sigmoid(f) c + sigmoid(i) tanh(g), h' = sigmoid(o) tanh(c'),
/// gates [total, 4 * hidden] (the input's part with all bias), hidden_weight [4 * hidden, hidden],
/// initial of rows[0] rows -> the state of every step.
LstmState lstm_sequence(const Tensor& gates, const Packing& packing, const Tensor& hidden_weight,
                        const LstmState& initial, bool backward);

/// One step of an LSTM after its products: gates and recurrent [rows, 4 * hidden], cell [rows,
/// hidden] fp32 -> the next state.
LstmState lstm_step(const Tensor& gates, const Tensor& recurrent, const Tensor& cell);

/// An SSRU: f(t) = sigmoid(forget(t)), c(t) = f(t) c(t-1) + (1 - f(t)) candidate(t), output max(0,
/// c(t)), from c = 0 (Kim et al. 2019): candidate and forget [positions, width] on the CPU, both
/// fp32 or both bf16, sentences of these lengths one after the other -> the same shape and type.
Tensor ssru(const Tensor& candidate, const Tensor& forget, const std::vector<int64_t>& lengths);

}  // namespace heed::kernels
