// Numbers of Marian's binary files, for who reads and who writes them (private to this room;
// marian_bin.h has their form).
#pragma once

#include <cstdint>

namespace heed::exchange {

inline constexpr uint64_t kBinVersion = 1;

/// Types of items. Of intgemm8 marian-dev and Bergamot's Marian have different numbers.
inline constexpr uint64_t kTypeOfBytes = 0x101, kTypeOfFloats = 0x404, kTypeOfIntgemm8 = 0x10001,
                          kTypeOfBergamotsIntgemm8 = 0x4101;

}  // namespace heed::exchange
