// Additive attention of one query over the real positions of one sentence, and its gradient.
#pragma once

#include <cstdint>

namespace heed::model::kernels {

/// The sizes of one sentence: positions without padding, inner width, width of the values.
struct AdditiveSize {
  int64_t source = 0, hidden = 0, memory = 0;
};

/// scores(i) = v . tanh(q + k(i)), weights = softmax of them, context = sum over i of weights(i)
/// values(i). query, v [hidden], keys [source, hidden], values [source, memory]; writes weights
/// [source] and context [memory].
void additive_row(const float* query, const float* v, const float* keys, const float* values,
                  float* weights, float* context, const AdditiveSize& size);

/// From the gradient of the context [memory]: writes that of the query, and adds to those of v,
/// keys and values. `scratch` [source].
void additive_row_gradient(const float* outer, const float* query, const float* v,
                           const float* keys, const float* values, const float* weights,
                           float* to_query, float* to_v, float* to_keys, float* to_values,
                           float* scratch, const AdditiveSize& size);

}  // namespace heed::model::kernels
