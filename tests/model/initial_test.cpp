#include "model/initial.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

namespace heed::model {
namespace {

// 160 is enough for LAPACK to work in blocks.
TEST(Initial, AnOrthogonalMatrixIsTheSameOnAnyNumberOfThreads) {
  const int before = at::get_num_threads();
  Tensor first;
  for (const int threads : {1, 2, 3}) {
    at::set_num_threads(threads);
    at::manual_seed(7);
    const Tensor matrix = orthogonal(160);
    EXPECT_EQ(at::get_num_threads(), threads);
    if (!first.defined()) first = matrix;
    EXPECT_TRUE(at::equal(matrix, first)) << threads;
  }
  at::set_num_threads(before);
  EXPECT_TRUE(at::allclose(at::mm(first, first.t()), at::eye(160), 0, 1e-5));
}

}  // namespace
}  // namespace heed::model
