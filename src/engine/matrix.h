// Products with a matrix of weights that is laid out once for the processor: in fp32, bf16 or int8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace heed::engine {

enum class WeightFormat { fp32, bf16, int8 };
/// The bytes of one number.
int64_t bytes_of(WeightFormat numbers);

/// Allocates memory that begins with a cache line, so that each read of a register of 64 bytes lies
/// in one line. Large blocks are of huge pages, where the system has some, for which addresses are
/// translated faster.
void* allocate_lines(std::size_t bytes);
void deallocate_lines(void* lines, std::size_t bytes);

template <class T>
struct LineAllocator {
  using value_type = T;

  LineAllocator() = default;
  template <class Other>
  explicit LineAllocator(const LineAllocator<Other>&) {}
  T* allocate(std::size_t count) { return static_cast<T*>(allocate_lines(count * sizeof(T))); }
  void deallocate(T* numbers, std::size_t count) { deallocate_lines(numbers, count * sizeof(T)); }
  bool operator==(const LineAllocator&) const = default;
};
using LineBytes = std::vector<unsigned char, LineAllocator<unsigned char>>;
using LineFloats = std::vector<float, LineAllocator<float>>;

/// Rows of int8 with a scale each: the value of a number is scale * int8.
struct QuantisedRows {
  const int8_t* numbers = nullptr;
  const float* scales = nullptr;

  QuantisedRows from(int64_t row, int64_t width) const {
    return {numbers + row * width, scales + row};
  }
};

/// Which products of a panel with any row of bytes may be added up in 16 bits: those with two steps
/// (Matrix::kGroup), those with one, or none.
enum class FitsIn16 : uint8_t { two_steps, one_step, none };

/// Weights [columns, inner] of a linear layer, in panels of 32 columns. int8 keeps one scale for
/// each column, NaN where a weight is not finite; see quantise_row().
class Matrix {
 public:
  static constexpr int64_t kPanel = 32;
  /// int8: AVX2 adds up products in 16 bits, those of a column with numbers 8p + {0, 1, 4, 5} of a
  /// row, and those with 8p + {2, 3, 6, 7}. They fit if the positive weights of such a group add up
  /// to at most this, and the negative ones, too: 255 * 128 < 2^15.
  static constexpr int64_t kGroup = 8, kMostOfGroup = 128;
  /// int8: the least scale whose inverse is finite; numbers below half of it become 0.
  static constexpr float kLeastScale = std::numeric_limits<float>::min();  // 1.2e-38
  static constexpr int64_t kLongestInt8 = 133143;  // so many products 127 * 127 add up in 32 bits

  Matrix() = default;
  Matrix(const float* weights, int64_t columns, int64_t inner, WeightFormat numbers);
  /// Makes an int8 matrix of the numbers and scales of these rows.
  Matrix(QuantisedRows weights, int64_t columns, int64_t inner);

  /// Returns a matrix of these columns alone. They have the same numbers, so that their products
  /// have the same bits.
  Matrix with_columns(std::span<const int32_t> chosen) const;

  int64_t columns() const { return columns_; }
  int64_t inner() const { return inner_; }
  int64_t panels() const { return (columns_ + kPanel - 1) / kPanel; }
  WeightFormat numbers() const { return numbers_; }

  /// A panel's numbers: [steps][32][numbers a step], a step being 1 of fp32, 2 of bf16, 4 of int8.
  const void* panel(int64_t index) const { return bytes_.data() + index * panel_bytes_; }
  int64_t steps() const { return steps_; }
  int64_t panel_bytes() const { return panel_bytes_; }
  /// int8, each [panels * 32]: w = scales * number, and 128 times the sum of a column's numbers,
  /// modulo 2^32.
  const float* scales() const { return scales_.data(); }
  const uint32_t* shifts() const { return shifts_.data(); }
  /// int8: for each two steps of a panel, [steps / 2], which of its sums fit in 16 bits.
  const FitsIn16* fits(int64_t panel) const {
    return fits_.empty() ? nullptr : fits_.data() + panel * (steps_ / 2);
  }

 private:
  Matrix(int64_t columns, int64_t inner, WeightFormat numbers);
  void set_column(int64_t column, const int8_t* numbers, float scale);

  int64_t columns_ = 0, inner_ = 0, steps_ = 0, panel_bytes_ = 0;
  WeightFormat numbers_ = WeightFormat::fp32;
  LineBytes bytes_;
  std::vector<float> scales_;
  std::vector<uint32_t> shifts_;
  std::vector<FitsIn16> fits_;
};

/// Writes weights of a column as int8, round(x / scale), to `to` [count]. Returns the scale: the
/// largest weight / 127, at least Matrix::kLeastScale; NaN where a weight is not finite. Weights
/// that are whole multiples of a larger scale keep theirs, so that those of a file of int8 with one
/// scale for many rows, as Marian's, stay the same numbers.
float quantise_row(const float* x, int64_t count, int8_t* to);

/// The left factor, [rows, inner], in the format that a rearranged matrix multiplies with. In int8
/// each row has a scale of its own.
class LeftFactor {
 public:
  /// In fp32 `x` [rows, inner] is not copied, and must stay as long as it is multiplied.
  void take(const float* x, int64_t rows, int64_t inner, WeightFormat numbers);

  int64_t count() const { return count_; }
  /// Row `index`: `inner` numbers, zeros up to a whole step.
  const void* row(int64_t index) const { return base_ + index * row_bytes_; }
  int64_t row_bytes() const { return row_bytes_; }
  float scale(int64_t index) const { return scales_[index]; }

 private:
  int64_t count_ = 0, row_bytes_ = 0;
  const unsigned char* base_ = nullptr;
  LineBytes bytes_;
  std::vector<float> scales_;
};

/// The steps between a product and its storage, in this order: + bias [columns], max(0, .), + the
/// number that is there.
struct Finish {
  const float* bias = nullptr;
  bool relu = false;
  bool add = false;
};

/// y = finish(x W^T), the columns of the panels [first, last) alone, so that threads may divide
/// them; its rows are `stride` numbers apart. Each number is added up in one order, whatever the
/// number of rows: the same row gives the same bits in any batch.
void multiply(const LeftFactor& x, const Matrix& weights, const Finish& finish, float* y,
              int64_t stride, int64_t first, int64_t last);

}  // namespace heed::engine
