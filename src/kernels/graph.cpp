// CUDA graphs lie in a library of their own, libheed_gpu.so beside the program or, once
// installed, in lib/heed: this one is built without CUDA and runs without it.
#include "kernels/graph.h"

#include <c10/util/Exception.h>

#include <map>
#include <mutex>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "base/format.h"
#include "base/installation.h"
#include "kernels/gpu_plugin.h"

namespace heed::kernels {
namespace {

struct Recorders {
  std::mutex mutex;
  std::map<at::DeviceType, GraphRecorder*> of;
  std::string missing;  // why there is none for GPUs
};

thread_local bool records = false;

/// The calling thread records for the lifetime of this object.
struct Records {
  Records() { records = true; }
  ~Records() { records = false; }
  Records(const Records&) = delete;
  Records& operator=(const Records&) = delete;
};

Recorders& recorders() {
  static Recorders all;
  return all;
}

/// Either a recorder or why there is none.
std::pair<GraphRecorder*, std::string> load_recorder() {
  const Plugin plugin = open_plugin(kGpuPlugin, kGraphRecorder, "they are in ");
  if (!plugin.function) return {nullptr, plugin.problem};
  return {reinterpret_cast<GraphRecorderOfGpus>(plugin.function)(), ""};
}

}  // namespace

std::string Graph::why_not(const at::Device& device) {
  if (device.is_cpu()) return "a CPU has none";
  const std::lock_guard lock(recorders().mutex);
  GraphRecorder*& recorder = recorders().of[device.type()];
  if (recorder) return "";
  if (!device.is_cuda()) return "devices of this kind have none";
  if (recorders().missing.empty()) std::tie(recorder, recorders().missing) = load_recorder();
  return recorders().missing;
}

void Graph::refuse_copies_from_host() {
  TORCH_CHECK(!records, "a copy from the host: not permitted while a graph is recorded");
}

void Graph::set_recorder(at::DeviceType type, GraphRecorder* recorder) {
  const std::lock_guard lock(recorders().mutex);
  recorders().of[type] = recorder;
}

Graph::Graph(const at::Device& device, const std::function<void()>& work) {
  if (const std::string why = why_not(device); !why.empty())
    throw UserError(fmt::format("graphs on {}: {}", device.str(), why));
  GraphRecorder* recorder = nullptr;
  {
    const std::lock_guard lock(recorders().mutex);
    recorder = recorders().of[device.type()];
  }
  const Records now;
  recording_ = recorder->record(device, work);
}

}  // namespace heed::kernels
