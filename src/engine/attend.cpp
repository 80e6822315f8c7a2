#include "engine/attend.h"

#include <algorithm>
#include <limits>

#include "kernels/rows/inner_loops.h"

namespace heed::engine {
namespace {

HEED_LOOP void scores(const float* query, const HeadShape& shape, const float* rows,
                      const int32_t* slots, int64_t count, float* weights) {
  const int64_t group = shape.heads / shape.kv_heads, stride = 2 * shape.shared();
  for (int64_t h = 0; h < shape.heads; ++h) {
    const float* q = query + h * shape.head;
    const float* keys = rows + h / group * shape.head;
    for (int64_t t = 0; t < count; ++t) {
      const float* k = keys + slots[t] * stride;
      float sum = 0;
#pragma omp simd reduction(+ : sum)
      for (int64_t i = 0; i < shape.head; ++i) sum += q[i] * k[i];
      weights[h * count + t] = sum * shape.scale;
    }
  }
}

HEED_LOOP void mix(const HeadShape& shape, const float* rows, const int32_t* slots, int64_t count,
                   const float* weights, float* context) {
  const int64_t group = shape.heads / shape.kv_heads, stride = 2 * shape.shared();
  for (int64_t h = 0; h < shape.heads; ++h) {
    float* out = context + h * shape.head;
    const float* values = rows + shape.shared() + h / group * shape.head;
    for (int64_t i = 0; i < shape.head; ++i) out[i] = 0;
    for (int64_t t = 0; t < count; ++t) {
      const float* v = values + slots[t] * stride;
      const float weight = weights[h * count + t];
#pragma omp simd
      for (int64_t i = 0; i < shape.head; ++i) out[i] += weight * v[i];
    }
  }
}

HEED_LOOP void add_distances(const float* query, const HeadShape& shape, int64_t count,
                             const RowDistances& distances, float* weights) {
  const int64_t size = 2 * distances.reach + 1;
  for (int64_t t = 0; t < count; ++t) {
    const int64_t away = std::clamp(distances.first + t, -distances.reach, distances.reach);
    const int64_t index = away + distances.reach;
    for (int64_t h = 0; h < shape.heads; ++h) {
      float added = distances.numbers == nullptr ? 0 : distances.numbers[h * size + index];
      if (distances.vectors != nullptr) {
        const float *q = query + h * shape.head, *v = distances.vectors + index * shape.head;
        float sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int64_t i = 0; i < shape.head; ++i) sum += q[i] * v[i];
        added += sum * shape.scale;
      }
      weights[h * count + t] += added;
    }
  }
}

/// Hides the keys that a sparse pattern hides from the query. Its normaliser is the softmax.
void hide(const HeadShape& shape, int64_t query, int64_t count, float* weights) {
  shape.pattern.each_gap(query, count, [&](int64_t from, int64_t to) {
    for (int64_t h = 0; h < shape.heads; ++h)
      std::fill(weights + h * count + from, weights + h * count + to, kernels::kHidden);
  });
}

void score(const float* query, const HeadShape& shape, const float* rows, const int32_t* slots,
           int64_t count, const RowDistances& distances, float* to) {
  kernels::fastest<scores>(query, shape, rows, slots, count, to);
  if (distances.numbers != nullptr || distances.vectors != nullptr)
    kernels::fastest<add_distances>(query, shape, count, distances, to);
  if (shape.pattern.is_sparse()) hide(shape, -distances.first, count, to);
}

}  // namespace

void score_row(const float* query, const HeadShape& shape, const float* rows, const int32_t* slots,
               int64_t count, const RowDistances& distances, float* to) {
  score(query, shape, rows, slots, count, distances, to);
  std::replace(to, to + shape.heads * count, kernels::kHidden,
               -std::numeric_limits<float>::infinity());
}

void attend_row(const float* query, const HeadShape& shape, const float* rows, const int32_t* slots,
                int64_t count, const RowDistances& distances, float* weights, float* context) {
  score(query, shape, rows, slots, count, distances, weights);
  for (int64_t h = 0; h < shape.heads; ++h) shape.weigh(weights + h * count, count);
  kernels::fastest<mix>(shape, rows, slots, count, weights, context);
}

void rotate_heads(float* x, int64_t heads, int64_t head, const float* rotations) {
  for (int64_t h = 0; h < heads; ++h, x += head)
    for (int64_t i = 0; i < head; i += 2) {
      const float cosine = rotations[i], sine = rotations[i + 1];
      const float even = x[i], odd = x[i + 1];
      x[i] = even * cosine - odd * sine;
      x[i + 1] = odd * cosine + even * sine;
    }
}

}  // namespace heed::engine
