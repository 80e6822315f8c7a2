// Dropout whose mask is a function of a number's index. The types are float, or uint16_t for bf16.
#pragma once

#include <cstdint>
#include <type_traits>

namespace heed::kernels {

/// The factors by which one call of dropout multiplies its numbers.
struct Mask {
  uint32_t low = 0, high = 0;  // the seed
  int32_t threshold = 0;       // of 2^24
  float scale = 1;

  Mask(uint64_t seed, double share)
      : low(static_cast<uint32_t>(seed)),
        high(static_cast<uint32_t>(seed >> 32)),
        threshold(static_cast<int32_t>(share * 16777216.0)),
        scale(static_cast<float>(1 / (1 - share))) {}

  /// The factor of number i: `scale` or 0. Murmur3's finaliser over i and the seed.
  float operator()(uint32_t i) const {
    uint32_t x = i * 0x9E3779B1U + low;
    x ^= x >> 16;
    x *= 0x85EBCA6BU;
    x ^= x >> 13;
    x += high;
    x *= 0xC2B2AE35U;
    x ^= x >> 16;
    return static_cast<int32_t>(x >> 8) >= threshold ? scale : 0.0F;
  }
};

/// y = mask x, plus `residual` where it is not null, for the numbers [begin, end).
template <class From, class To>
void drop_numbers(const std::type_identity_t<To>* residual, const From* x, To* y, int64_t begin,
                  int64_t end, const Mask& mask);

}  // namespace heed::kernels
