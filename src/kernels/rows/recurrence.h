// The pointwise part of a GRU's and of an LSTM's step and its gradient, for one row. T is float, or
// uint16_t for bf16.
#pragma once

#include <cstdint>

namespace heed::kernels {

/// r = sigmoid(x_r + u_r), z = sigmoid(x_z + u_z), n = tanh(x_n + r u_n), h' = n + z (h - n), with
/// x = `gates` and u = `recurrent`, each [3 * hidden] as r, z, n. Writes h' to `state` and keeps r,
/// z, n, u_n in `kept` [4 * hidden] for the gradient.
template <class T>
void gru_row(const T* gates, const T* recurrent, const float* before, float* state, T* kept,
             int64_t hidden);

/// From the gradient of h' those of `gates`, `recurrent` and, added to nothing, of h through the
/// pointwise part (z times that of h').
template <class T>
void gru_row_gradient(const T* kept, const float* before, const float* outer, T* gates,
                      T* recurrent, float* inner, int64_t hidden);

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
