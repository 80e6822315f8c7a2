#include "engine/matrix.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "base/error.h"
#include "engine/tile_product.h"
#include "kernels/rows/nan_contract.h"
#include "kernels/rows/random_numbers.h"

namespace heed::engine {
namespace {

using kernels::random_numbers;

struct Case {
  int64_t rows, columns, inner;
};

std::vector<float> product(const Case& c, const std::vector<float>& x, const std::vector<float>& w,
                           WeightFormat numbers, const Finish& finish, std::vector<float> y) {
  const Matrix engine(w.data(), c.columns, c.inner, numbers);
  LeftFactor rows;
  rows.take(x.data(), c.rows, c.inner, numbers);
  const int64_t half = engine.panels() / 2;
  multiply(rows, engine, finish, y.data(), c.columns, 0, half);
  multiply(rows, engine, finish, y.data() + half * Matrix::kPanel, c.columns, half,
           engine.panels());
  return y;
}

TEST(PackedMatrix, MultipliesAsThePlainSumDoes) {
  for (const Case& c : {Case{1, 1, 1}, {3, 33, 7}, {8, 64, 32}, {9, 70, 141}, {21, 31, 5}}) {
    const auto x = random_numbers(c.rows * c.inner, 1), w = random_numbers(c.columns * c.inner, 2);
    const auto bias = random_numbers(c.columns, 3), there = random_numbers(c.rows * c.columns, 4);
    for (const WeightFormat numbers :
         {WeightFormat::fp32, WeightFormat::bf16, WeightFormat::int8}) {
      // Halves of the last digits kept: 8 bits of a bf16's fraction, 7 of an int8.
      const double digits = numbers == WeightFormat::fp32   ? 1e-6
                            : numbers == WeightFormat::bf16 ? 8e-3
                                                            : 2e-2;
      for (const bool relu : {false, true}) {
        const Finish finish{.bias = bias.data(), .relu = relu, .add = true};
        const auto y = product(c, x, w, numbers, finish, there);
        for (int64_t r = 0; r < c.rows; ++r)
          for (int64_t column = 0; column < c.columns; ++column) {
            double sum = bias[column], size = 1;
            for (int64_t i = 0; i < c.inner; ++i) {
              const double part = static_cast<double>(x[r * c.inner + i]) * w[column * c.inner + i];
              sum += part;
              size += 4;  // products of numbers of about one, each off by its own digits
            }
            if (relu) sum = std::max(sum, 0.0);
            const int64_t at = r * c.columns + column;
            EXPECT_NEAR(y[at], sum + there[at], digits * 4 * std::sqrt(size))
                << "numbers " << static_cast<int>(numbers) << " inner " << c.inner;
          }
      }
    }
  }
}

TEST(PackedMatrix, Int8HasPanelsStepsAndShiftsAsPromised) {
  std::vector<float> w(33 * 5, 0);
  const float first[] = {1, -127, 64, 0, 3}, last[] = {0.5F, 1, -63.5F, 2, 0};
  std::copy(std::begin(first), std::end(first), w.begin());
  std::copy(std::begin(last), std::end(last), w.begin() + 32 * 5);
  const Matrix matrix(w.data(), 33, 5, WeightFormat::int8);
  EXPECT_EQ(matrix.panels(), 2);
  EXPECT_EQ(matrix.steps(), 2);  // 5 numbers, four a step
  EXPECT_EQ(matrix.panel_bytes(), 2 * 32 * 4);
  EXPECT_EQ(matrix.scales()[0], 1);
  EXPECT_EQ(matrix.scales()[1], Matrix::kLeastScale);
  EXPECT_EQ(matrix.scales()[32], 0.5F);
  EXPECT_EQ(matrix.shifts()[0], static_cast<uint32_t>(128 * (1 - 127 + 64 + 0 + 3)));
  EXPECT_EQ(matrix.shifts()[1], 0U);
  EXPECT_EQ(matrix.shifts()[32], static_cast<uint32_t>(128 * (1 + 2 - 127 + 4)));
  const auto number = [&](int64_t column, int64_t i) {
    const auto* bytes = static_cast<const int8_t*>(matrix.panel(column / 32));
    return static_cast<int>(bytes[(i / 4 * 32 + column % 32) * 4 + i % 4]);
  };
  for (int64_t i = 0; i < 8; ++i) {
    EXPECT_EQ(number(0, i), i < 5 ? static_cast<int>(first[i]) : 0) << i;
    EXPECT_EQ(number(32, i), i < 5 ? static_cast<int>(2 * last[i]) : 0) << i;
    EXPECT_EQ(number(1, i), 0);
  }
}

TEST(PackedMatrix, SumsOfTheLongestInt8RowsFitAndLongerOnesAreRefused) {
  EXPECT_LE(Matrix::kLongestInt8 * 127 * 127, std::numeric_limits<int32_t>::max());
  const std::vector<float> w(Matrix::kLongestInt8 + 1, 0);
  EXPECT_THROW(Matrix(w.data(), 1, Matrix::kLongestInt8 + 1, WeightFormat::int8), Bug);
}

// 2 * 3 - 10 = -4 and 4 * 3 - 10 = 2: the bias before max(0, .), and what is there after it.
TEST(PackedMatrix, FinishesAProductInItsOrder) {
  const std::vector<float> x{3}, w{2, 4}, bias{-10, -10}, there{7, 7};
  const auto finished = [&](const Finish& finish) {
    return product({1, 2, 1}, x, w, WeightFormat::fp32, finish, there);
  };
  EXPECT_EQ(finished({}), (std::vector<float>{6, 12}));
  EXPECT_EQ(finished({.bias = bias.data()}), (std::vector<float>{-4, 2}));
  EXPECT_EQ(finished({.bias = bias.data(), .relu = true}), (std::vector<float>{0, 2}));
  EXPECT_EQ(finished({.bias = bias.data(), .relu = true, .add = true}), (std::vector<float>{7, 9}));
}

TEST(PackedMatrix, APanelsProductLeavesOtherColumnsAlone) {
  const std::vector<float> x(2, 1), w(70, 1);
  const Matrix matrix(w.data(), 70, 1, WeightFormat::fp32);
  LeftFactor rows;
  rows.take(x.data(), 2, 1, WeightFormat::fp32);
  std::vector<float> y(2 * 70, 9);
  multiply(rows, matrix, {}, y.data() + Matrix::kPanel, 70, 1, 2);
  for (int64_t i = 0; i < 140; ++i) EXPECT_EQ(y[i], i % 70 / 32 == 1 ? 1 : 9) << i;
}

TEST(PackedMatrix, ARowEndsWithZerosUpToAWholeStep) {
  const std::vector<float> x(10, 1);
  for (const auto& [numbers, bytes, used] :
       {std::tuple{WeightFormat::bf16, 12, 10}, {WeightFormat::int8, 8, 5}}) {
    LeftFactor rows;
    rows.take(x.data(), 2, 5, numbers);
    EXPECT_EQ(rows.count(), 2);
    EXPECT_EQ(rows.row_bytes(), bytes);
    for (int64_t r = 0; r < 2; ++r)
      for (int64_t i = used; i < bytes; ++i)
        EXPECT_EQ(static_cast<const unsigned char*>(rows.row(r))[i], 0);
  }
}

TEST(PackedMatrix, ARowGivesTheSameBitsInAnyBatch) {
  const Case many{19, 50, 37};
  const auto x = random_numbers(many.rows * many.inner, 5);
  const auto w = random_numbers(many.columns * many.inner, 6);
  for (const WeightFormat numbers : {WeightFormat::fp32, WeightFormat::bf16, WeightFormat::int8}) {
    const std::vector<float> zeros(many.rows * many.columns);
    const auto together = product(many, x, w, numbers, {}, zeros);
    for (int64_t r = 0; r < many.rows; ++r) {
      const std::vector<float> row(x.begin() + r * many.inner, x.begin() + (r + 1) * many.inner);
      const auto alone = product({1, many.columns, many.inner}, row, w, numbers, {},
                                 std::vector<float>(many.columns));
      EXPECT_EQ(std::memcmp(alone.data(), together.data() + r * many.columns,
                            many.columns * sizeof(float)),
                0);
    }
  }
}

// --- all loops that this processor can run, beside plain sums

/// The sums of a tile of `rows` rows, as each product returns them.
void expect_the_plain_products(const LeftFactor& x, const Matrix& matrix) {
  const auto* first = static_cast<const unsigned char*>(x.row(0));
  const TileProducts all = tile_products(matrix.numbers());
  for (std::size_t i = 0; i < all.size(); ++i)
    for (int64_t count = 1; count <= all[i].rows; ++count) {
      SCOPED_TRACE("product " + std::to_string(i) + " of " + std::to_string(count) + " rows");
      std::vector<float> got(kMostTileRows * Matrix::kPanel), wanted(got.size());
      const TileFactors factors{first,          x.row_bytes(),   count,         matrix.panel(0),
                                matrix.steps(), matrix.shifts(), matrix.fits(0)};
      const bool ends = all[i].begin != nullptr && all[i].begin(factors);
      all[i].run(factors, got.data());
      if (ends) all[i].end();
      for (int64_t r = 0; r < count; ++r)
        all.back().run(
            {first + r * x.row_bytes(), x.row_bytes(), 1, matrix.panel(0), matrix.steps()},
            wanted.data() + Matrix::kPanel * r);
      for (int64_t j = 0; j < count * Matrix::kPanel; ++j) {
        if (matrix.numbers() == WeightFormat::int8)
          ASSERT_EQ(std::bit_cast<uint32_t>(got[j]), std::bit_cast<uint32_t>(wanted[j])) << j;
        else
          ASSERT_NEAR(got[j], wanted[j], 1e-4) << j;
      }
    }
}

TEST(PackedMatrix, ThisProcessorsProductsAreThePlainOnes) {
  // More steps than a register of AMX has, and some that are left; more than AVX2's loop takes in
  // one go, of each kind; one step, and an odd number of them.
  for (const WeightFormat numbers : {WeightFormat::fp32, WeightFormat::bf16, WeightFormat::int8})
    for (const int64_t inner : {3, 12, 145, 1111}) {
      const auto x = random_numbers(kMostTileRows * inner, 7);
      const auto w = random_numbers(Matrix::kPanel * inner, 8);
      LeftFactor rows;
      rows.take(x.data(), kMostTileRows, inner, numbers);
      expect_the_plain_products(rows, Matrix(w.data(), Matrix::kPanel, inner, numbers));
    }
}

/// An int8 matrix of one panel of these numbers, [32, inner].
Matrix matrix_of(const std::vector<int8_t>& numbers, int64_t inner) {
  const std::vector<float> scales(Matrix::kPanel, 1);
  return {{numbers.data(), scales.data()}, Matrix::kPanel, inner};
}

/// Rows whose bytes are 255 (`sign` 1) or 1 (-1), the largest that a row has.
LeftFactor extreme_rows(int64_t inner, float sign) {
  const std::vector<float> x(kMostTileRows * inner, sign);
  LeftFactor rows;
  rows.take(x.data(), kMostTileRows, inner, WeightFormat::int8);
  return rows;
}

// The loops for any processor are compared with sums of 64 bits, the others with these.
TEST(PackedMatrix, SumsOfTheLargestBytesAreExact) {
  for (const int64_t inner : {1, 4, 7, 8, 13, 1030})
    for (const int number : {127, -127, 64, -64, 33, 32, -32}) {
      SCOPED_TRACE(std::to_string(number) + ", inner " + std::to_string(inner));
      const std::vector<int8_t> numbers(Matrix::kPanel * inner, static_cast<int8_t>(number));
      const Matrix matrix = matrix_of(numbers, inner);
      for (const int x : {127, -127}) {
        const LeftFactor rows = extreme_rows(inner, static_cast<float>(x));
        float sums[kMostTileRows * Matrix::kPanel];
        const TileFactors factors{static_cast<const unsigned char*>(rows.row(0)), rows.row_bytes(),
                                  1, matrix.panel(0), matrix.steps()};
        tile_products(WeightFormat::int8).back().run(factors, sums);
        EXPECT_EQ(std::bit_cast<uint32_t>(sums[31]),
                  static_cast<uint32_t>((x + 128) * number * inner));
        expect_the_plain_products(rows, matrix);
      }
    }
}

// Whole numbers as models of other programs have them, with groups of every kind in a panel.
TEST(PackedMatrix, SumsOfAnyBytesAreExact) {
  for (const int64_t inner : {5, 24, 519, 1040}) {
    const auto random = random_numbers(Matrix::kPanel * inner, 9);
    std::vector<int8_t> numbers;
    for (int64_t i = 0; i < Matrix::kPanel * inner; ++i) {
      const float most = i % inner / Matrix::kGroup % 3 == 0   ? 127
                         : i % inner / Matrix::kGroup % 3 == 1 ? 60
                                                               : 20;
      numbers.push_back(static_cast<int8_t>(std::clamp(random[i] * most, -most, most)));
    }
    const Matrix matrix = matrix_of(numbers, inner);
    for (const float sign : {1.0F, -1.0F})
      expect_the_plain_products(extreme_rows(inner, sign), matrix);
    const auto x = random_numbers(kMostTileRows * inner, 10);
    LeftFactor rows;
    rows.take(x.data(), kMostTileRows, inner, WeightFormat::int8);
    expect_the_plain_products(rows, matrix);
  }
}

// Groups are numbers 0, 1, 4, 5 and 2, 3, 6, 7 of eight; a step alone has 0 and 1, and 2 and 3.
TEST(PackedMatrix, KnowsWhichSumsFitIn16Bits) {
  const auto fits = [](std::vector<int8_t> eight) {
    std::vector<int8_t> numbers(Matrix::kPanel * 8, 0);
    std::ranges::copy(eight, numbers.begin() + 5 * 8);  // one column of the panel is enough
    return matrix_of(numbers, 8).fits(0)[0];
  };
  EXPECT_EQ(fits({}), FitsIn16::two_steps);
  EXPECT_EQ(fits({64, 32, 127, 0, 32, 0, 1, 0}), FitsIn16::two_steps);
  EXPECT_EQ(fits({64, 32, 0, 0, 32, 1}), FitsIn16::one_step);
  EXPECT_EQ(fits({0, 0, -64, -64, 0, 0, -1, 0}), FitsIn16::one_step);
  EXPECT_EQ(fits({100, -100, -27, 20, 28, -28}), FitsIn16::two_steps);
  EXPECT_EQ(fits({65, 64}), FitsIn16::none);
  EXPECT_EQ(fits({0, 0, 0, 0, 0, 0, -2, -127}), FitsIn16::none);
  EXPECT_EQ(fits({127, 0, 127, 0, -127, 0, -127}), FitsIn16::two_steps);
}

TEST(PackedMatrix, RoundsWeightsToMultiplesOfTheLargestBy127) {
  std::vector<int8_t> numbers(4);
  const std::vector<float> row{2, -1, 0.5F, 0};
  EXPECT_FLOAT_EQ(quantise_row(row.data(), 4, numbers.data()), 2.0F / 127);
  EXPECT_EQ(numbers, (std::vector<int8_t>{127, -64, 32, 0}));
}

// A file of int8 with one scale for a matrix, as Marian's.
TEST(PackedMatrix, WholeMultiplesOfAScaleKeepTheirNumbers) {
  std::vector<int8_t> given(40), numbers(40);
  std::vector<float> row(40);
  for (int i = 0; i < 40; ++i) {
    given[i] = static_cast<int8_t>(i * 37 % 101 - 50);
    row[i] = static_cast<float>(given[i]) * 0.0123F * 22.6F;  // times the root of a width
  }
  EXPECT_FLOAT_EQ(quantise_row(row.data(), 40, numbers.data()), 0.0123F * 22.6F);
  EXPECT_EQ(numbers, given);
  std::fill(row.begin(), row.end(), 0.25F);
  row[7] = -0.5F;
  EXPECT_FLOAT_EQ(quantise_row(row.data(), 40, numbers.data()), 0.25F);
  EXPECT_EQ(numbers[7], -2);
  row[39] = 0.31234F;  // no multiple
  EXPECT_FLOAT_EQ(quantise_row(row.data(), 40, numbers.data()), 0.5F / 127);
  EXPECT_EQ(numbers[39], 79);
}

// Among qemu's processors `max` has all instructions, cortex-a76 dot products and cortex-a72 none.
TEST(PackedMatrix, AnEmulatedProcessorsInstructionsAreUsed) {
  const char* name = std::getenv("QEMU_CPU");  // ./run aarch64
  if (name == nullptr) GTEST_SKIP();
  const std::string processor = name;
  const auto has_own = [](WeightFormat numbers) { return tile_products(numbers).size() > 1; };
  EXPECT_EQ(has_own(WeightFormat::bf16), processor == "max");
  EXPECT_EQ(has_own(WeightFormat::int8), processor != "cortex-a72");
}

TEST(PackedMatrix, RowsOfZerosStayZeros) {
  const std::vector<float> x(6, 0), w(12, 1);
  for (const WeightFormat numbers : {WeightFormat::fp32, WeightFormat::bf16, WeightFormat::int8})
    for (const float y : product({2, 4, 3}, x, w, numbers, {}, std::vector<float>(8, 9)))
      EXPECT_EQ(y, 0);
}

TEST(PackedMatrix, NanInIsNanOut) {
  const Case c{3, 35, 7};
  const std::vector<std::vector<float>> inputs{
      random_numbers(c.rows * c.inner, 1), random_numbers(c.columns * c.inner, 2),
      random_numbers(c.columns, 3), random_numbers(c.rows * c.columns, 4)};
  for (const WeightFormat numbers : {WeightFormat::fp32, WeightFormat::bf16, WeightFormat::int8})
    for (const bool relu : {false, true})
      kernels::expect_nan_in_is_nan_out(inputs, [&](const std::vector<std::vector<float>>& in) {
        return product(c, in[0], in[1], numbers, {.bias = in[2].data(), .relu = relu, .add = true},
                       in[3]);
      });
}

// One scale stands for a whole row: it cannot say which number was not finite.
TEST(PackedMatrix, AnInt8RowThatIsNotFiniteIsNan) {
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> ones(6, 1), row{1, -infinity, 2, 1, 2, 3};
  const auto of_row = product({2, 2, 3}, row, ones, WeightFormat::int8, {}, std::vector<float>(4));
  EXPECT_TRUE(std::isnan(of_row[0]) && std::isnan(of_row[1]));
  EXPECT_NEAR(of_row[2], 6, 0.1);
  const auto of_column =
      product({2, 2, 3}, ones, row, WeightFormat::int8, {}, std::vector<float>(4));
  EXPECT_TRUE(std::isnan(of_column[0]) && std::isnan(of_column[2]));
  EXPECT_NEAR(of_column[1], 6, 0.1);
}

// Their scale would have no finite inverse: the least one stands for them, and its steps are
// coarse.
TEST(PackedMatrix, TinyInt8RowsKeepTheirValue) {
  const std::vector<float> tiny{1e-37F, -2e-37F, 3e-37F}, ones(3, 1);
  const std::vector<float> none(1);
  EXPECT_NEAR(product({1, 1, 3}, tiny, ones, WeightFormat::int8, {}, none)[0] / 2e-37F, 1, 0.15);
  EXPECT_NEAR(product({1, 1, 3}, ones, tiny, WeightFormat::int8, {}, none)[0] / 2e-37F, 1, 0.15);
}

// The longest that a configuration allows (model.feed_forward).
TEST(PackedMatrix, LongInt8RowsAddUpExactly) {
  const int64_t inner = 131072;
  const std::vector<float> ones(inner, 1), minus(inner, -1), none(1);
  EXPECT_NEAR(product({1, 1, inner}, ones, ones, WeightFormat::int8, {}, none)[0], 131072, 0.1);
  EXPECT_NEAR(product({1, 1, inner}, minus, ones, WeightFormat::int8, {}, none)[0], -131072, 0.1);
  EXPECT_NEAR(product({1, 1, inner}, ones, minus, WeightFormat::int8, {}, none)[0], -131072, 0.1);
}

}  // namespace
}  // namespace heed::engine
