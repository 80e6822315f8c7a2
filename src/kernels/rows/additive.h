// Additive attention of one query over the real positions of one sentence, and its gradient.
#pragma once

#include <cstdint>

namespace heed::kernels {

/// The sizes of one sentence: positions without padding, inner width, width of the values.
struct AdditiveSize {
  int64_t source = 0, hidden = 0, memory = 0;
};

/// Queries and keys, as they are or as e^2x: one exponential for each key and one for each query,
/// in place of one for each pair, since tanh(q + k) = 1 - 2 / (1 + e^2q e^2k).
struct AdditiveScore {
  const float* query = nullptr;  // [hidden]
  const float* keys = nullptr;   // [source, hidden]
  bool exponentials = false;     // both are e^2x
};

/// Writes e^2x; false where some |x| is so large that a product of four such might not be finite.
bool exp_2x(const float* x, float* result, int64_t count);

/// scores(i) = v . tanh(q + k(i)), [source].
void additive_row_scores(const AdditiveScore& score, const float* v, float* scores,
                         const AdditiveSize& size);

/// scores(i) as above, weights = softmax of them, context = sum over i of weights(i)
/// values(i). v [hidden], values [source, memory]; writes weights [source] and context [memory].
void additive_row(const AdditiveScore& score, const float* v, const float* values, float* weights,
                  float* context, const AdditiveSize& size);

/// From the gradient of the context [memory] and that of the weights' logarithms [source] (null: it
/// is 0), writes the gradient of the query and adds to those of v, keys and values. `scratch`
/// [source].
void additive_row_gradient(const float* outer, const float* to_logs, const AdditiveScore& score,
                           const float* v, const float* values, const float* weights,
                           float* to_query, float* to_v, float* to_keys, float* to_values,
                           float* scratch, const AdditiveSize& size);

}  // namespace heed::kernels
