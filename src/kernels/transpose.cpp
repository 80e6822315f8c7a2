#include "kernels/transpose.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>

#include "base/error.h"
#include "kernels/rows/transpose.h"

namespace heed::kernels {
namespace {

template <class From, class To>
void transpose_all(const Tensor& x, const Tensor& result) {
  const int64_t rows = x.size(0), columns = x.size(1);
  const int64_t blocks = (rows + kTransposeBlock - 1) / kTransposeBlock;
  const int64_t grain =
      std::max<int64_t>(1, 32768 / (kTransposeBlock * std::max<int64_t>(columns, 1)));
  const auto* from = static_cast<const From*>(x.const_data_ptr());
  auto* to = static_cast<To*>(result.data_ptr());
  at::parallel_for(0, blocks, grain, [&](int64_t begin, int64_t end) {
    transpose_rows(from, to, rows, columns, begin * kTransposeBlock,
                   std::min(end * kTransposeBlock, rows));
  });
}

}  // namespace

Tensor transposed(const Tensor& x, at::ScalarType type) {
  expect(x.is_contiguous() && is_fp32_or_bf16(x) && is_fp32_or_bf16(type),
         "a matrix of fp32 or bf16");
  const Tensor result = at::empty({x.size(1), x.size(0)}, x.options().dtype(type));
  const bool from_float = x.scalar_type() == at::kFloat, to_float = type == at::kFloat;
  if (from_float)
    to_float ? transpose_all<float, float>(x, result) : transpose_all<float, uint16_t>(x, result);
  else
    to_float ? transpose_all<uint16_t, float>(x, result)
             : transpose_all<uint16_t, uint16_t>(x, result);
  return result;
}

}  // namespace heed::kernels
