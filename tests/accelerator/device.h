// A simulated accelerator, for machines without one: the device "sim" of LibTorch (PrivateUse1).
//
// Its memory is mapped twice. Tensors hold addresses of the first mapping, which nobody may read or
// write: host code that touches a tensor of the device dies by SIGSEGV. The device's operations
// compute through the second mapping, with LibTorch's kernels for the CPU. Tensors of both kinds in
// one operation are refused, as a GPU refuses them. Copies to the host that do not block arrive
// when an event after them is waited for, and not before.
//
// What makes the host wait for the device is counted: each such wait would leave a GPU idle.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstdint>
#include <string>
#include <vector>

namespace heed::accelerator {

/// Once, and before LibTorch is used, for it looks for devices once. Not beside a GPU: LibTorch
/// takes this device for the one that pinned memory is for.
void register_device();

/// sim:0.
at::Device device();

enum class Wait {
  kRead,   // device to host: a blocking copy, item(), or a result whose shape depends on values
  kWrite,  // host to device, blocking or from memory that is not pinned
  kEvent,  // for an event that had not happened yet
};

/// The waits of the host since this object was made, on any thread.
class Watch {
 public:
  Watch();
  /// The waits in order, each by its operation, and by its shapes where it was a copy.
  std::vector<std::string> waits(Wait kind) const;

 private:
  std::size_t begin_;
};

/// The work that the device was asked to do since this object was made, on any thread.
class Work {
 public:
  Work();
  /// Operations that compute or copy, each of which a GPU would launch a kernel for at least. Views
  /// and tensors that nobody fills are none.
  int64_t launches() const;
  /// Bytes of the tensors that were made.
  int64_t bytes() const;

 private:
  int64_t launches_, bytes_;
};

/// How often the attention over sentences without padding was computed so far, forward, by the
/// kernel in the place of FlashAttention and by that of memory-efficient attention.
struct VarlenCalls {
  int64_t flash = 0, efficient = 0;
};
VarlenCalls varlen_calls();

/// Bytes of the device's tensors.
int64_t memory_in_use();

/// For the lifetime of this object the device has so many bytes and throws c10::OutOfMemoryError
/// beyond.
class MemoryLimit {
 public:
  explicit MemoryLimit(int64_t bytes);
  ~MemoryLimit();
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;
};

}  // namespace heed::accelerator
