#include "kernels/column_sums.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>

#include "base/error.h"
#include "kernels/rows/vector.h"

namespace heed::kernels {
namespace {

constexpr int64_t kStrip = 128;  // columns of one sum, neighbours in memory
constexpr int64_t kBlock = 64;  // rows of a sum that is then added to the others: errors stay small

/// A strip of a matrix.
struct Strip {
  int64_t rows, stride, columns;
};

// One definition for both types: the attribute does not go on a template.
#define HEED_SUM_STRIP(T)                                                                     \
  HEED_VECTORISED void sum_strip(const T* __restrict x, float* __restrict total,              \
                                 const Strip& strip) {                                        \
    const int64_t columns = strip.columns;                                                    \
    for (int64_t j = 0; j < columns; ++j) total[j] = 0;                                       \
    for (int64_t begin = 0; begin < strip.rows; begin += kBlock) {                            \
      const int64_t end = begin + kBlock < strip.rows ? begin + kBlock : strip.rows;          \
      float block[kStrip] = {};                                                               \
      for (int64_t i = begin; i < end; ++i) {                                                 \
        const T* row = x + i * strip.stride;                                                  \
        _Pragma("omp simd") for (int64_t j = 0; j < columns; ++j) block[j] += number(row[j]); \
      }                                                                                       \
      for (int64_t j = 0; j < columns; ++j) total[j] += block[j];                             \
    }                                                                                         \
  }

HEED_SUM_STRIP(float)
HEED_SUM_STRIP(uint16_t)
#undef HEED_SUM_STRIP

template <class T>
void sum_all(const Tensor& x, const Tensor& result) {
  const int64_t rows = x.size(0), columns = x.size(1);
  const auto* from = static_cast<const T*>(x.const_data_ptr());
  auto* to = result.data_ptr<float>();
  const int64_t grain = std::max<int64_t>(1, 32768 / (kStrip * std::max<int64_t>(rows, 1)));
  at::parallel_for(0, (columns + kStrip - 1) / kStrip, grain, [&](int64_t begin, int64_t end) {
    for (int64_t j = begin * kStrip; j < std::min(end * kStrip, columns); j += kStrip)
      sum_strip(from + j, to + j, {rows, columns, std::min(kStrip, columns - j)});
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
