// Tables of where the time of several systems goes: operations of the host, and kernels of a GPU;
// and how fast a cost grows with length.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "text/table.h"

namespace heed::bench {

/// An operation of LibTorch, without the operations that it calls; or a kernel.
struct OperationCost {
  std::string name;
  double seconds = 0;
  int64_t calls = 0;
};

/// A kernel or a copy on the GPU, in nanoseconds.
struct KernelRun {
  std::string name;
  uint64_t begin = 0, end = 0;
};

struct KernelTimes {
  std::vector<OperationCost> kernels;  // dearest first
  int64_t calls = 0;                   // of all
  double busy = 0;                     // seconds in which at least one ran
  double idle = 0;                     // seconds between the first and the last in which none ran
};

/// The times of some runs of kernels, in any order; they may overlap.
KernelTimes kernel_times(std::vector<KernelRun> runs);

/// The slope of log y over log x by least squares: 2 where y grows with the square of x. Needs two
/// different x, all above 0.
double fitted_exponent(const std::vector<double>& x, const std::vector<double>& y);

/// A part in percent, with one digit after the point; 0 where the whole is 0.
std::string percent(double part, double whole);

struct CostTables {
  text::Table operations{{"system", "operation", "calls", "seconds", "%"}, {}};
  text::Table kernels{{"system", "kernel", "calls_per_update", "ms_per_update", "%"}, {}};

  /// The ten dearest.
  void add(const std::string& system, const std::vector<OperationCost>& costs);
  /// The dearest kernels, "all" of them, and as "none" the gaps between them: each divided by
  /// `updates`. Nothing where no kernel ran.
  void add(const std::string& system, const KernelTimes& times, double updates);
};

}  // namespace heed::bench
