// The simulated accelerator's memory, and the host's pinned memory.
#include <ATen/ATen.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>
#include <utility>

#include "accelerator/internal.h"
#include "base/error.h"

namespace heed::accelerator {
namespace {

constexpr std::size_t kMemory = std::size_t{1} << 32;  // addresses; pages exist once written to
constexpr std::size_t kSmallest = 64;                  // bytes of a block

/// Blocks in powers of two, kept for the next tensor of their size.
class Memory final : public c10::DeviceAllocator {
 public:
  Memory() {
    const int file = memfd_create("sim", MFD_CLOEXEC);
    expect(file >= 0 && ftruncate(file, kMemory) == 0, "memory for the simulated device");
    outside_ = map(file, PROT_NONE);
    inside_ = map(file, PROT_READ | PROT_WRITE);
    close(file);
  }

  c10::DataPtr allocate(std::size_t bytes) override {
    if (bytes == 0) return {nullptr, device()};
    const std::size_t size = std::bit_ceil(std::max(bytes, kSmallest));
    const std::lock_guard lock(mutex_);
    if (used_ + size > limit)
      throw c10::OutOfMemoryError({__func__, __FILE__, __LINE__}, "the simulated device is full");
    std::vector<char*>& kept = kept_[size];
    char* block = nullptr;
    if (kept.empty()) {
      block = outside_ + end_;
      end_ += size;
      expect(end_ <= kMemory, "addresses for the simulated device");
    } else {
      block = kept.back();
      kept.pop_back();
    }
    used_ += size;
    ever_used_ += bytes;
    sizes_[block] = size;
    std::memset(inside(block), 0xff, size);  // NaN: what nobody has written shows
    return {block, block, &give_back, device()};
  }

  char* inside(void* address) const { return inside_ + (static_cast<char*>(address) - outside_); }
  std::size_t used() {
    const std::lock_guard lock(mutex_);
    return used_;
  }

  std::size_t ever_used() {
    const std::lock_guard lock(mutex_);
    return ever_used_;
  }

  c10::DeleterFnPtr raw_deleter() const override { return &give_back; }
  void copy_data(void* to, const void* from, std::size_t bytes) const override {
    std::memcpy(inside(to), inside(const_cast<void*>(from)), bytes);
  }
  bool initialized() override { return true; }
  void emptyCache(c10::MempoolId_t) override {}
  void recordStream(const c10::DataPtr&, c10::Stream) override {}
  c10::CachingDeviceAllocator::DeviceStats getDeviceStats(c10::DeviceIndex) override { return {}; }
  void resetAccumulatedStats(c10::DeviceIndex) override {}
  void resetPeakStats(c10::DeviceIndex) override {}
  std::pair<std::size_t, std::size_t> getMemoryInfo(c10::DeviceIndex) override {
    const std::size_t all = std::min<std::size_t>(limit, kMemory);
    return {all - std::min(used(), all), all};
  }

  std::atomic<std::size_t> limit = std::numeric_limits<std::size_t>::max();

 private:
  static char* map(int file, int rights) {
    void* const address = mmap(nullptr, kMemory, rights, MAP_SHARED | MAP_NORESERVE, file, 0);
    expect(address != MAP_FAILED, "addresses for the simulated device");
    return static_cast<char*>(address);
  }
  static void give_back(void* block);

  char *outside_ = nullptr, *inside_ = nullptr;
  std::mutex mutex_;
  std::size_t end_ = 0, used_ = 0, ever_used_ = 0;
  std::map<std::size_t, std::vector<char*>> kept_;  // free ones, by size
  std::map<void*, std::size_t> sizes_;              // of those in use
};

/// Never destroyed: tensors in static variables may go after it.
Memory& blocks_of_device() {
  static Memory& one = *new Memory;
  return one;
}

void Memory::give_back(void* block) {
  Memory& all = blocks_of_device();
  const std::lock_guard lock(all.mutex_);
  const auto found = all.sizes_.find(block);
  all.used_ -= found->second;
  all.kept_[found->second].push_back(static_cast<char*>(block));
  all.sizes_.erase(found);
}

/// Host memory that a copy may read and write while the host goes on.
class Pinned final : public c10::Allocator {
 public:
  c10::DataPtr allocate(std::size_t bytes) override {
    auto* const block = new char[std::max<std::size_t>(bytes, 1)];
    const std::lock_guard lock(mutex());
    blocks()[block] = bytes;
    return {block, block, &give_back, at::kCPU};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &give_back; }
  void copy_data(void* to, const void* from, std::size_t bytes) const override {
    std::memcpy(to, from, bytes);
  }
  static bool holds(const void* address) {
    const std::lock_guard lock(mutex());
    const auto* const place = static_cast<const char*>(address);
    const auto after = blocks().upper_bound(place);
    return after != blocks().begin() && place < std::prev(after)->first + std::prev(after)->second;
  }

 private:
  static std::mutex& mutex() {
    static auto& one = *new std::mutex;
    return one;
  }
  static std::map<const char*, std::size_t>& blocks() {
    static auto& one = *new std::map<const char*, std::size_t>;
    return one;
  }
  static void give_back(void* block) {
    {
      const std::lock_guard lock(mutex());
      blocks().erase(static_cast<char*>(block));
    }
    delete[] static_cast<char*>(block);
  }
};

}  // namespace

c10::Allocator& memory() {
  return blocks_of_device();
}

c10::Allocator& pinned_memory() {
  static Pinned& one = *new Pinned;
  return one;
}

bool is_pinned(const void* address) {
  return Pinned::holds(address);
}

void* inside(void* address) {
  return address ? blocks_of_device().inside(address) : nullptr;
}

int64_t memory_in_use() {
  return static_cast<int64_t>(blocks_of_device().used());
}

int64_t memory_ever_used() {
  return static_cast<int64_t>(blocks_of_device().ever_used());
}

MemoryLimit::MemoryLimit(int64_t bytes) {
  blocks_of_device().limit = static_cast<std::size_t>(bytes);
}

MemoryLimit::~MemoryLimit() {
  blocks_of_device().limit = std::numeric_limits<std::size_t>::max();
}

}  // namespace heed::accelerator
