#include "model/kernels/transpose.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>

#include "model/kernels/vector.h"

namespace heed::model::kernels {
namespace {

constexpr int64_t kBlock = 16;  // a cache line of floats

/// Rows [begin, end) of `from` become columns of `to`.
HEED_VECTORISED void turn(const float* __restrict from, float* __restrict to, int64_t rows,
                          int64_t columns, int64_t begin, int64_t end) {
  float block[kBlock][kBlock];
  int64_t i = begin;
  for (; i + kBlock <= end; i += kBlock) {
    int64_t j = 0;
    for (; j + kBlock <= columns; j += kBlock) {
      for (int64_t a = 0; a < kBlock; ++a)
        for (int64_t b = 0; b < kBlock; ++b) block[b][a] = from[(i + a) * columns + j + b];
      for (int64_t b = 0; b < kBlock; ++b)
        for (int64_t a = 0; a < kBlock; ++a) to[(j + b) * rows + i + a] = block[b][a];
    }
    for (; j < columns; ++j)
      for (int64_t a = 0; a < kBlock; ++a) to[j * rows + i + a] = from[(i + a) * columns + j];
  }
  for (; i < end; ++i)
    for (int64_t j = 0; j < columns; ++j) to[j * rows + i] = from[i * columns + j];
}

}  // namespace

Tensor transposed(const Tensor& x) {
  const int64_t rows = x.size(0), columns = x.size(1);
  const Tensor result = at::empty({columns, rows}, x.options());
  const int64_t blocks = (rows + kBlock - 1) / kBlock;
  const int64_t grain = std::max<int64_t>(1, 32768 / (kBlock * std::max<int64_t>(columns, 1)));
  at::parallel_for(0, blocks, grain, [&](int64_t begin, int64_t end) {
    turn(x.const_data_ptr<float>(), result.data_ptr<float>(), rows, columns, begin * kBlock,
         std::min(end * kBlock, rows));
  });
  return result;
}

}  // namespace heed::model::kernels
