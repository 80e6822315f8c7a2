// Where time goes, by LibTorch's profiler.
#pragma once

#include <functional>
#include <vector>

#include "benchmarks/bench/cost_tables.h"

namespace heed::bench {

/// What the GPU does while `work` lasts; there must be one. What it has not finished when `work`
/// returns is missing.
KernelTimes watch_kernels(const std::function<void()>& work);

/// What LibTorch does on the host.
struct HostTimes {
  std::vector<OperationCost> operations;  // dearest first
  double product_flops = 0;               // of all matrix products: 2 x rows x inner x columns each
};

/// Of all threads while `work` lasts. Watching slows small operations by about a microsecond.
HostTimes watch_operations(const std::function<void()>& work);

}  // namespace heed::bench
