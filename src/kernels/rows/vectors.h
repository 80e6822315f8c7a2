// Vectors as GCC and Clang have them, for loops that are written for the registers of a processor.
#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/rows/versions.h"

namespace heed::kernels {

/// So many numbers of 4 bytes as one register of the processor has: 4, 8 or 16. The compiler would
/// take wider vectors apart through memory.
template <int64_t width>
struct Vectors {
  using Floats [[gnu::vector_size(width * 4)]] = float;
  using Words [[gnu::vector_size(width * 4)]] = uint32_t;
  using Integers [[gnu::vector_size(width * 4)]] = int32_t;
};

/// Reads as many bytes as `vector` has, which may begin anywhere.
template <class Vector>
HEED_LOOP void load(Vector& vector, const void* from) {
  std::memcpy(&vector, from, sizeof vector);
}

}  // namespace heed::kernels
