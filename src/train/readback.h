// A few numbers on their way from the device to the host, so that the host need not wait for them.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "model/device.h"

namespace heed::train {

class Readback {
 public:
  /// `values` [n] double. On the CPU they are there at once; from a GPU they are copied behind all
  /// work queued so far.
  explicit Readback(const at::Tensor& values) : values_(values) {}

  bool ready() const { return values_.arrived(); }
  /// Waits where they are not ready.
  std::vector<double> get() const {
    const at::Tensor& host = values_.host();
    const auto* const begin = host.const_data_ptr<double>();
    return {begin, begin + host.numel()};
  }

 private:
  model::Download values_;
};

}  // namespace heed::train
