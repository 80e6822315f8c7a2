#include "kernels/layer_norm.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cmath>

#include "kernels/column_sums.h"
#include "kernels/product.h"
#include "kernels/rows/vector.h"

namespace heed::kernels {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

// Rows whose part of the weights' gradient is added up together, whoever computes them: threads
// change nothing.
constexpr int64_t kBlock = 64;

struct Moments {
  float mean, scale;  // of a row; 1 / sqrt(variance + eps)
};

HEED_VECTORISED Moments moments_of(const float* x, int64_t width, float eps) {
  float sum = 0, squares = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t j = 0; j < width; ++j) sum += x[j];
  const float mean = sum / static_cast<float>(width);
#pragma omp simd reduction(+ : squares)
  for (int64_t j = 0; j < width; ++j) squares += (x[j] - mean) * (x[j] - mean);
  return {mean, 1 / std::sqrt(squares / static_cast<float>(width) + eps)};
}

/// Gradients of weight and bias, where they are added up.
struct Added {
  float *weight, *bias;
};

// One definition for both types: the attribute does not go on a template.
#define HEED_LAYER_NORM(T)                                                                     \
  HEED_VECTORISED void normalise(const float* __restrict x, const Moments& row,                \
                                 const float* __restrict weight, const float* __restrict bias, \
                                 T* __restrict y, int64_t width) {                             \
    const float mean = row.mean, scale = row.scale;                                            \
    _Pragma("omp simd") for (int64_t j = 0; j < width; ++j)                                    \
        put(y[j], (x[j] - mean) * scale * weight[j] + bias[j]);                                \
  }                                                                                            \
  HEED_VECTORISED void normalise_gradient(                                                     \
      const float* __restrict x, const Moments& row, const float* __restrict weight,           \
      const T* __restrict outer, float* __restrict inner, const Added& added, int64_t width) { \
    const float mean = row.mean, scale = row.scale;                                            \
    float* __restrict to_weight = added.weight, * __restrict to_bias = added.bias;             \
    float sum = 0, product = 0;                                                                \
    _Pragma("omp simd reduction(+ : sum, product)") for (int64_t j = 0; j < width; ++j) {      \
      const float from = number(outer[j]), normal = (x[j] - mean) * scale;                     \
      to_weight[j] += from * normal;                                                           \
      to_bias[j] += from;                                                                      \
      sum += from * weight[j];                                                                 \
      product += from * weight[j] * normal;                                                    \
    }                                                                                          \
    sum /= static_cast<float>(width);                                                          \
    product /= static_cast<float>(width);                                                      \
    _Pragma("omp simd") for (int64_t j = 0; j < width; ++j) inner[j] =                         \
        scale * (number(outer[j]) * weight[j] - sum - (x[j] - mean) * scale * product);        \
  }

HEED_LAYER_NORM(float)
HEED_LAYER_NORM(uint16_t)
#undef HEED_LAYER_NORM

template <class T>
T* numbers(const Tensor& x) {
  return static_cast<T*>(x.data_ptr());
}

/// Of every row: [rows, 2].
Tensor all_moments(const Tensor& x, int64_t width, double eps) {
  const int64_t rows = x.numel() / width;
  const Tensor moments = at::empty({rows, 2}, x.options());
  const auto* from = numbers<float>(x);
  auto* to = reinterpret_cast<Moments*>(numbers<float>(moments));
  at::parallel_for(0, rows, kBlock, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      to[i] = moments_of(from + i * width, width, static_cast<float>(eps));
  });
  return moments;
}

class LayerNorm : public torch::autograd::Function<LayerNorm> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& weight,
                        const Tensor& bias, double eps, at::ScalarType type) {
    const Tensor from = x.contiguous();
    const Tensor moments = all_moments(from, weight.numel(), eps);
    context->save_for_backward({from, weight, moments});
    return type == at::kFloat ? run<float>(from, weight, bias, moments, type)
                              : run<uint16_t>(from, weight, bias, moments, type);
  }

  static tensor_list backward(AutogradContext* context, const tensor_list& outer) {
    const auto saved = context->get_saved_variables();
    const Tensor from = outer[0].contiguous();
    return from.scalar_type() == at::kFloat
               ? run_backward<float>(saved[0], saved[1], saved[2], from)
               : run_backward<uint16_t>(saved[0], saved[1], saved[2], from);
  }

 private:
  template <class T>
  static Tensor run(const Tensor& x, const Tensor& weight, const Tensor& bias,
                    const Tensor& moments, at::ScalarType type) {
    const Tensor y = at::empty(x.sizes(), x.options().dtype(type));
    const int64_t width = weight.numel();
    const auto* rows = reinterpret_cast<const Moments*>(numbers<float>(moments));
    at::parallel_for(0, moments.size(0), kBlock, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        normalise(numbers<float>(x) + i * width, rows[i], numbers<float>(weight),
                  numbers<float>(bias), numbers<T>(y) + i * width, width);
    });
    return y;
  }

  template <class T>
  static tensor_list run_backward(const Tensor& x, const Tensor& weight, const Tensor& moments,
                                  const Tensor& outer) {
    const int64_t width = weight.numel(), count = moments.size(0);
    const int64_t blocks = (count + kBlock - 1) / kBlock;
    const Tensor inner = at::empty_like(x), added = at::zeros({blocks, 2 * width}, x.options());
    const auto* rows = reinterpret_cast<const Moments*>(numbers<float>(moments));
    at::parallel_for(0, blocks, 1, [&](int64_t begin, int64_t end) {
      for (int64_t block = begin; block < end; ++block) {
        float* sums = numbers<float>(added) + block * 2 * width;
        for (int64_t i = block * kBlock; i < std::min((block + 1) * kBlock, count); ++i)
          normalise_gradient(numbers<float>(x) + i * width, rows[i], numbers<float>(weight),
                             numbers<T>(outer) + i * width, numbers<float>(inner) + i * width,
                             {sums, sums + width}, width);
      }
    });
    const Tensor sums = column_sums(added);
    return {inner, sums.narrow(0, 0, width), sums.narrow(0, width, width), Tensor(), Tensor()};
  }
};

}  // namespace

Tensor layer_norm(torch::nn::LayerNorm& layer, const Tensor& x) {
  const at::ScalarType type = product_type(x);
  const bool ours = at::GradMode::is_enabled() && x.is_cpu() && x.scalar_type() == at::kFloat &&
                    layer->weight.scalar_type() == at::kFloat && is_fp32_or_bf16(type);
  if (!ours) return layer->forward(x);
  return LayerNorm::apply(x, layer->weight, layer->bias, layer->options.eps(), type);
}

}  // namespace heed::kernels
