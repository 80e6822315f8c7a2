#include "apps/peak_memory.h"

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/impl/alloc_cpu.h>
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/error.h"

namespace heed {
namespace {

std::atomic<int64_t> held = 0, most = 0;
std::atomic<bool> counting = false;

/// Counted by what malloc really gave, so that a block needs no note of its size: oneDNN wants a
/// block's context to be its address.
void give_back(void* block) {
  held -= static_cast<int64_t>(malloc_usable_size(block));
  c10::free_cpu(block);
}

class CountingAllocator : public c10::Allocator {
 public:
  c10::DataPtr allocate(std::size_t size) override {
    void* block = c10::alloc_cpu(size);
    const int64_t now = held += static_cast<int64_t>(malloc_usable_size(block));
    int64_t seen = most;
    while (now > seen && !most.compare_exchange_weak(seen, now)) {
    }
    return {block, block, give_back, c10::Device(c10::kCPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return give_back; }
  void copy_data(void* to, const void* from, std::size_t bytes) const override {
    default_copy_data(to, from, bytes);
  }
};

/// Lives as long as the process: tensors that it made may outlive every PeakMemory.
CountingAllocator& counting_allocator() {
  static auto* allocator = new CountingAllocator();
  return *allocator;
}

}  // namespace

PeakMemory::PeakMemory() {
  expect(!counting.exchange(true), "one PeakMemory at a time");
  held = 0;
  most = 0;
  c10::SetCPUAllocator(&counting_allocator(), /*priority=*/1);
}

PeakMemory::~PeakMemory() {
  c10::SetCPUAllocator(c10::GetDefaultCPUAllocator(), /*priority=*/1);
  counting = false;
}

int64_t PeakMemory::bytes() const {
  return most;
}

}  // namespace heed
