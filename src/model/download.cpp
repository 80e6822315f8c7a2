#include <ATen/ATen.h>
#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include "model/device.h"

namespace heed::model {

struct Download::Arrival {
  explicit Arrival(const at::Device& device) : event(device.type()) {
    event.record(c10::impl::VirtualGuardImpl(device.type()).getStream(device));
  }
  c10::Event event;
};

Download::Download(const at::Tensor& values) : host_(values.detach()) {
  if (values.is_cpu()) return;
  host_ = at::empty(values.sizes(), at::TensorOptions(values.scalar_type()).pinned_memory(true));
  host_.copy_(values, /*non_blocking=*/true);
  arrival_ = std::make_unique<Arrival>(values.device());
}

Download::~Download() = default;
Download::Download(Download&&) noexcept = default;
Download& Download::operator=(Download&&) noexcept = default;

bool Download::arrived() const {
  return !arrival_ || arrival_->event.query();
}

const at::Tensor& Download::host() const {
  if (arrival_) arrival_->event.synchronize();
  return host_;
}

}  // namespace heed::model
