// CUDA graphs lie in a library of their own, libheed_gpu.so beside the program or, once
// installed, in lib/heed: this one is built without CUDA and runs without it.
#include "kernels/graph.h"

#include <c10/util/Exception.h>
#include <dlfcn.h>

#include "base/error.h"
#include "kernels/gpu_plugin.h"

namespace heed::kernels {
namespace {

thread_local bool records = false;

/// The calling thread records for the lifetime of this object.
struct Records {
  Records() { records = true; }
  ~Records() { records = false; }
  Records& operator=(Records&&) = delete;
};

Services<GraphRecorder>& recorders() {
  static Services<GraphRecorder> all(kGraphRecorder);
  return all;
}

}  // namespace

// libtorch_cuda has brought the runtime along. For one number its headers are not needed.
int compute_capability(const c10::Device& device) {
  using Query = int (*)(int* value, int attribute, int device);
  constexpr int kComputeCapabilityMajor = 75;
  static const auto query = reinterpret_cast<Query>(dlsym(RTLD_DEFAULT, "cudaDeviceGetAttribute"));
  int major = 0;
  const int index = device.has_index() ? device.index() : 0;
  return query && query(&major, kComputeCapabilityMajor, index) == 0 ? major : 0;
}

std::string Graph::why_not(const at::Device& device) {
  return device.is_cpu() ? "a CPU has none" : recorders().find(device).second;
}

void Graph::refuse_copies_from_host() {
  TORCH_CHECK(!records, "a copy from the host: not permitted while a graph is recorded");
}

void Graph::set_recorder(at::DeviceType type, GraphRecorder* recorder) {
  recorders().set(type, recorder);
}

Graph::Graph(const at::Device& device, const std::function<void()>& work) {
  if (const std::string why = why_not(device); !why.empty())
    throw UserError("graphs on {}: {}", device.str(), why);
  const Records now;
  recording_ = recorders().find(device).first->record(device, work);
}

}  // namespace heed::kernels
