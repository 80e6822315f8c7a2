// What heed and its library for GPUs agree on, and how heed finds what is in it.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "base/installation.h"
#include "kernels/graph.h"
#include "kernels/layer_norm.h"

namespace heed::kernels {

constexpr const char* kGpuPlugin = "libheed_gpu.so";
// Functions of it. Their names end with the version of what they return.
constexpr const char* kGraphRecorder = "heed_graph_recorder_1";
constexpr const char* kAddNormKernels = "heed_add_norm_kernels_1";

/// The process's own, which live as long as it does.
using GraphRecorderOfGpus = GraphRecorder* (*)();
using AddNormKernelsOfGpus = AddNormKernels* (*)();

/// A service of each type of device; that of GPUs is looked for when it is first wanted.
template <class Service>
class Services {
 public:
  /// `function` of the library returns that of GPUs.
  explicit Services(const char* function) : function_(function) {}

  void set(at::DeviceType type, Service* service) {
    const std::lock_guard lock(mutex_);
    of_[type] = service;
  }

  /// Either a service or why there is none.
  std::pair<Service*, std::string> find(const at::Device& device) {
    const std::lock_guard lock(mutex_);
    Service*& found = of_[device.type()];
    if (found) return {found, ""};
    if (!device.is_cuda()) return {nullptr, "devices of this kind have none"};
    if (missing_.empty()) {
      const Plugin plugin = open_plugin(kGpuPlugin, function_, "they are in ");
      if (plugin.function) found = reinterpret_cast<Service* (*)()>(plugin.function)();
      missing_ = plugin.problem;
    }
    return {found, missing_};
  }

 private:
  const char* function_;
  std::mutex mutex_;
  std::map<at::DeviceType, Service*> of_;
  std::string missing_;  // why there is none for GPUs
};

}  // namespace heed::kernels
