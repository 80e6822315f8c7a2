#include "kernels/draws.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>

#include <mutex>
#include <utility>

namespace heed::kernels {
namespace {

thread_local at::Generator innermost;

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

}  // namespace heed::kernels
