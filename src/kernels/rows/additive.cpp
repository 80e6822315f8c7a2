#include "kernels/rows/additive.h"

#include "kernels/rows/inner_loops.h"
#include "kernels/rows/numbers.h"

namespace heed::kernels {
namespace {

struct Two {
  float first, second;
};

/// tanh of the sum of a query's number and a key's, for one key or for two.
struct Sums {
  static float tangent(float q, float k) { return hyperbolic_tangent(q + k); }
  static Two tangents(float q, float k, float l) { return {tangent(q, k), tangent(q, l)}; }
};
struct Exponentials {
  static float tangent(float q, float k) { return 1 - 2 / (1 + q * k); }
  /// Divisions take most of the time of scores, so that two keys share one: 1 / x = y (1 / (x y)).
  static Two tangents(float q, float k, float l) {
    const float x = 1 + q * k, y = 1 + q * l, both = 2 / (x * y);
    return {1 - both * y, 1 - both * x};
  }
};

/// The scores of one key or of two neighbours.
template <class Pair, int kKeys>
HEED_LOOP void score_keys(const float* __restrict query, const float* __restrict key,
                          const float* __restrict v, float* __restrict scores, int64_t hidden) {
  const float* last = key + (kKeys - 1) * hidden;
  float first = 0, second = 0;
#pragma omp simd reduction(+ : first, second)
  for (int64_t j = 0; j < hidden; ++j) {
    const Two t = Pair::tangents(query[j], key[j], last[j]);
    first += v[j] * t.first;
    second += v[j] * t.second;
  }
  scores[0] = first;
  if (kKeys == 2) scores[1] = second;
}

template <class Pair>
HEED_LOOP void score_all(const AdditiveScore& score, const float* v, float* scores,
                         const AdditiveSize& size) {
  int64_t i = 0;
  for (; i + 1 < size.source; i += 2)
    score_keys<Pair, 2>(score.query, score.keys + i * size.hidden, v, scores + i, size.hidden);
  if (i < size.source)
    score_keys<Pair, 1>(score.query, score.keys + i * size.hidden, v, scores + i, size.hidden);
}

/// From the gradient of the scores, `to_scores` [source], adds those of query, v and keys to the
/// numbers that are there.
template <class Pair>
HEED_LOOP void score_gradients(const AdditiveScore& score, const float* __restrict v,
                               const float* __restrict to_scores, float* __restrict to_query,
                               float* __restrict to_v, float* __restrict to_keys,
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

HEED_LOOP bool exponentiate(const float* __restrict x, float* __restrict result, int64_t count) {
  constexpr float kLargest = 10.5;  // (1 + e^(4 * 10.5))^2 is finite
  float most = 0;
#pragma omp simd reduction(max : most)
  for (int64_t i = 0; i < count; ++i) {
    const float size = x[i] < 0 ? -x[i] : x[i];
    most = size > most ? size : most;
    result[i] = exponential(2 * x[i]);
  }
  return most <= kLargest;
}

HEED_LOOP void score_row(const AdditiveScore& score, const float* __restrict v,
                         float* __restrict scores, const AdditiveSize& size) {
  score.exponentials ? score_all<Exponentials>(score, v, scores, size)
                     : score_all<Sums>(score, v, scores, size);
}

HEED_LOOP void forward(const AdditiveScore& score, const float* __restrict v,
                       const float* __restrict values, float* __restrict weights,
                       float* __restrict context, const AdditiveSize& size) {
  score_row(score, v, weights, size);
  softmax(weights, size.source);
  mix(weights, values, size.source, size.memory, context);
}

HEED_LOOP void backward(const float* __restrict outer, const float* __restrict to_logs,
                        const AdditiveScore& score, const float* __restrict v,
                        const float* __restrict values, const float* __restrict weights,
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
  if (to_logs != nullptr) {  // d log a(i) / d e(k) = [i = k] - a(k)
    float sum = 0;
    for (int64_t i = 0; i < size.source; ++i) sum += to_logs[i];
    for (int64_t i = 0; i < size.source; ++i) scratch[i] += to_logs[i] - weights[i] * sum;
  }
  for (int64_t j = 0; j < size.hidden; ++j) to_query[j] = 0;
  score.exponentials
      ? score_gradients<Exponentials>(score, v, scratch, to_query, to_v, to_keys, size)
      : score_gradients<Sums>(score, v, scratch, to_query, to_v, to_keys, size);
}

}  // namespace

bool exp_2x(const float* x, float* result, int64_t count) {
  return fastest<exponentiate>(x, result, count);
}

void additive_row_scores(const AdditiveScore& score, const float* v, float* scores,
                         const AdditiveSize& size) {
  fastest<score_row>(score, v, scores, size);
}

void additive_row(const AdditiveScore& score, const float* v, const float* values, float* weights,
                  float* context, const AdditiveSize& size) {
  fastest<forward>(score, v, values, weights, context, size);
}

void additive_row_gradient(const float* outer, const float* to_logs, const AdditiveScore& score,
                           const float* v, const float* values, const float* weights,
                           float* to_query, float* to_v, float* to_keys, float* to_values,
                           float* scratch, const AdditiveSize& size) {
  fastest<backward>(outer, to_logs, score, v, values, weights, to_query, to_v, to_keys, to_values,
                    scratch, size);
}

}  // namespace heed::kernels
