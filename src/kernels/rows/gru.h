// The pointwise part of a GRU's step and its gradient, for one row. uint16_t stands for bf16.
#pragma once

#include <cstdint>

namespace heed::kernels {

/// r = sigmoid(x_r + u_r), z = sigmoid(x_z + u_z), n = tanh(x_n + r u_n), h' = n + z (h - n), with
/// x = `gates` and u = `recurrent`, each [3 * hidden] as r, z, n. Writes h' to `state` and keeps r,
/// z, n, u_n in `kept` [4 * hidden] for the gradient.
void gru_row(const float* gates, const float* recurrent, const float* before, float* state,
             float* kept, int64_t hidden);
void gru_row(const uint16_t* gates, const uint16_t* recurrent, const float* before, float* state,
             uint16_t* kept, int64_t hidden);

/// From the gradient of h' those of `gates`, `recurrent` and, added to nothing, of h through the
/// pointwise part (z times that of h').
void gru_row_gradient(const float* kept, const float* before, const float* outer, float* gates,
                      float* recurrent, float* inner, int64_t hidden);
void gru_row_gradient(const uint16_t* kept, const float* before, const float* outer,
                      uint16_t* gates, uint16_t* recurrent, float* inner, int64_t hidden);

}  // namespace heed::kernels
