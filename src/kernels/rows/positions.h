// What kinds of positions are in plain numbers, for networks of tensors and for those of the
// engine. The equations are in model/transformer/positions/.
#pragma once

#include <cstdint>
#include <vector>

namespace heed::kernels {

/// Of the angles below.
inline constexpr double kPositionBase = 10000;

/// PE(pos, 2i) = sin(pos / 10000^(2i / width)), PE(pos, 2i + 1) = cos of the same (Vaswani et al.
/// 2017, 3.5), for the positions [first, first + length): to [length, width].
void sinusoids(int64_t first, int64_t length, int64_t width, float* to);

/// The unit number with the angle position / 10000^(2i / head): to [length, head / 2][2], cosine
/// and sine. `head` is even.
void unit_rotations(int64_t first, int64_t length, int64_t head, float* to);

/// ALiBi's m of each head.
std::vector<double> alibi_slopes(int64_t heads);

/// Distances of Shaw et al. that have a vector of their own.
inline constexpr int64_t kRelativeReach = 16;

/// T5's bucket of a distance key - query, of kT5Buckets. All beyond kT5Farthest are in one.
inline constexpr int64_t kT5Buckets = 32, kT5Farthest = 128;
int64_t t5_bucket(int64_t distance, bool causal);

}  // namespace heed::kernels
