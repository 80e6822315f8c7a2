// A few numbers on their way from the device to the host, so that the host need not wait for them.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

namespace heed::train {

class Readback {
 public:
  /// `values` [n] double. On the CPU they are there at once; from a GPU they are copied behind all
  /// work queued so far.
  explicit Readback(const at::Tensor& values);
  ~Readback();
  Readback(Readback&&) noexcept;
  Readback& operator=(Readback&&) noexcept;

  bool ready() const;
  /// Waits where they are not ready.
  std::vector<double> get() const;

 private:
  struct Arrival;
  at::Tensor host_;
  std::unique_ptr<Arrival> arrival_;  // nullptr on the CPU
};

}  // namespace heed::train
