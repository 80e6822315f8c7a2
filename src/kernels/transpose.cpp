#include "kernels/transpose.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>

#include "base/error.h"
#include "kernels/rows/vector.h"

namespace heed::kernels {
namespace {

constexpr int64_t kBlock = 16;  // a cache line of floats

/// Rows [begin, end) of a matrix become columns of another.
struct Part {
  int64_t rows, columns, begin, end;
};

// One definition for every pair of types: the attribute does not go on a template.
#define HEED_TURN(From, To)                                                                       \
  HEED_VECTORISED void turn(const From* __restrict from, To* __restrict to, const Part& part) {   \
    const int64_t rows = part.rows, columns = part.columns;                                       \
    float block[kBlock][kBlock];                                                                  \
    int64_t i = part.begin;                                                                       \
    for (; i + kBlock <= part.end; i += kBlock) {                                                 \
      int64_t j = 0;                                                                              \
      for (; j + kBlock <= columns; j += kBlock) {                                                \
        for (int64_t a = 0; a < kBlock; ++a)                                                      \
          for (int64_t b = 0; b < kBlock; ++b)                                                    \
            block[b][a] = number(from[(i + a) * columns + j + b]);                                \
        for (int64_t b = 0; b < kBlock; ++b)                                                      \
          for (int64_t a = 0; a < kBlock; ++a) put(to[(j + b) * rows + i + a], block[b][a]);      \
      }                                                                                           \
      for (; j < columns; ++j)                                                                    \
        for (int64_t a = 0; a < kBlock; ++a)                                                      \
          put(to[j * rows + i + a], number(from[(i + a) * columns + j]));                         \
    }                                                                                             \
    for (; i < part.end; ++i)                                                                     \
      for (int64_t j = 0; j < columns; ++j) put(to[j * rows + i], number(from[i * columns + j])); \
  }

HEED_TURN(float, float)
HEED_TURN(float, uint16_t)
HEED_TURN(uint16_t, float)
HEED_TURN(uint16_t, uint16_t)
#undef HEED_TURN

template <class From, class To>
void turn_all(const Tensor& x, const Tensor& result) {
  const int64_t rows = x.size(0), columns = x.size(1);
  const int64_t blocks = (rows + kBlock - 1) / kBlock;
  const int64_t grain = std::max<int64_t>(1, 32768 / (kBlock * std::max<int64_t>(columns, 1)));
  const auto* from = static_cast<const From*>(x.const_data_ptr());
  auto* to = static_cast<To*>(result.data_ptr());
  at::parallel_for(0, blocks, grain, [&](int64_t begin, int64_t end) {
    turn(from, to, {rows, columns, begin * kBlock, std::min(end * kBlock, rows)});
  });
}

}  // namespace

Tensor transposed(const Tensor& x, at::ScalarType type) {
  expect(x.is_contiguous() && is_fp32_or_bf16(x) && is_fp32_or_bf16(type),
         "a matrix of fp32 or bf16");
  const Tensor result = at::empty({x.size(1), x.size(0)}, x.options().dtype(type));
  const bool from_float = x.scalar_type() == at::kFloat, to_float = type == at::kFloat;
  if (from_float)
    to_float ? turn_all<float, float>(x, result) : turn_all<float, uint16_t>(x, result);
  else
    to_float ? turn_all<uint16_t, float>(x, result) : turn_all<uint16_t, uint16_t>(x, result);
  return result;
}

}  // namespace heed::kernels
