#include "apps/peak_memory.h"

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/error.h"

namespace heed {
namespace {

std::atomic<int64_t> held = 0, most = 0;
std::atomic<bool> counting = false;

/// A tensor's memory and its size, until it is given back.
struct Block {
  c10::DataPtr memory;
  int64_t bytes;
};

void give_back(void* context) {
  auto* block = static_cast<Block*>(context);
  held -= block->bytes;
  delete block;
}

class CountingAllocator : public c10::Allocator {
 public:
  explicit CountingAllocator(c10::Allocator* real) : real_(real) {}

  c10::DataPtr allocate(std::size_t size) override {
    auto* block = new Block{real_->allocate(size), static_cast<int64_t>(size)};
    const int64_t now = held += block->bytes;
    int64_t seen = most;
    while (now > seen && !most.compare_exchange_weak(seen, now)) {
    }
    return {block->memory.get(), block, give_back, block->memory.device()};
  }
  void copy_data(void* to, const void* from, std::size_t bytes) const override {
    default_copy_data(to, from, bytes);
  }

 private:
  c10::Allocator* real_;
};

/// Lives as long as the process: tensors that it made may outlive every PeakMemory.
CountingAllocator& counting_allocator() {
  static auto* allocator = new CountingAllocator(c10::GetDefaultCPUAllocator());
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
