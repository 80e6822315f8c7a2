#include "kernels/recurrence.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "kernels/sequence.h"

namespace heed::kernels {

int64_t Packing::places() const {
  return std::accumulate(rows.begin(), rows.end(), int64_t{0});
}

void Packing::require(const Tensor& gates) const {
  expect(!rows.empty() && gates.size(0) == places(), "gates for every place");
}

bool can_run_recurrence(const Tensor& gates, const Tensor& state) {
  return gates.is_cpu() && state.scalar_type() == at::kFloat && is_fp32_or_bf16(gates);
}

std::vector<Stretch> stretches(const std::vector<int64_t>& rows, bool backward) {
  std::vector<Stretch> steps;
  for (int64_t begin = 0; const int64_t count : rows) {
    steps.push_back({begin, count});
    begin += count;
  }
  if (backward) std::reverse(steps.begin(), steps.end());
  return steps;
}

}  // namespace heed::kernels
