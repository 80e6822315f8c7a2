// CUDA graphs lie in a library of their own, libheed_gpu.so beside the program or, once
// installed, in lib/heed: this one is built without CUDA and runs without it.
#include "kernels/graph.h"

#include <c10/util/Exception.h>
#include <dlfcn.h>

#include <map>
#include <mutex>

#include "base/error.h"
#include "base/installation.h"
#include "kernels/gpu_plugin.h"

namespace heed::kernels {
namespace {

thread_local bool records = false;

/// Marks the calling thread as one that records, for the lifetime of this object.
struct Records {
  Records() { records = true; }
  ~Records() { records = false; }
  Records& operator=(Records&&) = delete;
};

/// The recorder of each type of device; the one for GPUs is looked for when it is first wanted.
class Recorders {
 public:
  void set(at::DeviceType type, GraphRecorder* recorder) {
    const std::lock_guard lock(mutex_);
    of_[type] = recorder;
  }

  /// Either a recorder or why there is none.
  std::pair<GraphRecorder*, std::string> find(const at::Device& device) {
    const std::lock_guard lock(mutex_);
    GraphRecorder*& found = of_[device.type()];
    if (found) return {found, ""};
    if (!device.is_cuda()) return {nullptr, "devices of this kind have none"};
    if (missing_.empty()) {
      const Plugin plugin = open_plugin(kGpuPlugin, kGraphRecorder, "they are in ");
      if (plugin.function) found = reinterpret_cast<GraphRecorderOfGpus>(plugin.function)();
      missing_ = plugin.problem;
    }
    return {found, missing_};
  }

 private:
  std::mutex mutex_;
  std::map<at::DeviceType, GraphRecorder*> of_;
  std::string missing_;  // why there is none for GPUs
};

Recorders& recorders() {
  static Recorders all;
  return all;
}

}  // namespace

// libtorch_cuda has loaded the CUDA runtime already. For one number its headers are not needed.
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
