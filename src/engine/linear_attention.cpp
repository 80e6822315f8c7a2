#include "engine/linear_attention.h"

#include <algorithm>

#include "kernels/rows/loops.h"
#include "kernels/rows/numbers.h"
#include "kernels/rows/versions.h"

namespace heed::engine {
namespace {

/// elu(x) + 1, as x + 1 above 0 and e^x below, with x at least -40: fp32 can still tell e^-40
/// e^-40, a product of two such numbers, from 0.
HEED_LOOP void features(float* x, int64_t count) {
#pragma omp simd
  for (int64_t i = 0; i < count; ++i) {
    const float low = x[i] < 0 ? x[i] : 0;
    const float high = x[i] < 0 ? 0 : x[i];
    x[i] = kernels::exponential(low < -40.0F ? -40.0F : low) + high;
  }
}

/// products += key value^T, [head, head]
HEED_LOOP void add_outer_product(const float* key, const float* value, int64_t head,
                                 float* products) {
  for (int64_t i = 0; i < head; ++i) {
    const float k = key[i];
    float* row = products + i * head;
#pragma omp simd
    for (int64_t j = 0; j < head; ++j) row[j] += k * value[j];
  }
}

}  // namespace

int64_t sums_width(const HeadShape& shape) {
  return shape.shared() * (1 + shape.head);
}

void add_to_sums(float* key_value, const HeadShape& shape, const float* rotations, float* sums) {
  float *counted = sums, *products = sums + shape.shared();
  kernels::fastest<features>(key_value, shape.shared());
  kernels::scale_and_add(key_value, 1, counted, shape.shared(), counted);
  if (rotations != nullptr) rotate_heads(key_value, shape.kv_heads, shape.head, rotations);
  for (int64_t h = 0; h < shape.kv_heads; ++h)
    kernels::fastest<add_outer_product>(key_value + h * shape.head,
                                        key_value + shape.shared() + h * shape.head, shape.head,
                                        products + h * shape.head * shape.head);
}

void attend_to_sums(float* query, const HeadShape& shape, const float* rotations, const float* sums,
                    float* counts, float* context) {
  const float *counted = sums, *products = sums + shape.shared();
  const int64_t group = shape.heads / shape.kv_heads, head = shape.head;
  kernels::fastest<features>(query, shape.inner());
  for (int64_t h = 0; h < shape.heads; ++h)
    counts[h] = kernels::dot(query + h * head, counted + h / group * head, head);
  if (rotations != nullptr) rotate_heads(query, shape.heads, head, rotations);
  for (int64_t h = 0; h < shape.heads; ++h) {
    float* to = context + h * head;
    kernels::mix_rows(query + h * head, products + h / group * head * head, head, head, to);
    kernels::scale_and_add(to, 1 / counts[h], nullptr, head, to);
  }
}

}  // namespace heed::engine
