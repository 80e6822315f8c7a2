#include "kernels/rows/recurrence.h"

#include "kernels/rows/numbers.h"
#include "kernels/rows/versions.h"

namespace heed::kernels {
namespace {

template <class T>
HEED_LOOP void gru_forward(const T* __restrict gates, const T* __restrict recurrent,
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
HEED_LOOP void gru_backward(const T* __restrict kept, const float* __restrict before,
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

template <class T>
HEED_LOOP void lstm_forward(const T* __restrict gates, const T* __restrict recurrent,
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
HEED_LOOP void lstm_backward(const T* __restrict kept, const float* __restrict before,
                             const float* __restrict to_state, const float* to_cell,
                             T* __restrict gates, float* inner, int64_t hidden) {
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

template <class T>
HEED_LOOP void ssru_forward(const T* __restrict candidate, const T* __restrict forget,
                            const float* before, float* state, T* __restrict output,
                            int64_t width) {
#pragma omp simd
  for (int64_t j = 0; j < width; ++j) {
    const float x = number(candidate[j]);
    const float c = x + logistic(number(forget[j])) * (before[j] - x);
    state[j] = c;
    put(output[j], c < 0 ? 0 : c);  // NaN stays
  }
}

template <class T>
HEED_LOOP void ssru_backward(const T* __restrict candidate, const T* __restrict forget,
                             const float* __restrict before, const float* __restrict state,
                             const T* __restrict outer, float* __restrict carried,
                             T* __restrict to_candidate, T* __restrict to_forget, int64_t width) {
#pragma omp simd
  for (int64_t j = 0; j < width; ++j) {
    const float x = number(candidate[j]), f = logistic(number(forget[j]));
    const float to_c = carried[j] + (state[j] <= 0 ? 0 : number(outer[j]));
    put(to_candidate[j], to_c * (1 - f));
    put(to_forget[j], to_c * (before[j] - x) * f * (1 - f));
    carried[j] = to_c * f;
  }
}

}  // namespace

template <class T>
void RecurrentRow<T>::gru(const T* gates, const T* recurrent, const float* before, float* state,
                          T* kept, int64_t hidden) {
  fastest<gru_forward<T>>(gates, recurrent, before, state, kept, hidden);
}

template <class T>
void RecurrentRow<T>::gru_gradient(const T* kept, const float* before, const float* outer, T* gates,
                                   T* recurrent, float* inner, int64_t hidden) {
  fastest<gru_backward<T>>(kept, before, outer, gates, recurrent, inner, hidden);
}

template <class T>
void RecurrentRow<T>::lstm(const T* gates, const T* recurrent, const float* before, float* state,
                           float* cell, T* kept, int64_t hidden) {
  fastest<lstm_forward<T>>(gates, recurrent, before, state, cell, kept, hidden);
}

template <class T>
void RecurrentRow<T>::lstm_gradient(const T* kept, const float* before, const float* to_state,
                                    const float* to_cell, T* gates, float* inner, int64_t hidden) {
  fastest<lstm_backward<T>>(kept, before, to_state, to_cell, gates, inner, hidden);
}

template <class T>
void RecurrentRow<T>::ssru(const T* candidate, const T* forget, const float* before, float* state,
                           T* output, int64_t width) {
  fastest<ssru_forward<T>>(candidate, forget, before, state, output, width);
}

template <class T>
void RecurrentRow<T>::ssru_gradient(const T* candidate, const T* forget, const float* before,
                                    const float* state, const T* outer, float* carried,
                                    T* to_candidate, T* to_forget, int64_t width) {
  fastest<ssru_backward<T>>(candidate, forget, before, state, outer, carried, to_candidate,
                            to_forget, width);
}

template struct RecurrentRow<float>;
template struct RecurrentRow<uint16_t>;

}  // namespace heed::kernels
