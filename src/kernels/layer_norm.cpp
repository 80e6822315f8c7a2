#include "kernels/layer_norm.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <string_view>

#include "base/error.h"
#include "base/log.h"
#include "kernels/autograd.h"
#include "kernels/gpu_plugin.h"
#include "kernels/product.h"
#include "kernels/rows/layer_norm.h"

namespace heed::kernels {
namespace {

// Rows whose part of the weights' gradient is added up together, whoever computes them: threads
// change nothing.
constexpr int64_t kBlock = 64;

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

constexpr int64_t kWidest = 8192;
// So many add up gradients of weight and bias, each of its own rows: no device changes a sum.
constexpr int64_t kBlocks = 1024;

Services<AddNormKernels>& add_norm_kernels() {
  static Services<AddNormKernels> all(kAddNormKernels);
  return all;
}

std::atomic<bool>& wanted() {
  static std::atomic<bool> wanted = [] {
    const char* const value = std::getenv("HEED_FUSED");
    const bool on = value && std::string_view(value) == "1";
    if (on) log::info("HEED_FUSED=1: own kernels for sums and layer norms on a GPU");
    return on;
  }();
  return wanted;
}

/// As the kernels read it: 16 bytes at a time.
Tensor ready(const Tensor& x) {
  const Tensor out = x.contiguous();
  return reinterpret_cast<std::uintptr_t>(out.const_data_ptr()) % 16 == 0 ? out : out.clone();
}

class AddNorm : public torch::autograd::Function<AddNorm> {
 public:
  static tensor_list forward(AutogradContext* context, const Tensor& residual, const Tensor& x,
                             double share, const Tensor& weight, const Tensor& bias, double eps) {
    const int64_t rows = x.numel() / weight.numel();
    const AddNormForward call{.residual = ready(residual),
                              .x = ready(x),
                              .weight = ready(weight),
                              .bias = ready(bias),
                              .sum = at::empty(residual.sizes(), residual.options()),
                              .normed = at::empty(x.sizes(), x.options()),
                              .moments = at::empty({rows, 2}, residual.options()),
                              .drawn = at::empty({2}, residual.options().dtype(at::kLong)),
                              .eps = eps,
                              .share = share};
    if (rows > 0) add_norm_kernels().find(x.device()).first->forward(call);
    context->save_for_backward({call.sum, call.weight, call.moments, call.drawn});
    context->saved_data["share"] = share;
    return {call.sum, call.normed};
  }

  static tensor_list backward(AutogradContext* context, const tensor_list& outer) {
    const auto saved = context->get_saved_variables();
    const Tensor &sum = saved[0], &weight = saved[1];
    const int64_t width = weight.numel(), rows = sum.numel() / width;
    const AddNormBackward call{
        .outer_sum = ready(outer[0]),
        .outer_normed = ready(outer[1]),
        .sum = sum,
        .weight = weight,
        .moments = saved[2],
        .drawn = saved[3],
        .to_residual = at::empty(sum.sizes(), sum.options()),
        .to_x = at::empty(outer[1].sizes(), outer[1].options()),
        .to_weights = at::empty({std::min(rows, kBlocks), 2, width}, sum.options()),
        .share = context->saved_data["share"].toDouble()};
    if (rows > 0) add_norm_kernels().find(sum.device()).first->backward(call);
    const Tensor to_weights = call.to_weights.sum(0);
    return {call.to_residual, call.to_x, Tensor(), to_weights[0], to_weights[1], Tensor()};
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

void AddNormKernels::set(at::DeviceType type, AddNormKernels* kernels) {
  add_norm_kernels().set(type, kernels);
}

std::string AddNormKernels::why_not(const at::Device& device) {
  return add_norm_kernels().find(device).second;
}

bool AddNormKernels::use(bool on) {
  return wanted().exchange(on);
}

bool can_add_norm(const Tensor& residual, const Tensor& x, const Tensor& weight) {
  if (!wanted()) return false;
  const at::ScalarType type = x.scalar_type();
  const bool takes = residual.scalar_type() == at::kFloat && weight.scalar_type() == at::kFloat &&
                     is_fp32_or_bf16(type) && type == product_type(residual) &&
                     residual.sizes() == x.sizes() && weight.numel() <= kWidest;
  if (!takes) return false;
  const std::string why = AddNormKernels::why_not(x.device());
  if (!why.empty() && x.is_cuda()) throw UserError("HEED_FUSED=1: kernels for a GPU: " + why);
  return why.empty();
}

SumAndNorm add_norm(const Tensor& residual, const Tensor& x, double share, const Tensor& weight,
                    const Tensor& bias, double eps) {
  const tensor_list both = AddNorm::apply(residual, x, share, weight, bias, eps);
  return {both[0], both[1]};
}

}  // namespace heed::kernels
