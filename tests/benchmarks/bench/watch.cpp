#include "benchmarks/bench/watch.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/profiler_kineto.h>

#include <algorithm>
#include <map>

namespace heed::bench {
namespace {

using torch::autograd::profiler::KinetoEvent;
using torch::profiler::impl::ActivityType;

/// The events of all threads while `work` lasts.
std::vector<KinetoEvent> events_of(const std::function<void()>& work, ActivityType of) {
  namespace profiler = torch::autograd::profiler;
  torch::profiler::impl::ExperimentalConfig threads;
  threads.profile_all_threads = true;
  const torch::profiler::impl::ProfilerConfig config(
      torch::profiler::impl::ProfilerState::KINETO, /*report_input_shapes=*/of == ActivityType::CPU,
      false, false, false, false, threads);
  profiler::prepareProfiler(config, {of});
  profiler::enableProfiler(config, {of});
  try {
    work();
  } catch (...) {
    profiler::disableProfiler();
    throw;
  }
  return profiler::disableProfiler()->events();
}

/// 2 x elements of the left factor x columns of the right one, for the products that all others
/// end in.
double flops_of(const KinetoEvent& event) {
  const std::string name = event.name();
  const bool transposed = name == "mkldnn::_linear_pointwise";  // weights are [out, in]
  const bool adds = name == "aten::addmm" || name == "aten::baddbmm" || name == "aten::addmm_";
  if (!transposed && !adds && name != "aten::mm" && name != "aten::bmm") return 0;
  const std::size_t left = adds ? 1 : 0;
  const auto shapes = event.shapes();
  if (shapes.size() < left + 2 || shapes[left + 1].empty()) return 0;
  double flops =
      2.0 * static_cast<double>(transposed ? shapes[1].front() : shapes[left + 1].back());
  for (const int64_t extent : shapes[left]) flops *= static_cast<double>(extent);
  return flops;
}

}  // namespace

KernelTimes watch_kernels(const std::function<void()>& work) {
  std::vector<KernelRun> runs;
  for (const KinetoEvent& event : events_of(work, ActivityType::CUDA))
    if (event.deviceType() == at::kCUDA && event.durationNs() > 0)
      runs.push_back({event.name(), event.startNs(), event.endNs()});
  return kernel_times(std::move(runs));
}

HostTimes watch_operations(const std::function<void()>& work) {
  std::vector<KinetoEvent> events = events_of(work, ActivityType::CPU);
  std::ranges::sort(events, {}, [](const KinetoEvent& one) {
    return std::tuple(one.startThreadId(), one.startNs(), ~one.durationNs());
  });
  HostTimes times;
  std::map<std::string, OperationCost> costs;
  std::vector<const KinetoEvent*> open;  // of one thread, each inside the one before
  for (const KinetoEvent& event : events) {
    while (!open.empty() && (open.back()->startThreadId() != event.startThreadId() ||
                             open.back()->endNs() <= event.startNs()))
      open.pop_back();
    const double seconds = 1e-9 * static_cast<double>(event.durationNs());
    if (!open.empty()) costs[open.back()->name()].seconds -= seconds;
    open.push_back(&event);
    OperationCost& cost = costs[event.name()];
    cost.name = event.name();
    cost.seconds += seconds;
    ++cost.calls;
    times.product_flops += flops_of(event);
  }
  for (auto& [name, cost] : costs) times.operations.push_back(std::move(cost));
  std::ranges::stable_sort(times.operations, std::ranges::greater(), &OperationCost::seconds);
  return times;
}

}  // namespace heed::bench
