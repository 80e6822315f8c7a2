// The pointwise part of an LSTM's step and its gradient, for one row. T is float, or uint16_t for
// bf16.
#pragma once

#include <cstdint>

namespace heed::kernels {

/// i, f, o = sigmoid(x + u) and g = tanh(x + u) of their blocks, c' = f c + i g, h' = o tanh(c'),
/// with x = `gates` and u = `recurrent`, each [4 * hidden] as i, f, g, o, and c = `before`. Writes
/// h' to `state` and c' to `cell`, and keeps i, f, g, o in `kept` [4 * hidden] for the gradient.
template <class T>
void lstm_row(const T* gates, const T* recurrent, const float* before, float* state, float* cell,
              T* kept, int64_t hidden);

/// From the gradients of h' (`to_state`) and c' (`to_cell`) that of x and u, which is the same, and
/// that of c (`inner`, which may be `to_cell`).
template <class T>
void lstm_row_gradient(const T* kept, const float* before, const float* to_state,
                       const float* to_cell, T* gates, float* inner, int64_t hidden);

}  // namespace heed::kernels
