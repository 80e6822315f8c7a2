// Recurrences by LibTorch's layers: cuDNN's on a GPU, in place of a launch for each operation of
// each step.
#pragma once

#include <vector>

#include "kernels/tensor.h"
#include "model/recurrent/cell.h"

namespace heed::model {

/// Layers with or without a backward direction, on top of each other.
struct LibraryLayers {
  Cell cell = Cell::gru;
  std::vector<Tensor> weights;  // of each layer and direction: W, U, b of the input, b of the state
  int64_t layers = 1;
  bool both_directions = false;
  double dropout = 0;  // between layers
};

struct LibraryOutput {
  Tensor outputs;       // as the input, [..., hidden], with both directions side by side
  Tensor hidden, cell;  // the last states, [layers * directions, batch, hidden]; cell: LSTM only
};

/// Input [batch, time, width], first states [layers * directions, batch, hidden].
LibraryOutput run_library(const LibraryLayers& layers, const Tensor& input, const CellState& first);

/// The same of packed sequences, longest first: input [places, width], batch_sizes as those of
/// at::_pack_padded_sequence.
LibraryOutput run_library(const LibraryLayers& layers, const Tensor& input,
                          const Tensor& batch_sizes, const CellState& first);

}  // namespace heed::model
