#include "kernels/rows/positions.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <iterator>

namespace heed::kernels {
namespace {

/// set(row, i, angle) with position / 10000^(2i / width) for i = 0..pairs - 1.
template <class Set>
void each_angle(int64_t first, int64_t length, int64_t pairs, int64_t width, const Set& set) {
  for (int64_t i = 0; i < pairs; ++i) {
    const double exponent = static_cast<double>(2 * i) / static_cast<double>(width);
    const double rate = 1 / std::pow(kPositionBase, exponent);
    for (int64_t row = 0; row < length; ++row) set(row, i, static_cast<double>(first + row) * rate);
  }
}

}  // namespace

void sinusoids(int64_t first, int64_t length, int64_t width, float* to) {
  each_angle(first, length, (width + 1) / 2, width, [&](int64_t row, int64_t i, double angle) {
    float* pair = to + row * width + 2 * i;
    pair[0] = static_cast<float>(std::sin(angle));
    if (2 * i + 1 < width) pair[1] = static_cast<float>(std::cos(angle));
  });
}

void halved_sinusoids(int64_t first, int64_t length, int64_t width, float* to) {
  const int64_t half = width / 2;
  const auto steps = static_cast<double>(std::max<int64_t>(half - 1, 1));
  std::fill_n(to, length * width, 0.0F);
  for (int64_t i = 0; i < half; ++i) {
    const double rate = std::exp(-static_cast<double>(i) * std::log(kPositionBase) / steps);
    for (int64_t row = 0; row < length; ++row) {
      const double angle = static_cast<double>(first + row) * rate;
      to[row * width + i] = static_cast<float>(std::sin(angle));
      to[row * width + half + i] = static_cast<float>(std::cos(angle));
    }
  }
}

void unit_rotations(int64_t first, int64_t length, int64_t head, float* to) {
  each_angle(first, length, head / 2, head, [&](int64_t row, int64_t i, double angle) {
    float* pair = to + 2 * (row * (head / 2) + i);
    pair[0] = static_cast<float>(std::cos(angle));
    pair[1] = static_cast<float>(std::sin(angle));
  });
}

std::vector<double> alibi_slopes(int64_t heads) {
  const auto power = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(heads)));
  const auto slope = [](int64_t number, int64_t count) {  // the number-th of `count`, from 1
    return std::exp2(-8 * static_cast<double>(number) / static_cast<double>(count));
  };
  std::vector<double> slopes;
  for (int64_t h = 1; h <= power; ++h) slopes.push_back(slope(h, power));
  for (int64_t h = 1; std::ssize(slopes) < heads; h += 2) slopes.push_back(slope(h, 2 * power));
  return slopes;
}

int64_t t5_bucket(int64_t distance, bool causal) {
  const int64_t buckets = causal ? kT5Buckets : kT5Buckets / 2, exact = buckets / 2;
  const int64_t side = !causal && distance > 0 ? buckets : 0;
  const int64_t away = causal ? std::max<int64_t>(-distance, 0) : std::abs(distance);
  if (away < exact) return side + away;
  const double share = std::log(static_cast<double>(away) / static_cast<double>(exact)) /
                       std::log(static_cast<double>(kT5Farthest) / static_cast<double>(exact));
  const auto wide = static_cast<int64_t>(share * static_cast<double>(buckets - exact));
  return side + std::min(exact + wide, buckets - 1);
}

}  // namespace heed::kernels
