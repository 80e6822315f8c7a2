// Tables of where the time of several systems goes: operations of the host, and kernels of a GPU.
#pragma once

#include <string>
#include <vector>

#include "apps/bench/kernel_times.h"
#include "apps/bench/profile.h"
#include "text/table.h"

namespace heed {

/// With one digit after the point; 0 of nothing.
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

}  // namespace heed
