#include "engine/matrix.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif

#include "base/error.h"
#include "engine/tile_product.h"
#include "kernels/rows/loops.h"
#include "kernels/rows/numbers.h"
#include "kernels/rows/versions.h"

namespace heed::engine {
namespace {

// The bytes of weights that stay in the processor's cache while all rows are multiplied with them;
// their results for a row are then written side by side.
constexpr int64_t kBlockBytes = int64_t{1} << 18;

constexpr std::size_t kHugePage = std::size_t{1} << 21;

std::align_val_t alignment_of(std::size_t bytes) {
  return std::align_val_t{bytes < kHugePage ? 64 : kHugePage};
}

int64_t numbers_a_step(WeightFormat numbers) {
  return numbers == WeightFormat::fp32 ? 1 : numbers == WeightFormat::bf16 ? 2 : 4;
}

/// The numbers of two steps of a column.
struct StepSums {
  int sum = 0;
  FitsIn16 fits = FitsIn16::two_steps;
};
HEED_LOOP StepSums sums_of_steps(const int8_t* numbers) {
  int up[4] = {}, down[4] = {};  // two of each step
  for (int i = 0; i < Matrix::kGroup; ++i) {
    up[i / 2] += std::max<int>(numbers[i], 0);
    down[i / 2] += std::max<int>(-numbers[i], 0);
  }
  const int one = std::max({up[0], up[1], up[2], up[3], down[0], down[1], down[2], down[3]});
  const int two = std::max({up[0] + up[2], up[1] + up[3], down[0] + down[2], down[1] + down[3]});
  return {up[0] + up[1] + up[2] + up[3] - down[0] - down[1] - down[2] - down[3],
          two <= Matrix::kMostOfGroup   ? FitsIn16::two_steps
          : one <= Matrix::kMostOfGroup ? FitsIn16::one_step
                                        : FitsIn16::none};
}

/// to = round(x / scale), for numbers of which none is more than 127 times the scale.
HEED_LOOP void round_all(const float* x, int64_t count, float scale, int8_t* to) {
#pragma omp simd
  for (int64_t i = 0; i < count; ++i)
    to[i] = static_cast<int8_t>(std::bit_cast<uint32_t>(x[i] / scale + kernels::kRound));
}

/// to = round(x * factor) + 128; adding kRound leaves the rounded number in the sum's last bits.
HEED_LOOP void quantise_all(const float* x, int64_t count, float factor, uint8_t* to) {
  using kernels::kRound;
#pragma omp simd
  for (int64_t i = 0; i < count; ++i) {
    const uint32_t bits = std::bit_cast<uint32_t>(x[i] * factor + kRound);
    to[i] = static_cast<uint8_t>(bits + 128);
  }
}

/// The columns of the matrix that a tile has.
struct TileColumns {
  const Matrix& weights;
  int64_t begin, width;
};

/// The sums of (x + 128) w of int8, as bits, become products.
HEED_LOOP void scale_sums(float* sums, float scale, const TileColumns& columns) {
  const float* scales = columns.weights.scales() + columns.begin;
  const uint32_t* shifts = columns.weights.shifts() + columns.begin;
  // Either may have overflowed; their difference never does.
#pragma omp simd
  for (int64_t c = 0; c < Matrix::kPanel; ++c) {
    const uint32_t sum = std::bit_cast<uint32_t>(sums[c]) - shifts[c];
    sums[c] = static_cast<float>(static_cast<int32_t>(sum)) * (scale * scales[c]);
  }
}

/// Stores `width` numbers of one row.
HEED_LOOP void store_row(const float* __restrict from, const float* bias, const Finish& finish,
                         int64_t width, float* __restrict to) {
#pragma omp simd
  for (int64_t c = 0; c < width; ++c) {
    float x = bias != nullptr ? from[c] + bias[c] : from[c];
    x = finish.relu && x < 0 ? 0 : x;
    to[c] = finish.add ? to[c] + x : x;
  }
}

/// Stores a tile of `rows` rows in `to`, whose rows are `stride` numbers apart.
HEED_LOOP void store_rows(const float* tile, int64_t rows, const Finish& finish,
                          const TileColumns& columns, float* to, int64_t stride) {
  const float* bias = finish.bias != nullptr ? finish.bias + columns.begin : nullptr;
  for (int64_t r = 0; r < rows; ++r, tile += Matrix::kPanel, to += stride)
    if (columns.width == Matrix::kPanel)  // known, and so unrolled
      store_row(tile, bias, finish, Matrix::kPanel, to);
    else
      store_row(tile, bias, finish, columns.width, to);
}

/// The scale of a row of weights or activations.
float scale_of(const float* x, int64_t count) {
  const float most = kernels::largest_magnitude(x, count);
  if (!std::isfinite(most)) return std::numeric_limits<float>::quiet_NaN();
  return std::max(most / 127, Matrix::kLeastScale);
}

/// Whether all numbers of a row are within kNearWhole of whole ones when multiplied by `factor`.
constexpr float kNearWhole = 1e-3F;
bool are_whole(const float* x, int64_t count, float factor) {
  return std::all_of(x, x + count, [&](float one) {
    return std::abs(one * factor - std::round(one * factor)) < kNearWhole;
  });
}

/// How far the first numbers of a row are from whole ones if the largest of the row is 1, 2, ...
/// 127 steps.
using Distances = std::array<float, 128>;
HEED_LOOP void distances_of(const float* x, float most, Distances* to) {
  constexpr int kSeen = 2;
  for (int i = 0; i < kSeen; ++i) {
    const float part = x[i] / most;
#pragma omp simd
    for (int k = 0; k < 128; ++k) {
      const float at = part * static_cast<float>(k);
      const float distance = std::abs(at - ((at + kernels::kRound) - kernels::kRound));
      (*to)[k] = std::max((*to)[k], distance);
    }
  }
}

/// The scale of weights that are whole multiples of it although the largest is not 127 times it,
/// because a file of int8 had one scale for many rows; else scale_of().
float exact_scale_of(const float* x, int64_t count) {
  const float scale = scale_of(x, count);
  constexpr int64_t kFewest = 32;  // fewer numbers may be multiples by chance
  const float most = scale * 127;
  if (count < kFewest || std::isnan(scale) || scale == Matrix::kLeastScale) return scale;
  Distances distances{};
  kernels::fastest<distances_of>(x, most, &distances);
  for (int k = 1; k < 127; ++k)
    if (distances[k] < kNearWhole && are_whole(x, count, static_cast<float>(k) / most))
      return most / static_cast<float>(k);
  return scale;
}

/// The index of number (column, i) in a panel, which has `group` numbers of a column in each step.
int64_t index_in_panel(int64_t column, int64_t i, int64_t group) {
  return (i / group * Matrix::kPanel + column % Matrix::kPanel) * group + i % group;
}

}  // namespace

int64_t bytes_of(WeightFormat numbers) {
  return 4 / numbers_a_step(numbers);
}

void* allocate_lines(std::size_t bytes) {
  void* lines = ::operator new(bytes, alignment_of(bytes));
#ifdef __linux__
  if (bytes >= kHugePage) madvise(lines, bytes, MADV_HUGEPAGE);
#endif
  return lines;
}

void deallocate_lines(void* lines, std::size_t bytes) {
  ::operator delete(lines, alignment_of(bytes));
}

float quantise_row(const float* x, int64_t count, int8_t* to) {
  const float scale = exact_scale_of(x, count);
  if (std::isnan(scale))
    std::fill_n(to, count, int8_t{0});
  else
    kernels::fastest<round_all>(x, count, scale, to);
  return scale;
}

Matrix::Matrix(int64_t columns, int64_t inner, WeightFormat numbers)
    : columns_(columns), inner_(inner), numbers_(numbers) {
  expect(numbers != WeightFormat::int8 || inner <= kLongestInt8, "sums of int8 products fit");
  const int64_t group = numbers_a_step(numbers);
  steps_ = (inner + group - 1) / group;
  panel_bytes_ = steps_ * kPanel * group * bytes_of(numbers);
  bytes_.assign(panels() * panel_bytes_, 0);
  if (numbers != WeightFormat::int8) return;
  scales_.assign(panels() * kPanel, 0);
  shifts_.assign(panels() * kPanel, 0);
  fits_.assign(panels() * (steps_ / 2), FitsIn16::two_steps);
}

Matrix::Matrix(const float* weights, int64_t columns, int64_t inner, WeightFormat numbers)
    : Matrix(columns, inner, numbers) {
  const int64_t group = numbers_a_step(numbers);
  std::vector<int8_t> row(inner);
  for (int64_t column = 0; column < columns; ++column) {
    const float* from = weights + column * inner;
    unsigned char* panel = bytes_.data() + column / kPanel * panel_bytes_;
    if (numbers == WeightFormat::int8) {
      const float scale = quantise_row(from, inner, row.data());
      set_column(column, row.data(), scale);
    } else if (numbers == WeightFormat::bf16) {
      for (int64_t i = 0; i < inner; ++i)
        reinterpret_cast<uint16_t*>(panel)[index_in_panel(column, i, group)] =
            kernels::narrowed(from[i]);
    } else {
      for (int64_t i = 0; i < inner; ++i)
        reinterpret_cast<float*>(panel)[index_in_panel(column, i, group)] = from[i];
    }
  }
}

Matrix::Matrix(QuantisedRows weights, int64_t columns, int64_t inner)
    : Matrix(columns, inner, WeightFormat::int8) {
  for (int64_t column = 0; column < columns; ++column)
    set_column(column, weights.numbers + column * inner, weights.scales[column]);
}

Matrix Matrix::with_columns(std::span<const int32_t> chosen) const {
  constexpr int64_t kStep = 4, kNext = kStep * kPanel;  // bytes of a column's step; to the next one
  Matrix out(std::ssize(chosen), inner_, numbers_);
  const auto begin = [&](int64_t column) {
    return column / kPanel * panel_bytes_ + column % kPanel * kStep;
  };
  std::vector<int8_t> row(steps_ * kStep);
  for (int64_t c = 0; c < std::ssize(chosen); ++c) {
    const unsigned char* from = bytes_.data() + begin(chosen[c]);
    const bool is_int8 = numbers_ == WeightFormat::int8;
    unsigned char* to =
        is_int8 ? reinterpret_cast<unsigned char*>(row.data()) : out.bytes_.data() + begin(c);
    for (int64_t step = 0; step < steps_; ++step)
      std::memcpy(to + step * (is_int8 ? kStep : kNext), from + step * kNext, kStep);
    if (is_int8) out.set_column(c, row.data(), scales_[chosen[c]]);
  }
  return out;
}

void Matrix::set_column(int64_t column, const int8_t* numbers, float scale) {
  constexpr int64_t kStep = 4;
  const int64_t panel = column / kPanel, pairs = steps_ / 2;
  unsigned char* to = bytes_.data() + panel * panel_bytes_ + column % kPanel * kStep;
  FitsIn16* fits = fits_.data() + panel * pairs;
  int64_t sum = 0;
  const auto put = [&](int64_t step, const int8_t* from, int64_t count) {
    std::memcpy(to + step * kPanel * kStep, from, count);
  };
  const auto add = [&](int64_t pair, const int8_t* group) {
    const StepSums sums = sums_of_steps(group);
    sum += sums.sum;
    fits[pair] = std::max(fits[pair], sums.fits);
  };
  const int64_t left = inner_ % kGroup, whole = inner_ - left;
  for (int64_t i = 0; i < whole; i += kGroup) {
    add(i / kGroup, numbers + i);
    put(i / kStep, numbers + i, kStep);
    put(i / kStep + 1, numbers + i + kStep, kStep);
  }
  if (left > 0) {
    int8_t last[kGroup] = {};
    std::memcpy(last, numbers + whole, left);
    put(whole / kStep, last, kStep);
    if (left > kStep) {
      put(whole / kStep + 1, last + kStep, kStep);
      add(whole / kGroup, last);
    } else {
      sum += sums_of_steps(last).sum;  // one step, which no other is added to
    }
  }
  scales_[column] = scale;
  shifts_[column] = 128 * static_cast<uint32_t>(sum);
}

void LeftFactor::take(const float* x, int64_t rows, int64_t inner, WeightFormat numbers) {
  count_ = rows;
  if (numbers == WeightFormat::fp32) {
    base_ = reinterpret_cast<const unsigned char*>(x);
    row_bytes_ = inner * static_cast<int64_t>(sizeof(float));
    return;
  }
  const int64_t group = numbers_a_step(numbers);
  row_bytes_ = (inner + group - 1) / group * 4;
  bytes_.resize(rows * row_bytes_);
  scales_.resize(rows);
  base_ = bytes_.data();
  for (int64_t r = 0; r < rows; ++r) {
    unsigned char* to = bytes_.data() + r * row_bytes_;
    std::memset(to + row_bytes_ - 4, 0, 4);
    if (numbers == WeightFormat::bf16) {
      kernels::narrow(x + r * inner, reinterpret_cast<uint16_t*>(to), inner);
    } else {
      scales_[r] = scale_of(x + r * inner, inner);
      kernels::fastest<quantise_all>(x + r * inner, inner, 1 / scales_[r], to);
    }
  }
}

void multiply(const LeftFactor& x, const Matrix& weights, const Finish& finish, float* y,
              int64_t stride, int64_t first, int64_t last) {
  const TileProduct& product = tile_product(weights.numbers());
  const int64_t columns = weights.columns(), rows = x.count();
  const int64_t together = std::max<int64_t>(1, kBlockBytes / weights.panel_bytes());
  float tile[kMostTileRows * Matrix::kPanel];
  int64_t begun = 0;  // rows
  bool ends = false;
  const auto meet = [&](int64_t row, int64_t count, int64_t panel) {
    const int64_t begin = panel * Matrix::kPanel;
    const TileColumns tile_columns{weights, begin, std::min(Matrix::kPanel, columns - begin)};
    const TileFactors factors{.x = static_cast<const unsigned char*>(x.row(row)),
                              .stride = x.row_bytes(),
                              .rows = count,
                              .panel = weights.panel(panel),
                              .steps = weights.steps(),
                              .shifts = weights.shifts() + begin,
                              .fits = weights.fits(panel)};
    if (product.begin != nullptr && count != begun) ends = product.begin(factors) || ends;
    begun = count;
    product.run(factors, tile);
    if (weights.numbers() == WeightFormat::int8)
      for (int64_t r = 0; r < count; ++r)
        kernels::fastest<scale_sums>(tile + r * Matrix::kPanel, x.scale(row + r), tile_columns);
    float* to = y + row * stride + begin - first * Matrix::kPanel;
    kernels::fastest<store_rows>(tile, count, finish, tile_columns, to, stride);
  };
  // Tiles of about equal numbers of rows: 20 rows are 7, 7 and 6, not 8, 8 and 4.
  const int64_t tiles = (rows + product.rows - 1) / product.rows;
  for (int64_t block = first; block < last; block += together)
    for (int64_t index = 0, row = 0; index < tiles; ++index) {
      const int64_t count = rows / tiles + (index < rows % tiles ? 1 : 0);
      for (int64_t panel = block; panel < std::min(block + together, last); ++panel)
        meet(row, count, panel);
      row += count;
    }
  if (ends) product.end();
}

}  // namespace heed::engine
