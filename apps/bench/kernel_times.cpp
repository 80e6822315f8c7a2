#include "apps/bench/kernel_times.h"

#include <torch/csrc/autograd/profiler_kineto.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

namespace heed {

KernelTimes kernel_times(std::vector<KernelRun> runs) {
  std::ranges::sort(runs, {}, &KernelRun::begin);
  KernelTimes times;
  std::map<std::string, KernelCost> costs;
  const auto seconds = [](uint64_t nanoseconds) { return static_cast<double>(nanoseconds) * 1e-9; };
  uint64_t busy_until = runs.empty() ? 0 : runs.front().begin;
  for (const KernelRun& run : runs) {
    KernelCost& cost = costs[run.name];
    cost.name = run.name;
    cost.seconds += seconds(run.end - run.begin);
    ++cost.calls;
    ++times.calls;
    if (run.begin > busy_until) times.idle += seconds(run.begin - busy_until);
    const uint64_t from = std::max(run.begin, busy_until);
    if (run.end > from) times.busy += seconds(run.end - from);
    busy_until = std::max(busy_until, run.end);
  }
  for (auto& [name, cost] : costs) times.kernels.push_back(std::move(cost));
  std::ranges::stable_sort(times.kernels, std::ranges::greater(), &KernelCost::seconds);
  return times;
}

KernelTimes watch_kernels(const std::function<void()>& work) {
  namespace profiler = torch::autograd::profiler;
  using torch::profiler::impl::ActivityType;
  const torch::profiler::impl::ProfilerConfig config(torch::profiler::impl::ProfilerState::KINETO);
  const std::set<ActivityType> activities{ActivityType::CUDA};
  profiler::prepareProfiler(config, activities);
  profiler::enableProfiler(config, activities);
  std::vector<KernelRun> runs;
  try {
    work();
  } catch (...) {
    profiler::disableProfiler();
    throw;
  }
  const auto result = profiler::disableProfiler();
  for (const auto& event : result->events())
    if (event.deviceType() == at::kCUDA && event.durationNs() > 0)
      runs.push_back({event.name(), event.startNs(), event.endNs()});
  return kernel_times(std::move(runs));
}

}  // namespace heed
