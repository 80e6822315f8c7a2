// What a command costs: how many bytes tensors took at the most, which of LibTorch's operations
// take the time, and how many multiplications they do.
#pragma once

#include <c10/core/CachingDeviceAllocator.h>

#include <cstdint>
#include <vector>

#include "model/device.h"
#include "study/cost_tables.h"

namespace heed {

/// Counts the bytes of a device's tensors that are allocated while it lives. Only one may live at a
/// time for each device.
class PeakMemory {
 public:
  explicit PeakMemory(const at::Device& device = at::kCPU) : device_(device) {
    if (device.is_cpu())
      model::forget_peak();
    else
      allocator().resetPeakStats(index());
    before_ = device.is_cpu() ? model::host_memory().used : allocated().current;
  }

  /// The most bytes that were held at once, of those allocated since this object was made.
  int64_t bytes() const {
    return (device_.is_cpu() ? model::host_memory().most : allocated().peak) - before_;
  }

 private:
  c10::DeviceAllocator& allocator() const { return *c10::getDeviceAllocator(device_.type()); }
  c10::DeviceIndex index() const {
    return device_.has_index() ? device_.index() : c10::DeviceIndex{0};
  }
  c10::CachingAllocator::Stat allocated() const {
    constexpr auto kAll = static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE);
    return allocator().getDeviceStats(index()).allocated_bytes[kAll];
  }

  at::Device device_;
  int64_t before_;
};

/// Watches every operation of every thread while it lives, which slows small ones by about a
/// microsecond. Only one may live at a time.
class Profile {
 public:
  Profile();
  ~Profile();
  Profile& operator=(Profile&&) = delete;

  /// Dearest first.
  std::vector<study::OperationCost> operations() const;
  /// Floating-point operations of all matrix products: 2 x rows x inner x columns each.
  double product_flops() const;

 private:
  uint64_t handle_;
};

}  // namespace heed
