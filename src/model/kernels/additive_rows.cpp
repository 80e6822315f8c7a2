#include "model/kernels/additive_rows.h"

#include <algorithm>

#include "model/kernels/vector.h"

namespace heed::model::kernels {
namespace {

/// tanh of the sum of a query's and a key's number.
struct Plain {
  static float tangent(float q, float k) { return hyperbolic_tangent(q + k); }
};
struct Grown {
  static float tangent(float q, float k) { return 1 - 2 / (1 + q * k); }
};

template <class Pair>
[[gnu::always_inline]] inline void score_all(const AdditiveScore& score, const float* __restrict v,
                                             float* __restrict weights, const AdditiveSize& size) {
  const float* __restrict query = score.query;
  for (int64_t i = 0; i < size.source; ++i) {
    const float* key = score.keys + i * size.hidden;
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t j = 0; j < size.hidden; ++j) sum += v[j] * Pair::tangent(query[j], key[j]);
    weights[i] = sum;
  }
}

/// `to_scores` [source]: what the scores' gradient is.
template <class Pair>
[[gnu::always_inline]] inline void score_gradients(
    const AdditiveScore& score, const float* __restrict v, const float* __restrict to_scores,
    float* __restrict to_query, float* __restrict to_v, float* __restrict to_keys,
    const AdditiveSize& size) {
  const float* __restrict query = score.query;
  for (int64_t i = 0; i < size.source; ++i) {
    const float* key = score.keys + i * size.hidden;
    float* to_key = to_keys + i * size.hidden;
    const float to_score = to_scores[i];
#pragma omp simd
    for (int64_t j = 0; j < size.hidden; ++j) {
      const float t = Pair::tangent(query[j], key[j]);
      const float slope = to_score * v[j] * (1 - t * t);
      to_v[j] += to_score * t;
      to_query[j] += slope;
      to_key[j] += slope;
    }
  }
}

}  // namespace

HEED_VECTORISED bool grow(const float* __restrict x, float* __restrict grown, int64_t count) {
  constexpr float kLargest = 21;  // e^(2 * 21 + 2 * 21) is finite
  float most = 0;
#pragma omp simd reduction(max : most)
  for (int64_t i = 0; i < count; ++i) {
    const float size = x[i] < 0 ? -x[i] : x[i];
    most = size > most ? size : most;
    grown[i] = exponential(2 * x[i]);
  }
  return most <= kLargest;
}

HEED_VECTORISED void additive_row(const AdditiveScore& score, const float* __restrict v,
                                  const float* __restrict values, float* __restrict weights,
                                  float* __restrict context, const AdditiveSize& size) {
  score.grown ? score_all<Grown>(score, v, weights, size)
              : score_all<Plain>(score, v, weights, size);
  float most = -1e30F, total = 0;
  for (int64_t i = 0; i < size.source; ++i) most = std::max(most, weights[i]);
  for (int64_t i = 0; i < size.source; ++i) {
    weights[i] = exponential(weights[i] - most);
    total += weights[i];
  }
  for (int64_t j = 0; j < size.memory; ++j) context[j] = 0;
  for (int64_t i = 0; i < size.source; ++i) {
    const float weight = weights[i] /= total;
    const float* value = values + i * size.memory;
#pragma omp simd
    for (int64_t j = 0; j < size.memory; ++j) context[j] += weight * value[j];
  }
}

HEED_VECTORISED void additive_row_gradient(const float* __restrict outer,
                                           const AdditiveScore& score, const float* __restrict v,
                                           const float* __restrict values,
                                           const float* __restrict weights,
                                           float* __restrict to_query, float* __restrict to_v,
                                           float* __restrict to_keys, float* __restrict to_values,
                                           float* __restrict scratch, const AdditiveSize& size) {
  float mean = 0;  // of the weights' gradients, by weight
  for (int64_t i = 0; i < size.source; ++i) {
    const float* value = values + i * size.memory;
    float* to_value = to_values + i * size.memory;
    const float weight = weights[i];
    float to_weight = 0;
#pragma omp simd reduction(+ : to_weight)
    for (int64_t j = 0; j < size.memory; ++j) {
      to_weight += outer[j] * value[j];
      to_value[j] += weight * outer[j];
    }
    scratch[i] = to_weight;
    mean += weight * to_weight;
  }
  for (int64_t i = 0; i < size.source; ++i) scratch[i] = weights[i] * (scratch[i] - mean);
  for (int64_t j = 0; j < size.hidden; ++j) to_query[j] = 0;
  score.grown ? score_gradients<Grown>(score, v, scratch, to_query, to_v, to_keys, size)
              : score_gradients<Plain>(score, v, scratch, to_query, to_v, to_keys, size);
}

}  // namespace heed::model::kernels
