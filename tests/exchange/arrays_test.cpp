#include "exchange/arrays.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "kernels/rows/positions.h"

namespace heed::exchange {
namespace {

using engine::Array;
using ::testing::ElementsAre;

Array counted_from(float first, std::vector<int64_t> shape) {
  int64_t count = 1;
  for (const int64_t extent : shape) count *= extent;
  engine::Floats numbers(count);
  std::iota(numbers.begin(), numbers.end(), first);
  return array_from(std::move(numbers), std::move(shape));
}

TEST(Arrays, RowsAreReorderedAndMissingOnesAreZeros) {
  const Array from = counted_from(1, {3, 2});  // 1 2, 3 4, 5 6
  const Array to = with_rows(from, std::vector<int64_t>{2, -1, 0, 2});
  EXPECT_THAT(to.shape, ElementsAre(4, 2));
  EXPECT_THAT(to.copy(), ElementsAre(5, 6, 0, 0, 1, 2, 5, 6));
  EXPECT_THAT(with_rows(counted_from(7, {3}), std::vector<int64_t>{1, 0}).copy(),
              ElementsAre(8, 7));
}

TEST(Arrays, ColumnsAreReordered) {
  const Array to = with_columns(counted_from(1, {2, 3}), std::vector<int64_t>{2, 0, 1});
  EXPECT_THAT(to.copy(), ElementsAre(3, 1, 2, 6, 4, 5));
}

TEST(Arrays, AreTransposedJoinedAndCut) {
  const Array matrix = counted_from(1, {2, 3});
  EXPECT_THAT(transposed(matrix).shape, ElementsAre(3, 2));
  EXPECT_THAT(transposed(matrix).copy(), ElementsAre(1, 4, 2, 5, 3, 6));
  const Array both = joined({matrix, counted_from(7, {1, 3})});
  EXPECT_THAT(both.shape, ElementsAre(3, 3));
  EXPECT_THAT(rows_of(both, 1, 2).copy(), ElementsAre(4, 5, 6, 7, 8, 9));
  EXPECT_THAT(joined({counted_from(1, {2}), counted_from(5, {1})}).copy(), ElementsAre(1, 2, 5));
}

TEST(Arrays, PairsAndHalvesAreEachOthersInverse) {
  // Halves s0 s1 s2 c0 c1 c2; pairs s0 c0 s1 c1 s2 c2.
  EXPECT_THAT(pairs_from_halves(6), ElementsAre(0, 3, 1, 4, 2, 5));
  EXPECT_THAT(halves_from_pairs(6), ElementsAre(0, 2, 4, 1, 3, 5));
}

}  // namespace
}  // namespace heed::exchange
