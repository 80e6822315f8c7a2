// What the fused GRU and LSTM share with who calls them.
#pragma once

#include <vector>

#include "kernels/tensor.h"

namespace heed::kernels {

/// Sequences laid out step by step, longest first: step t has the first rows[t] sequences, never
/// more than the step before it.
struct Packing {
  std::vector<int64_t> rows;
  int64_t places() const;  // of all steps
  /// Throws Bug where `gates` has not a row for every place.
  void require(const Tensor& gates) const;
};

/// Whether gates and states of these types and on this device are for gru_sequence, gru_step,
/// lstm_sequence and lstm_step.
bool can_run_recurrence(const Tensor& gates, const Tensor& state);

}  // namespace heed::kernels
