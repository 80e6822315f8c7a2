#include "kernels/rows/gru.h"

#include "kernels/rows/numbers.h"
#include "kernels/rows/versions.h"

namespace heed::kernels {
namespace {

template <class T>
HEED_LOOP void forward(const T* __restrict gates, const T* __restrict recurrent,
                       const float* before, float* state, T* __restrict kept, int64_t hidden) {
#pragma omp simd
  for (int64_t j = 0; j < hidden; ++j) {
    const float u = number(recurrent[2 * hidden + j]);
    const float r = logistic(number(gates[j]) + number(recurrent[j]));
    const float z = logistic(number(gates[hidden + j]) + number(recurrent[hidden + j]));
    const float n = hyperbolic_tangent(number(gates[2 * hidden + j]) + r * u);
    state[j] = n + z * (before[j] - n);
    put(kept[j], r);
    put(kept[hidden + j], z);
    put(kept[2 * hidden + j], n);
    put(kept[3 * hidden + j], u);
  }
}

template <class T>
HEED_LOOP void backward(const T* __restrict kept, const float* __restrict before,
                        const float* outer, T* __restrict gates, T* __restrict recurrent,
                        float* inner, int64_t hidden) {
#pragma omp simd
  for (int64_t j = 0; j < hidden; ++j) {
    const float r = number(kept[j]), z = number(kept[hidden + j]);
    const float n = number(kept[2 * hidden + j]), u = number(kept[3 * hidden + j]);
    const float from = outer[j];
    const float to_n = from * (1 - z) * (1 - n * n);
    const float to_z = from * (before[j] - n) * z * (1 - z);
    const float to_r = to_n * u * r * (1 - r);
    put(gates[j], to_r);
    put(gates[hidden + j], to_z);
    put(gates[2 * hidden + j], to_n);
    put(recurrent[j], to_r);
    put(recurrent[hidden + j], to_z);
    put(recurrent[2 * hidden + j], to_n * r);
    inner[j] = from * z;
  }
}

}  // namespace

template <class T>
void gru_row(const T* gates, const T* recurrent, const float* before, float* state, T* kept,
             int64_t hidden) {
  fastest<forward<T>>(gates, recurrent, before, state, kept, hidden);
}

template <class T>
void gru_row_gradient(const T* kept, const float* before, const float* outer, T* gates,
                      T* recurrent, float* inner, int64_t hidden) {
  fastest<backward<T>>(kept, before, outer, gates, recurrent, inner, hidden);
}

template void gru_row(const float*, const float*, const float*, float*, float*, int64_t);
template void gru_row(const uint16_t*, const uint16_t*, const float*, float*, uint16_t*, int64_t);
template void gru_row_gradient(const float*, const float*, const float*, float*, float*, float*,
                               int64_t);
template void gru_row_gradient(const uint16_t*, const float*, const float*, uint16_t*, uint16_t*,
                               float*, int64_t);

}  // namespace heed::kernels
