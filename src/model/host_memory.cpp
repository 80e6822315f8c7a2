#include "model/host_memory.h"

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <map>
#include <mutex>
#include <new>

namespace heed::model {
namespace {

constexpr std::size_t kPooled = 32 << 10;  // smaller ones are malloc's
constexpr std::size_t kAlignment = 64, kPage = 4096;
constexpr std::size_t kSpare = 64 << 20;

/// Stands in front of every tensor's bytes: oneDNN wants a tensor's context to be its address.
struct alignas(kAlignment) Header {
  std::size_t size = 0;  // of the block with this header
};

/// The next size at least so large: eight to an octave, in whole pages.
std::size_t size_class(std::size_t bytes) {
  const std::size_t step = std::max(kPage, std::bit_floor(bytes) / 8);
  return (bytes + step - 1) / step * step;
}

class Pool : public c10::Allocator {
 public:
  c10::DataPtr allocate(std::size_t bytes) override {
    if (bytes == 0) return {nullptr, nullptr, &give_back, c10::Device(c10::kCPU)};
    const std::size_t whole = bytes + sizeof(Header);
    Header* header = whole < kPooled ? small(whole) : pooled(size_class(whole));
    void* data = header + 1;
    return {data, data, &give_back, c10::Device(c10::kCPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &give_back; }
  void copy_data(void* to, const void* from, std::size_t bytes) const override {
    default_copy_data(to, from, bytes);
  }

  HostMemory numbers() {
    const std::lock_guard lock(mutex_);
    return {static_cast<int64_t>(used_), static_cast<int64_t>(most_),
            static_cast<int64_t>(used_ + free_bytes_)};
  }
  void forget_peak() {
    const std::lock_guard lock(mutex_);
    most_ = used_;
  }

  /// Lives as long as the process: tensors may outlive everything else.
  static Pool& get() {
    static auto* pool = new Pool;
    return *pool;
  }

 private:
  struct Free {
    Header* header;
    uint64_t since;
  };
  using FreeBlocks = std::multimap<std::size_t, Free>;

  static void give_back(void* data) {
    if (data != nullptr) get().take_back(static_cast<Header*>(data) - 1);
  }

  Header* small(std::size_t whole) {
    void* block = nullptr;
    if (posix_memalign(&block, kAlignment, whole) != 0) throw std::bad_alloc();
    const std::lock_guard lock(mutex_);
    count(whole);
    return new (block) Header{whole};
  }

  Header* pooled(std::size_t size) {
    const std::lock_guard lock(mutex_);
    const auto found = free_.lower_bound(size);
    if (found != free_.end() && found->first <= size + size / 2) {
      Header* header = found->second.header;
      free_bytes_ -= header->size;
      free_.erase(found);
      count(header->size);
      return header;
    }
    const std::size_t ever = std::max(ever_, used_ + size);
    while (!free_.empty() && used_ + size + free_bytes_ > ever + ever / 4 + kSpare)
      release_oldest();
    void* block = map(size);
    while (block == MAP_FAILED && !free_.empty()) {
      release_oldest();
      block = map(size);
    }
    if (block == MAP_FAILED) throw std::bad_alloc();
    count(size);
    return new (block) Header{size};
  }

  static void* map(std::size_t size) {
    return mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  }

  void take_back(Header* header) {
    const std::size_t size = header->size;
    {
      const std::lock_guard lock(mutex_);
      used_ -= size;
      if (size >= kPooled) {
        free_.emplace(size, Free{header, ++clock_});
        free_bytes_ += size;
        return;
      }
    }
    std::free(header);
  }

  void release_oldest() {
    const auto oldest = std::min_element(
        free_.begin(), free_.end(),
        [](const auto& a, const auto& b) { return a.second.since < b.second.since; });
    free_bytes_ -= oldest->first;
    munmap(oldest->second.header, oldest->first);
    free_.erase(oldest);
  }

  void count(std::size_t size) {
    used_ += size;
    most_ = std::max(most_, used_);
    ever_ = std::max(ever_, used_);
  }

  std::mutex mutex_;
  FreeBlocks free_;  // by size
  std::size_t used_ = 0, most_ = 0, ever_ = 0, free_bytes_ = 0;
  uint64_t clock_ = 0;
};

}  // namespace

void pool_host_memory() {
  // Both caches hold a product's workspace for each shape it was asked for, 1,024 by default, and
  // batches are of ever new shapes.
  for (const char* cache : {"ONEDNN_PRIMITIVE_CACHE_CAPACITY", "LRU_CACHE_CAPACITY"})
    setenv(cache, "32", /*overwrite=*/0);
  c10::SetCPUAllocator(&Pool::get(), /*priority=*/1);
}

HostMemory host_memory() {
  return Pool::get().numbers();
}

void forget_peak() {
  Pool::get().forget_peak();
}

}  // namespace heed::model
