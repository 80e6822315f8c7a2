#include "model/device.h"

#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <ATen/autocast_mode.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <dlfcn.h>
#include <unistd.h>

#include <string_view>

#include "base/error.h"
#include "base/format.h"
#include "base/log.h"
#include "base/strings.h"
#include "kernels/gpu.h"
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

/// Brings CUDA's kernels into the process; returns "" or what went wrong. LibTorch asks for them
/// once, at the first use that may concern a GPU, so this comes before any such use.
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

/// Cheap and without the driver: device nodes on Linux and in WSL.
bool gpu_seems_present() {
  return access("/dev/nvidia0", F_OK) == 0 || access("/dev/nvidiactl", F_OK) == 0 ||
         access("/dev/dxg", F_OK) == 0;
}

/// N of "cuda:N" (0 for "cuda").
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
  // For what names no GPU, such as pinned memory and NCCL: it would take memory of the first one.
  c10::impl::getDeviceGuardImpl(at::kCUDA)->setDevice(device);
  return device;
}

/// bf16 came with Ampere.
bool gpu_has_bf16(const at::Device& device) {
  return kernels::compute_capability(device) >= 8;
}

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

at::ScalarType choose_precision(const std::string& name, const at::Device& device) {
  const bool bf16 = device.is_cuda() ? gpu_has_bf16(device) : kernels::has_bf16_products();
  if (name == "auto") return bf16 ? at::kBFloat16 : at::kFloat;
  if (name == "fp32" || name == "tf32") return at::kFloat;
  if (name == "bf16") {
    if (device.is_cuda() && !bf16)
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

}  // namespace heed::model
