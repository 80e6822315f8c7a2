// Recurrences by LibTorch's layers: cuDNN's on a GPU, in place of a launch for each operation of
// each step.
#pragma once

#include "kernels/tensor.h"
#include "model/recurrent/cell.h"

namespace heed::model {

struct LibraryWeights {
  Tensor input, hidden;            // W [gates, input], U [gates, hidden]
  Tensor input_bias, hidden_bias;  // [gates]
};

struct LibraryOutput {
  Tensor outputs;       // [batch, time, hidden]
  Tensor hidden, cell;  // the last states, [1, batch, hidden]; cell: LSTM only
};

/// One layer of one direction: input [batch, time, width], first states [1, batch, hidden].
LibraryOutput run_library(Cell cell, const LibraryWeights& weights, const Tensor& input,
                          const CellState& first);

}  // namespace heed::model
