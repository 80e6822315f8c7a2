#include "kernels/layer_norm.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <cstdint>

#include "kernels/autograd.h"
#include "kernels/product.h"
#include "kernels/rows/layer_norm.h"

namespace heed::kernels {
namespace {

// Rows whose part of the weights' gradient is added up together, whoever computes them: threads
// change nothing.
constexpr int64_t kBlock = 64;

/// The moments of every row: [rows, 2].
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
    const int64_t width = weight.numel();
    const Tensor moments = all_moments(from, width, eps);
    context->save_for_backward({from, weight, moments});
    const Tensor y = at::empty(from.sizes(), from.options().dtype(type));
    const auto* rows = reinterpret_cast<const Moments*>(numbers<float>(moments));
    as_stored(type, [&]<class T>() {
      at::parallel_for(0, moments.size(0), kBlock, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i)
          normalise_row(numbers<float>(from) + i * width, rows[i], numbers<float>(weight),
                        numbers<float>(bias), numbers<T>(y) + i * width, width);
      });
    });
    return y;
  }

  static tensor_list backward(AutogradContext* context, const tensor_list& outer) {
    const auto saved = context->get_saved_variables();
    const Tensor &x = saved[0], &weight = saved[1], &moments = saved[2];
    const Tensor from = outer[0].contiguous();
    const int64_t width = weight.numel(), count = moments.size(0);
    const int64_t blocks = (count + kBlock - 1) / kBlock;
    const Tensor inner = at::empty_like(x), added = at::zeros({blocks, 2 * width}, x.options());
    const auto* rows = reinterpret_cast<const Moments*>(numbers<float>(moments));
    as_stored(from.scalar_type(), [&]<class T>() {
      at::parallel_for(0, blocks, 1, [&](int64_t begin, int64_t end) {
        for (int64_t block = begin; block < end; ++block) {
          float* sums = numbers<float>(added) + block * 2 * width;
          for (int64_t i = block * kBlock; i < std::min((block + 1) * kBlock, count); ++i)
            normalise_row_gradient(numbers<float>(x) + i * width, rows[i], numbers<float>(weight),
                                   numbers<T>(from) + i * width, numbers<float>(inner) + i * width,
                                   sums, sums + width, width);
        }
      });
    });
    const Tensor sums = column_sums(added);
    return {inner, sums.narrow(0, 0, width), sums.narrow(0, width, width), Tensor(), Tensor()};
  }
};

}  // namespace

Tensor layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, double eps) {
  const at::ScalarType type = product_type(x);
  const bool ours = at::GradMode::is_enabled() && x.is_cpu() && x.scalar_type() == at::kFloat &&
                    weight.scalar_type() == at::kFloat && is_fp32_or_bf16(type);
  if (!ours) return at::layer_norm(x, {weight.numel()}, weight, bias, eps);
  return LayerNorm::apply(x, weight, bias, eps, type);
}

}  // namespace heed::kernels
