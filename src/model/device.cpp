#include "model/device.h"

#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <ATen/autocast_mode.h>
#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <map>
#include <mutex>
#include <new>
#include <string_view>

#include "base/error.h"
#include "base/format.h"
#include "base/log.h"
#include "base/strings.h"
#include "kernels/graph.h"
#include "kernels/rows/versions.h"

namespace heed::model {
namespace {

/// The folder that LibTorch was loaded from, with a slash at its end.
std::string libtorch_folder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&at::globalContext), &info) == 0 || !info.dli_fname)
    return "";
  const std::string file = info.dli_fname;
  return file.substr(0, file.rfind('/') + 1);
}

/// Loads CUDA's kernels into the process; returns "" or the reason why it could not. LibTorch asks
/// for them once, at the first use that may concern a GPU, so this comes before any such use.
std::string load_cuda() {
  static const std::string problem = [] {
    const std::string file = libtorch_folder() + "libtorch_cuda.so";
    if (dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL)) return std::string();
    const char* why = dlerror();
    return fmt::format(
        "LibTorch's CUDA library does not load: {} (`./run gpu` in heed's folder adds what is "
        "missing)",
        why ? why : file);
  }();
  if (!problem.empty()) return problem;
  if (!at::globalContext().hasCUDART())
    return "LibTorch was used before its CUDA library was loaded";
  if (at::getNumGPUs() == 0)
    return "no GPU is visible (is its driver loaded? what does CUDA_VISIBLE_DEVICES say?)";
  return "";
}

/// Whether there are the device nodes of a GPU, on Linux or in WSL: this is cheap and needs no
/// driver.
bool gpu_seems_present() {
  return access("/dev/nvidia0", F_OK) == 0 || access("/dev/nvidiactl", F_OK) == 0 ||
         access("/dev/dxg", F_OK) == 0;
}

/// Returns N of "cuda:N" (0 for "cuda").
std::optional<int> gpu_index(const std::string& name) {
  if (name == "cuda") return 0;
  if (!name.starts_with("cuda:")) return std::nullopt;
  const auto index = exact_number<int>(std::string_view(name).substr(5));
  return index && *index >= 0 ? index : std::nullopt;
}

at::Device open_gpu(const std::string& name, int index) {
  if (const std::string problem = load_cuda(); !problem.empty())
    throw UserError("device: {}: {}; set device to cpu or auto", name, problem);
  const auto count = static_cast<int>(at::getNumGPUs());
  if (index >= count)
    throw UserError("device: {}: this machine has {}, counted from 0", name, counted(count, "GPU"));
  at::globalContext().lazyInitDevice(at::kCUDA);
  // cuDNN's attention plans for each shape that it has not seen, for tens of milliseconds, and
  // batches and steps of decoding always have others.
  at::globalContext().setSDPUseCuDNN(false);
  const at::Device device(at::kCUDA, static_cast<c10::DeviceIndex>(index));
  // Calls that name no GPU, such as those for pinned memory and of NCCL, would take memory of the
  // first one.
  c10::impl::getDeviceGuardImpl(at::kCUDA)->setDevice(device);
  return device;
}

constexpr std::size_t kPooled = 32 << 10;  // smaller ones are malloc's
constexpr std::size_t kBlockAlignment = 64, kPage = 4096;
constexpr std::size_t kSpare = 64 << 20;

/// The header before every tensor's bytes. A tensor's context cannot say its block: oneDNN wants
/// the context to be the tensor's address.
struct alignas(kBlockAlignment) BlockHeader {
  std::size_t size = 0;  // of the block with this header
};

/// The smallest block size of at least `bytes`: there are eight sizes to an octave, in whole pages.
std::size_t size_class(std::size_t bytes) {
  const std::size_t step = std::max(kPage, std::bit_floor(bytes) / 8);
  return (bytes + step - 1) / step * step;
}

class MemoryPool : public c10::Allocator {
 public:
  c10::DataPtr allocate(std::size_t bytes) override {
    if (bytes == 0) return {nullptr, nullptr, &give_back, c10::Device(c10::kCPU)};
    const std::size_t whole = bytes + sizeof(BlockHeader);
    BlockHeader* header = whole < kPooled ? small(whole) : pooled(size_class(whole));
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
  static MemoryPool& get() {
    static auto* pool = new MemoryPool;
    return *pool;
  }

 private:
  struct Free {
    BlockHeader* header;
    uint64_t since;
  };
  using FreeBlocks = std::multimap<std::size_t, Free>;

  static void give_back(void* data) {
    if (data != nullptr) get().take_back(static_cast<BlockHeader*>(data) - 1);
  }

  BlockHeader* small(std::size_t whole) {
    void* block = nullptr;
    if (posix_memalign(&block, kBlockAlignment, whole) != 0) throw std::bad_alloc();
    const std::lock_guard lock(mutex_);
    count(whole);
    return new (block) BlockHeader{whole};
  }

  BlockHeader* pooled(std::size_t size) {
    const std::lock_guard lock(mutex_);
    const auto found = free_.lower_bound(size);
    if (found != free_.end() && found->first <= size + size / 2) {
      BlockHeader* header = found->second.header;
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
    return new (block) BlockHeader{size};
  }

  static void* map(std::size_t size) {
    return mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  }

  void take_back(BlockHeader* header) {
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
    const auto oldest =
        std::ranges::min_element(free_, {}, [](const auto& one) { return one.second.since; });
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

bool auto_means_gpu() {
  if (!gpu_seems_present()) return false;
  const std::string problem = load_cuda();
  if (!problem.empty())
    log::warn("device: auto: computing on the CPU although a GPU seems present: " + problem);
  return problem.empty();
}

at::Device open_device(const std::string& name) {
  if (name == "cpu") return at::kCPU;
  if (name == "auto") return auto_means_gpu() ? open_gpu("cuda:0", 0) : at::Device(at::kCPU);
  if (const auto index = gpu_index(name)) return open_gpu(name, *index);
  throw UserError("device: got '{}', expected auto, cpu, cuda or cuda:N with N = 0, 1, ...", name);
}

at::Tensor upload(const at::Tensor& host, const at::Device& device) {
  if (device.is_cpu()) return host;
  kernels::Graph::refuse_copies_from_host();
  // The allocator of pinned memory keeps the block until the copy is done.
  return host.pin_memory().to(device, host.scalar_type(), /*non_blocking=*/true);
}

at::Tensor upload_numbers(const std::vector<int64_t>& values, const at::Device& device) {
  return upload(at::tensor(values, at::kLong), device);
}

Download::Download(const at::Tensor& values) : host_(values.detach()) {
  if (values.is_cpu()) return;
  host_ = at::empty(values.sizes(), at::TensorOptions(values.scalar_type()).pinned_memory(true));
  host_.copy_(values, /*non_blocking=*/true);
  const at::Device device = values.device();
  arrival_.emplace(device.type());
  arrival_->record(c10::impl::VirtualGuardImpl(device.type()).getStream(device));
}

const at::Tensor& Download::host() const {
  if (arrival_) arrival_->synchronize();
  return host_;
}

int64_t free_memory(const at::Device& device) {
  c10::DeviceAllocator& allocator = *c10::getDeviceAllocator(device.type());
  const c10::DeviceIndex index = device.has_index() ? device.index() : c10::DeviceIndex{0};
  const auto stats = allocator.getDeviceStats(index);
  constexpr auto kAll = static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE);
  return static_cast<int64_t>(allocator.getMemoryInfo(index).first) +
         stats.reserved_bytes[kAll].current - stats.allocated_bytes[kAll].current;
}

bool is_out_of_memory(const c10::Error& error) {
  // LibTorch's allocator of host memory has no exception type of its own.
  return dynamic_cast<const c10::OutOfMemoryError*>(&error) != nullptr ||
         std::string_view(error.what_without_backtrace()).find("DefaultCPUAllocator") !=
             std::string_view::npos;
}

bool has_bf16(const at::Device& device) {
  // bf16 came with Ampere.
  return device.is_cuda() ? kernels::compute_capability(device) >= 8
                          : kernels::processor().bf16_products;
}

at::ScalarType choose_precision(const std::string& name, const at::Device& device) {
  if (name == "auto") {
    expect(!device.is_cpu(), "on a CPU it is measured");
    return has_bf16(device) ? at::kBFloat16 : at::kFloat;
  }
  if (name == "fp32" || name == "tf32") return at::kFloat;
  if (name == "bf16") {
    if (device.is_cuda() && !has_bf16(device))
      throw UserError("precision: bf16: this GPU has none; set precision to fp16 or fp32");
    return at::kBFloat16;
  }
  if (name == "fp16") {
    if (device.is_cpu())
      throw UserError("precision: fp16 needs a GPU; set precision to bf16, fp32 or auto");
    return at::kHalf;
  }
  throw UserError("precision: got '{}', expected auto, fp32, tf32, bf16 or fp16", name);
}

at::ScalarType use_precision(const std::string& name, const at::Device& device) {
  const at::ScalarType precision = choose_precision(name, device);
  // Both setters also keep what LibTorch's newer, finer settings say, and throw later where the two
  // differ.
  const bool tf32 = name == "tf32" && !device.is_cpu();
  at::globalContext().setAllowTF32CuBLAS(tf32);
  at::globalContext().setAllowTF32CuDNN(tf32);
  return precision;
}

std::string precision_name(at::ScalarType precision) {
  if (precision == at::kFloat) return at::globalContext().allowTF32CuBLAS() ? "tf32" : "fp32";
  return precision == at::kBFloat16 ? "bf16" : "fp16";
}

Autocast::Autocast(const at::Device& device, at::ScalarType precision, bool keep_copies)
    : type_(device.type()), active_(precision != at::kFloat) {
  if (!active_) return;
  previous_ = at::autocast::is_autocast_enabled(type_);
  previous_type_ = at::autocast::get_autocast_dtype(type_);
  at::autocast::set_autocast_dtype(type_, precision);
  at::autocast::set_autocast_enabled(type_, true);
  kept_copies_ = at::autocast::is_autocast_cache_enabled();
  at::autocast::set_autocast_cache_enabled(kept_copies_ && keep_copies);
  at::autocast::increment_nesting();
}

Autocast::~Autocast() {
  if (!active_) return;
  // The weights' copies in low precision are kept for the outermost scope, within which nobody may
  // update the weights.
  if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
  at::autocast::set_autocast_cache_enabled(kept_copies_);
  at::autocast::set_autocast_enabled(type_, previous_);
  at::autocast::set_autocast_dtype(type_, previous_type_);
}

void pool_host_memory() {
  // Both caches hold a product's workspace for each shape that was computed, 1,024 by default, and
  // batches are of ever new shapes.
  for (const char* cache : {"ONEDNN_PRIMITIVE_CACHE_CAPACITY", "LRU_CACHE_CAPACITY"})
    setenv(cache, "32", /*overwrite=*/0);
  c10::SetCPUAllocator(&MemoryPool::get(), /*priority=*/1);
}

HostMemory host_memory() {
  return MemoryPool::get().numbers();
}

void forget_peak() {
  MemoryPool::get().forget_peak();
}

}  // namespace heed::model
