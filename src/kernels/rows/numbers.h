// Functions of one number, plain C++ without branches, so that loops over them vectorise. NaN in is
// NaN out: a clamp must keep x where its comparison is false, as it is for NaN.
#pragma once

#include <bit>
#include <cstdint>

namespace heed::kernels {

/// 1.5 * 2^23: adding it rounds a small number, whose last bits are then those of the sum.
inline constexpr float kRound = 12582912.0F;

/// e^x for x in [-87, 88], nearer to 0 or infinity the value at that end; within 2 units in the
/// last place. Cephes' polynomial.
inline float exponential(float x) {
  x = x < -87.0F ? -87.0F : x;
  x = x > 88.0F ? 88.0F : x;
  const float shifted = x * 1.44269504F + kRound;
  const float n = shifted - kRound;
  const float r = (x - n * 0.693359375F) + n * 2.12194440e-4F;
  float p = 1.9875691500e-4F;
  p = p * r + 1.3981999507e-3F;
  p = p * r + 8.3334519073e-3F;
  p = p * r + 4.1665795894e-2F;
  p = p * r + 1.6666665459e-1F;
  p = p * r + 5.0000001201e-1F;
  p = p * r * r + r + 1.0F;
  // The last bits of `shifted` are those of the whole number n; a NaN has no such number.
  return p * std::bit_cast<float>((std::bit_cast<uint32_t>(shifted) << 23) + 0x3F800000);
}

inline float logistic(float x) {
  return 1 / (1 + exponential(-x));
}

inline float hyperbolic_tangent(float x) {
  return 2 / (1 + exponential(-2 * x)) - 1;
}

/// bf16 is the upper half of a float.
inline float widened(uint16_t x) {
  return std::bit_cast<float>(static_cast<uint32_t>(x) << 16);
}

/// The nearest bf16 number, ties to even. The NaNs of calculations and of bf16, whose last 16 bits
/// are zeros, stay NaN; of others a carry might make a number.
inline uint16_t narrowed(float x) {
  const uint32_t bits = std::bit_cast<uint32_t>(x);
  return static_cast<uint16_t>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}

/// Reads and writes numbers of either type, for loops that serve both.
inline float number(float x) {
  return x;
}
inline float number(uint16_t x) {
  return widened(x);
}
inline void put(float& to, float x) {
  to = x;
}
inline void put(uint16_t& to, float x) {
  to = narrowed(x);
}

}  // namespace heed::kernels
