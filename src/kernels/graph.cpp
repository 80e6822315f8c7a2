// CUDA graphs lie in a library of their own, libheed_graphs.so beside the program or, once
// installed, in lib/heed: this one is built without CUDA and runs without it.
#include "kernels/graph.h"

#include <dlfcn.h>

#include <filesystem>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "base/installation.h"
#include "kernels/graph_plugin.h"

namespace heed::kernels {
namespace {

struct Recorders {
  std::mutex mutex;
  std::map<at::DeviceType, GraphRecorder*> of;
  std::string missing;  // why there is none for GPUs
};

Recorders& recorders() {
  static Recorders all;
  return all;
}

/// Either a recorder or why there is none.
std::pair<GraphRecorder*, std::string> load_recorder() {
  const auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  const std::string file = installed_file(std::string("lib/heed/") + kGraphsPlugin)
                               .value_or((folder / kGraphsPlugin).string());
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  const char* const why = library ? nullptr : dlerror();
  if (!library)
    return {nullptr, "they are in " + file + ": " + (why ? why : "it does not load") +
                         "; docs/gpu.md says how it is built"};
  const auto own = reinterpret_cast<GraphRecorderOfGpus>(dlsym(library, kGraphRecorder));
  if (!own) return {nullptr, file + ": is of another version of heed; build it anew"};
  return {own(), ""};
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

void Graph::set_recorder(at::DeviceType type, GraphRecorder* recorder) {
  const std::lock_guard lock(recorders().mutex);
  recorders().of[type] = recorder;
}

Graph::Graph(const at::Device& device, const std::function<void()>& work) {
  if (const std::string why = why_not(device); !why.empty())
    throw UserError("graphs on " + device.str() + ": " + why);
  GraphRecorder* recorder = nullptr;
  {
    const std::lock_guard lock(recorders().mutex);
    recorder = recorders().of[device.type()];
  }
  recording_ = recorder->record(device, work);
}

}  // namespace heed::kernels
