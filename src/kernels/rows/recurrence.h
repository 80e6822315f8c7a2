// The pointwise part of a step of a GRU, an LSTM and an SSRU and its gradient, for one row. T is
// float, or uint16_t for bf16.
#pragma once

#include <cstdint>

namespace heed::kernels {

template <class T>
struct RecurrentRow {
  /// r = sigmoid(x_r + u_r), z = sigmoid(x_z + u_z), n = tanh(x_n + r u_n), h' = n + z (h - n),
  /// with x = `gates` and u = `recurrent`, each [3 * hidden] as r, z, n. Writes h' to `state` and
  /// keeps r, z, n, u_n in `kept` [4 * hidden] for the gradient.
  static void gru(const T* gates, const T* recurrent, const float* before, float* state, T* kept,
                  int64_t hidden);

  /// From the gradient `outer` of h', writes those of `gates` and `recurrent`, and to `inner` that
  /// of h through the pointwise part (z times that of h').
  static void gru_gradient(const T* kept, const float* before, const float* outer, T* gates,
                           T* recurrent, float* inner, int64_t hidden);

  /// i, f, o = sigmoid(x + u) and g = tanh(x + u) of their blocks, c' = f c + i g, h' = o tanh(c'),
  /// with x = `gates` and u = `recurrent`, each [4 * hidden] as i, f, g, o, and c = `before`.
  /// Writes h' to `state` and c' to `cell`, and keeps i, f, g, o in `kept` [4 * hidden] for the
  /// gradient.
  static void lstm(const T* gates, const T* recurrent, const float* before, float* state,
                   float* cell, T* kept, int64_t hidden);

  /// From the gradients of h' (`to_state`) and c' (`to_cell`), writes that of x and u, which is the
  /// same, to `gates`, and that of c (`inner`, which may be `to_cell`).
  static void lstm_gradient(const T* kept, const float* before, const float* to_state,
                            const float* to_cell, T* gates, float* inner, int64_t hidden);

  /// f = sigmoid(`forget`), c' = f c + (1 - f) `candidate` with c = `before`. Writes c' to `state`,
  /// which may be `before`, and max(0, c') to `output`.
  static void ssru(const T* candidate, const T* forget, const float* before, float* state,
                   T* output, int64_t width);

  /// From the gradient `outer` of `output` and, in `carried`, that of c' through later steps,
  /// writes those of `candidate` and `forget`. `carried` becomes that of c.
  static void ssru_gradient(const T* candidate, const T* forget, const float* before,
                            const float* state, const T* outer, float* carried, T* to_candidate,
                            T* to_forget, int64_t width);
};

}  // namespace heed::kernels
