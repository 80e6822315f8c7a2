// The device and the precision in which a model computes.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <c10/core/Event.h>
#include <c10/util/Exception.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heed::model {

/// "auto", "cpu", "cuda" or "cuda:N". Loads LibTorch's CUDA library when a GPU is asked for (auto:
/// when the machine has one). Throws UserError that says what is missing.
/// Calls of the calling thread that name no GPU, such as those for pinned memory, then mean this
/// one.
at::Device open_device(const std::string& name);

/// Whether "auto" is a GPU on this machine; uses no memory of the GPU. Loads LibTorch's CUDA
/// library, too.
bool auto_means_gpu();

/// Returns a copy of a host's tensor on `device`; the tensor itself where that is the host. A GPU
/// takes it from pinned memory, in order with its other work, and the host does not wait.
at::Tensor upload(const at::Tensor& host, const at::Device& device);

/// upload() of a copy of these numbers: [values] int64.
at::Tensor upload_numbers(const std::vector<int64_t>& values, const at::Device& device);

/// A tensor of a device on its way to the host, after all work queued so far. When one has arrived,
/// those that were sent before it have, too.
class Download {
 public:
  explicit Download(const at::Tensor& values);

  bool arrived() const { return !arrival_ || arrival_->query(); }
  /// Returns the tensor on the host, and waits where it has not arrived.
  const at::Tensor& host() const;

 private:
  at::Tensor host_;
  std::optional<c10::Event> arrival_;  // none for tensors of the host
};

/// The bytes that tensors of a GPU can still take: memory that no process has, and memory that
/// LibTorch keeps for later.
int64_t free_memory(const at::Device& device);

/// Whether the error says that there is no memory left, of a GPU or of the host.
bool is_out_of_memory(const c10::Error& error);

/// Whether a processor (AVX512-BF16, AMX) or GPU (from Ampere on) multiplies bf16 directly. On a
/// GPU that is faster than fp32; on a CPU it may be slower (base/precision_times.h).
bool has_bf16(const at::Device& device);

/// fp32, bf16 or fp16 for a name. The type of tf32 is fp32. "auto" is bf16 or fp32 by has_bf16(),
/// for GPUs alone. Throws UserError where the device cannot.
at::ScalarType choose_precision(const std::string& name, const at::Device& device);

/// Returns choose_precision(); from now on this process multiplies fp32 on GPUs in fp32, or for
/// "tf32" in TF32: 10 bits of each factor's mantissa, sums in fp32; GPUs before Ampere and CPUs
/// stay with fp32. LibTorch's own default is TF32 in recurrences alone.
at::ScalarType use_precision(const std::string& name, const at::Device& device);

/// The name of the precision that use_precision() set: fp32, tf32, bf16 or fp16.
std::string precision_name(at::ScalarType precision);

/// Autocast for the lifetime of this object; nothing for fp32. LibTorch keeps the weights' copies
/// in low precision for all threads together and forgets all at once: where several threads compute
/// gradients, `keep_copies` must be false, or a gradient depends on when another thread ends.
class Autocast {
 public:
  Autocast(const at::Device& device, at::ScalarType precision, bool keep_copies = true);
  ~Autocast();
  Autocast& operator=(Autocast&&) = delete;

 private:
  at::DeviceType type_;
  bool active_ = false, previous_ = false, kept_copies_ = false;
  at::ScalarType previous_type_{};
};

// The memory of CPU tensors: blocks that one update gave back are used again by the next one.

/// Gives tensors on the CPU their memory from a pool, from here on; to be called at the beginning
/// of a program. The system would zero every page of a large tensor anew; and malloc, told to keep
/// what is freed, scatters it: batches of ever new shapes then take several times the memory that
/// they hold at once. The pool keeps freed blocks, in sizes an eighth of an octave apart, and gives
/// the longest unused back to the system before it holds more than a quarter (and 64 MiB) above
/// what was in use at the most. oneDNN's caches of workspaces are kept small, too.
void pool_host_memory();

/// Bytes in blocks of the pool; all 0 before pool_host_memory().
struct HostMemory {
  int64_t used = 0;  // by tensors now
  int64_t most = 0;  // at the most since forget_peak()
  int64_t held = 0;  // with the blocks that are kept for later
};
HostMemory host_memory();
void forget_peak();

}  // namespace heed::model
