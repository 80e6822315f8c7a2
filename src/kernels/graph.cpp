// CUDA graphs lie in a library of their own, libheed_gpu.so beside the program or, once
// installed, in lib/heed: this one is built without CUDA and runs without it.
#include "kernels/graph.h"

#include <c10/util/Exception.h>

#include "base/error.h"
#include "kernels/gpu_plugin.h"

namespace heed::kernels {
namespace {

thread_local bool records = false;

/// The calling thread records for the lifetime of this object.
struct Records {
  Records() { records = true; }
  ~Records() { records = false; }
  Records(const Records&) = delete;
  Records& operator=(const Records&) = delete;
};

Services<GraphRecorder>& recorders() {
  static Services<GraphRecorder> all(kGraphRecorder);
  return all;
}

}  // namespace

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
