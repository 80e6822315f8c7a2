// Measurements of where time goes, by LibTorch's profiler.
#pragma once

#include <functional>
#include <vector>

#include "benchmarks/bench/cost_tables.h"

namespace heed::bench {

/// The work of the GPU while `work` lasts; there must be a GPU. What it has not finished when
/// `work` returns is missing.
KernelTimes watch_kernels(const std::function<void()>& work);

/// The time of LibTorch's operations on the host.
struct HostTimes {
  std::vector<OperationCost> operations;  // dearest first
  double product_flops = 0;               // of all matrix products: 2 x rows x inner x columns each
};

/// The times of all threads while `work` lasts. Watching slows small operations by about a
/// microsecond.
HostTimes watch_operations(const std::function<void()>& work);

}  // namespace heed::bench
