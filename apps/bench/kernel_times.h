// Where the time of a GPU goes: its kernels, as LibTorch's profiler sees them, and the gaps
// between.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace heed {

/// A kernel or a copy on the GPU, in nanoseconds.
struct KernelRun {
  std::string name;
  uint64_t begin = 0, end = 0;
};

struct KernelCost {
  std::string name;
  double seconds = 0;
  int64_t calls = 0;
};

struct KernelTimes {
  std::vector<KernelCost> kernels;  // dearest first
  int64_t calls = 0;                // of all
  double busy = 0;                  // seconds in which at least one ran
  double idle = 0;                  // seconds between the first and the last in which none ran
};

/// Those of some runs, in any order; they may overlap.
KernelTimes kernel_times(std::vector<KernelRun> runs);

/// What the GPU does while `work` lasts; there must be one. What it has not finished when `work`
/// returns is missing.
KernelTimes watch_kernels(const std::function<void()>& work);

}  // namespace heed
