#include "kernels/gpu.h"

#include <dlfcn.h>

namespace heed::kernels {

// libtorch_cuda has brought the runtime along. For one number its headers are not needed.
int compute_capability(const c10::Device& device) {
  using Query = int (*)(int* value, int attribute, int device);
  constexpr int kComputeCapabilityMajor = 75;
  static const auto query = reinterpret_cast<Query>(dlsym(RTLD_DEFAULT, "cudaDeviceGetAttribute"));
  int major = 0;
  const int index = device.has_index() ? device.index() : 0;
  return query && query(&major, kComputeCapabilityMajor, index) == 0 ? major : 0;
}

}  // namespace heed::kernels
