#include "model/kernels/additive_rows.h"

#include <algorithm>

#include "model/kernels/vector.h"

namespace heed::model::kernels {

HEED_VECTORISED void additive_row(const float* __restrict query, const float* __restrict v,
                                  const float* __restrict keys, const float* __restrict values,
                                  float* __restrict weights, float* __restrict context,
                                  const AdditiveSize& size) {
  float most = -1e30F;
  for (int64_t i = 0; i < size.source; ++i) {
    const float* key = keys + i * size.hidden;
    float score = 0;
#pragma omp simd reduction(+ : score)
    for (int64_t j = 0; j < size.hidden; ++j) score += v[j] * hyperbolic_tangent(query[j] + key[j]);
    weights[i] = score;
    most = std::max(most, score);
  }
  float total = 0;
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

HEED_VECTORISED void additive_row_gradient(
    const float* __restrict outer, const float* __restrict query, const float* __restrict v,
    const float* __restrict keys, const float* __restrict values, const float* __restrict weights,
    float* __restrict to_query, float* __restrict to_v, float* __restrict to_keys,
    float* __restrict to_values, float* __restrict scratch, const AdditiveSize& size) {
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
  for (int64_t j = 0; j < size.hidden; ++j) to_query[j] = 0;
  for (int64_t i = 0; i < size.source; ++i) {
    const float to_score = weights[i] * (scratch[i] - mean);
    const float* key = keys + i * size.hidden;
    float* to_key = to_keys + i * size.hidden;
#pragma omp simd
    for (int64_t j = 0; j < size.hidden; ++j) {
      const float t = hyperbolic_tangent(query[j] + key[j]);
      const float slope = to_score * v[j] * (1 - t * t);
      to_v[j] += to_score * t;
      to_query[j] += slope;
      to_key[j] += slope;
    }
  }
}

}  // namespace heed::model::kernels
