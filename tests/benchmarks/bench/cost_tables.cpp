#include "benchmarks/bench/cost_tables.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "base/error.h"
#include "base/strings.h"

namespace heed::bench {
namespace {

// Listed of each system.
constexpr std::size_t kOperations = 10, kKernels = 40;

}  // namespace

KernelTimes kernel_times(std::vector<KernelRun> runs) {
  std::ranges::sort(runs, {}, &KernelRun::begin);
  KernelTimes times;
  std::map<std::string, OperationCost> costs;
  const auto seconds = [](uint64_t nanoseconds) { return static_cast<double>(nanoseconds) * 1e-9; };
  uint64_t busy_until = runs.empty() ? 0 : runs.front().begin;
  for (const KernelRun& run : runs) {
    OperationCost& cost = costs[run.name];
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
  std::ranges::stable_sort(times.kernels, std::ranges::greater(), &OperationCost::seconds);
  return times;
}

double fitted_exponent(const std::vector<double>& x, const std::vector<double>& y) {
  expect(x.size() == y.size() && x.size() >= 2, "an exponent needs two points");
  const auto count = static_cast<double>(x.size());
  double mean_x = 0, mean_y = 0, product = 0, square = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    mean_x += std::log(x[i]) / count;
    mean_y += std::log(y[i]) / count;
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    product += (std::log(x[i]) - mean_x) * (std::log(y[i]) - mean_y);
    square += (std::log(x[i]) - mean_x) * (std::log(x[i]) - mean_x);
  }
  expect(square > 0, "an exponent needs two different x");
  return product / square;
}

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

}  // namespace heed::bench
