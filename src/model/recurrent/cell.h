// One layer of one direction: GRU (Cho et al. 2014) or LSTM (Hochreiter and Schmidhuber 1997).
#pragma once

#include <torch/nn/module.h>

#include <cstdint>

#include "kernels/product.h"
#include "kernels/tensor.h"
#include "model/description/config.h"

namespace heed::model {

struct CellState {
  Tensor hidden;  // [..., hidden], the output
  Tensor cell;    // [..., hidden], LSTM only
};

/// A second input that is the same at every step. Its tensors are undefined where there is none.
struct SameExtra {
  Tensor input;  // [batch, 1, extra]
  Tensor gates;  // [batch, 1, gates], made of it by RecurrentCell::project_extra()
};

/// Gates in cuDNN's order, so that weights can be compared with other programs'. GRU: r, z, n with
///   r = sigmoid(W_r x + U_r h), z = sigmoid(W_z x + U_z h), n = tanh(W_n x + r (U_n h + b)),
///   h' = (1-z) n + z h;
/// LSTM: i, f, g, o with c' = sigmoid(f) c + sigmoid(i) tanh(g), h' = sigmoid(o) tanh(c').
class RecurrentCell : public torch::nn::Module {
 public:
  /// The weights as the steps of one sequence use them (kernels/product.h).
  struct SequenceWeights {
    kernels::Collected hidden, extra;
  };

  /// `extra` is the width of a second input (a context, an attentional state), 0 for none.
  RecurrentCell(Cell kind, int64_t input, int64_t hidden, int64_t extra = 0);

  /// The part of the gates that does not depend on the state: [..., input] -> [..., gates].
  Tensor project(const Tensor& input) const;
  /// Returns the weights for the steps of one sequence; each sequence needs its own.
  SequenceWeights begin() const;
  /// The second input's part: [..., extra] -> [..., gates].
  Tensor project_extra(const Tensor& extra, const SequenceWeights& steps) const;
  /// One step from the sum of all projected gates [..., gates].
  CellState step(const Tensor& gates, const CellState& state, const SequenceWeights& steps) const;
  /// Computes many steps: input [batch, time, input] -> the outputs [batch, time, hidden]. `state`,
  /// [batch, 1, hidden], becomes the last one.
  Tensor unroll(const Tensor& input, const SameExtra& extra, CellState& state) const;

 private:
  Tensor unroll_fused(const Tensor& gates, CellState& state) const;
  Tensor unroll_by_library(const Tensor& input, const SameExtra& extra, CellState& state) const;

  Cell kind_;
  Tensor input_weight_;   // W [gates, input]
  Tensor extra_weight_;   // [gates, extra]
  Tensor hidden_weight_;  // U [gates, hidden]
  Tensor input_bias_;     // [gates]
  Tensor hidden_bias_;    // [gates], GRU only: r multiplies its last third
};

struct LibraryWeights {
  Tensor input, hidden;            // W [gates, input], U [gates, hidden]
  Tensor input_bias, hidden_bias;  // [gates]
};

struct LibraryOutput {
  Tensor outputs;       // [batch, time, hidden]
  Tensor hidden, cell;  // the last states, [1, batch, hidden]; cell: LSTM only
};

/// Computes one layer of one direction by LibTorch's layers: on a GPU by cuDNN, instead of one
/// launch for each operation of each step. input [batch, time, width], first states [1, batch,
/// hidden].
LibraryOutput run_library(Cell cell, const LibraryWeights& weights, const Tensor& input,
                          const CellState& first);

/// Xavier-uniform matrices of every gate, one below the other: [gates * hidden, input].
Tensor gate_matrices(int64_t gates, int64_t hidden, int64_t input);
/// Orthogonal matrices of every gate, one below the other: [gates * hidden, hidden] (Saxe et al.
/// 2014).
Tensor orthogonal_gates(int64_t gates, int64_t hidden);
/// Zeros, but 1 for the LSTM's forget gate (Jozefowicz et al. 2015): [gates * hidden].
Tensor gate_bias(Cell kind, int64_t hidden);

inline int64_t gate_count(Cell kind) {
  return kind == Cell::gru ? 3 : 4;
}

}  // namespace heed::model
