#include "kernels/rows/lstm.h"

#include "kernels/rows/numbers.h"
#include "kernels/rows/versions.h"

namespace heed::kernels {
namespace {

template <class T>
HEED_LOOP void forward(const T* __restrict gates, const T* __restrict recurrent,
                       const float* before, float* state, float* cell, T* __restrict kept,
                       int64_t hidden) {
#pragma omp simd
  for (int64_t j = 0; j < hidden; ++j) {
    const int64_t at_f = hidden + j, at_g = 2 * hidden + j, at_o = 3 * hidden + j;
    const float i = logistic(number(gates[j]) + number(recurrent[j]));
    const float f = logistic(number(gates[at_f]) + number(recurrent[at_f]));
    const float g = hyperbolic_tangent(number(gates[at_g]) + number(recurrent[at_g]));
    const float o = logistic(number(gates[at_o]) + number(recurrent[at_o]));
    const float c = f * before[j] + i * g;
    cell[j] = c;
    state[j] = o * hyperbolic_tangent(c);
    put(kept[j], i);
    put(kept[at_f], f);
    put(kept[at_g], g);
    put(kept[at_o], o);
  }
}

template <class T>
HEED_LOOP void backward(const T* __restrict kept, const float* __restrict before,
                        const float* __restrict to_state, const float* to_cell, T* __restrict gates,
                        float* inner, int64_t hidden) {
#pragma omp simd
  for (int64_t j = 0; j < hidden; ++j) {
    const float i = number(kept[j]), f = number(kept[hidden + j]);
    const float g = number(kept[2 * hidden + j]), o = number(kept[3 * hidden + j]);
    const float t = hyperbolic_tangent(f * before[j] + i * g);
    const float to_c = to_cell[j] + to_state[j] * o * (1 - t * t);
    const float to_i = to_c * g * i * (1 - i);
    const float to_f = to_c * before[j] * f * (1 - f);
    const float to_g = to_c * i * (1 - g * g);
    const float to_o = to_state[j] * t * o * (1 - o);
    put(gates[j], to_i);
    put(gates[hidden + j], to_f);
    put(gates[2 * hidden + j], to_g);
    put(gates[3 * hidden + j], to_o);
    inner[j] = to_c * f;
  }
}

}  // namespace

template <class T>
void lstm_row(const T* gates, const T* recurrent, const float* before, float* state, float* cell,
              T* kept, int64_t hidden) {
  fastest<forward<T>>(gates, recurrent, before, state, cell, kept, hidden);
}

template <class T>
void lstm_row_gradient(const T* kept, const float* before, const float* to_state,
                       const float* to_cell, T* gates, float* inner, int64_t hidden) {
  fastest<backward<T>>(kept, before, to_state, to_cell, gates, inner, hidden);
}

template void lstm_row(const float*, const float*, const float*, float*, float*, float*, int64_t);
template void lstm_row(const uint16_t*, const uint16_t*, const float*, float*, float*, uint16_t*,
                       int64_t);
template void lstm_row_gradient(const float*, const float*, const float*, const float*, float*,
                                float*, int64_t);
template void lstm_row_gradient(const uint16_t*, const float*, const float*, const float*,
                                uint16_t*, float*, int64_t);

}  // namespace heed::kernels
