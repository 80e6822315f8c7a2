#include "run/speed.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>

#include "base/error.h"
#include "kernels/product.h"

namespace heed::run {

double median(std::vector<double> values) {
  expect(!values.empty(), "a median needs a number");
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double seconds_of(const std::function<void()>& run) {
  const auto start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median_seconds(int repeats, const std::function<void()>& run) {
  run();
  std::vector<double> seconds;
  for (int i = 0; i < repeats; ++i) seconds.push_back(seconds_of(run));
  return median(std::move(seconds));
}

double gemm_gflops(bool bf16, int64_t size, int repeats) {
  const at::Tensor a = at::ones({size, size}, at::dtype(bf16 ? at::kBFloat16 : at::kFloat));
  const at::Tensor turned = kernels::weight_by_columns(a, a.scalar_type());
  const double seconds =
      std::min(median_seconds(repeats, [&] { at::mm(a, a); }),
               median_seconds(repeats, [&] { kernels::times_transposed(a, turned); }));
  return 2 * static_cast<double>(size * size * size) / seconds / 1e9;
}

}  // namespace heed::run
