#include "kernels/column_sums.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>

#include "base/error.h"
#include "kernels/rows/column_sums.h"

namespace heed::kernels {
namespace {

template <class T>
void sum_all(const Tensor& x, const Tensor& result) {
  const int64_t rows = x.size(0), columns = x.size(1);
  const auto* from = static_cast<const T*>(x.const_data_ptr());
  auto* to = result.data_ptr<float>();
  const int64_t grain = std::max<int64_t>(1, 32768 / (kStrip * std::max<int64_t>(rows, 1)));
  at::parallel_for(0, (columns + kStrip - 1) / kStrip, grain, [&](int64_t begin, int64_t end) {
    for (int64_t j = begin * kStrip; j < std::min(end * kStrip, columns); j += kStrip)
      sum_strip(from + j, rows, columns, std::min(kStrip, columns - j), to + j);
  });
}

}  // namespace

Tensor column_sums(const Tensor& x) {
  expect(x.is_contiguous() && x.dim() == 2, "a matrix whose rows follow each other");
  const Tensor result = at::empty({x.size(1)}, x.options().dtype(at::kFloat));
  if (x.scalar_type() == at::kFloat)
    sum_all<float>(x, result);
  else
    sum_all<uint16_t>(x, result);
  return result;
}

}  // namespace heed::kernels
