#include "apps/bench/cost_tables.h"

#include <algorithm>

#include "base/strings.h"

namespace heed {
namespace {

// Listed of each system.
constexpr std::size_t kOperations = 10, kKernels = 40;

}  // namespace

std::string percent(double part, double whole) {
  return fixed(whole > 0 ? 100 * part / whole : 0, 1);
}

void CostTables::add(const std::string& system, const std::vector<OperationCost>& costs) {
  double whole = 0;
  for (const OperationCost& cost : costs) whole += cost.seconds;
  for (std::size_t i = 0; i < std::min(kOperations, costs.size()); ++i)
    operations.rows.push_back({system, costs[i].name, std::to_string(costs[i].calls),
                               fixed(costs[i].seconds, 4), percent(costs[i].seconds, whole)});
}

void CostTables::add(const std::string& system, const KernelTimes& times, double updates) {
  if (times.calls == 0) return;
  const auto row = [&](const std::string& name, int64_t calls, double seconds) {
    kernels.rows.push_back({system, name, fixed(static_cast<double>(calls) / updates, 1),
                            fixed(1e3 * seconds / updates, 3),
                            percent(seconds, times.busy + times.idle)});
  };
  row("all", times.calls, times.busy);
  row("none", 0, times.idle);
  for (std::size_t i = 0; i < std::min(kKernels, times.kernels.size()); ++i)
    row(times.kernels[i].name, times.kernels[i].calls, times.kernels[i].seconds);
}

}  // namespace heed
