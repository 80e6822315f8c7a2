#include "kernels/dropout.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/Parallel.h>

#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>

#include "kernels/autograd.h"
#include "kernels/rows/dropout.h"

namespace heed::kernels {
namespace {

constexpr int64_t kGrain = 32768;  // numbers that are worth a thread

thread_local at::Generator innermost;

/// mask x, plus the residual where there is one, in `type`: fp32 or bf16.
Tensor masked(const std::optional<Tensor>& residual, const Tensor& x, at::ScalarType type,
              const Mask& mask) {
  const Tensor base = residual ? residual->contiguous() : Tensor(), from = x.contiguous();
  const Tensor y = at::empty(from.sizes(), from.options().dtype(type));
  as_stored(from.scalar_type(), [&]<class From>() {
    as_stored(type, [&]<class To>() {
      at::parallel_for(0, from.numel(), kGrain, [&](int64_t begin, int64_t end) {
        drop_numbers(base.defined() ? numbers<To>(base) : nullptr, numbers<From>(from),
                     numbers<To>(y), begin, end, mask);
      });
    });
  });
  return y;
}

int64_t draw_seed() {
  at::Generator generator = Draws::generator();
  auto* cpu = at::check_generator<at::CPUGeneratorImpl>(generator);
  const std::lock_guard lock(cpu->mutex_);
  return static_cast<int64_t>(cpu->random64());
}

/// The node of autograd for dropout of x, which is added to a residual where there is one.
class Dropout : public torch::autograd::Function<Dropout> {
 public:
  static Tensor forward(AutogradContext* context, const std::optional<Tensor>& residual,
                        const Tensor& x, double share, int64_t seed) {
    context->saved_data["share"] = share;
    context->saved_data["seed"] = seed;
    context->saved_data["type"] = x.scalar_type();
    context->saved_data["adds"] = residual.has_value();
    const Mask mask(static_cast<uint64_t>(seed), share);
    return masked(residual, x, (residual ? *residual : x).scalar_type(), mask);
  }
  static tensor_list backward(AutogradContext* context, const tensor_list& outer) {
    const Mask mask(static_cast<uint64_t>(context->saved_data["seed"].toInt()),
                    context->saved_data["share"].toDouble());
    return {context->saved_data["adds"].toBool() ? outer[0] : Tensor(),
            masked({}, outer[0], context->saved_data["type"].toScalarType(), mask), Tensor(),
            Tensor()};
  }
};

}  // namespace

Draws::Draws(uint64_t seed, const at::Device& device)
    : before_(std::exchange(innermost, at::detail::createCPUGenerator(seed))) {
  if (device.is_cpu()) return;
  at::Generator on_device = at::globalContext().defaultGenerator(device);
  const std::lock_guard lock(on_device.mutex());
  on_device.set_current_seed(seed);
}

Draws::~Draws() {
  innermost = std::move(before_);
}

at::Generator Draws::generator() {
  return innermost.defined() ? innermost : at::detail::getDefaultCPUGenerator();
}

bool can_drop(const Tensor& x) {
  return x.is_cpu() && is_fp32_or_bf16(x) && x.numel() < (int64_t{1} << 32);
}

Tensor dropout(const Tensor& x, double share) {
  return Dropout::apply(std::optional<Tensor>(), x, share, draw_seed());
}

bool can_add_dropped(const Tensor& residual, const Tensor& x) {
  return can_drop(residual) && can_drop(x) && residual.sizes() == x.sizes() &&
         (residual.scalar_type() == x.scalar_type() || residual.scalar_type() == at::kFloat);
}

Tensor add_dropped(const Tensor& residual, const Tensor& x, double share) {
  return Dropout::apply(std::optional(residual), x, share, draw_seed());
}

}  // namespace heed::kernels
