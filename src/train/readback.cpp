#include "train/readback.h"

#include <ATen/ATen.h>
#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>

namespace heed::train {

struct Readback::Arrival {
  explicit Arrival(const at::Device& device) : event(device.type()) {
    event.record(c10::impl::VirtualGuardImpl(device.type()).getStream(device));
  }
  c10::Event event;
};

Readback::Readback(const at::Tensor& values) : host_(values.detach()) {
  if (values.is_cpu()) return;
  host_ = at::empty(values.sizes(), at::TensorOptions(at::kDouble).pinned_memory(true));
  host_.copy_(values, /*non_blocking=*/true);
  arrival_ = std::make_unique<Arrival>(values.device());
}

Readback::~Readback() = default;
Readback::Readback(Readback&&) noexcept = default;
Readback& Readback::operator=(Readback&&) noexcept = default;

bool Readback::ready() const {
  return !arrival_ || arrival_->event.query();
}

std::vector<double> Readback::get() const {
  if (arrival_) arrival_->event.synchronize();
  const double* const begin = host_.const_data_ptr<double>();
  return {begin, begin + host_.numel()};
}

}  // namespace heed::train
