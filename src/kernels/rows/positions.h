// The numbers of each kind of positions, for networks of tensors and for those of the engine. The
// equations are in model/transformer/positions/.
#pragma once

#include <cstdint>
#include <vector>

namespace heed::kernels {

/// The base of the angles below.
inline constexpr double kPositionBase = 10000;

/// PE(pos, 2i) = sin(pos / 10000^(2i / width)), PE(pos, 2i + 1) = cos of the same (Vaswani et al.
/// 2017, 3.5), for the positions [first, first + length): to [length, width].
void sinusoids(int64_t first, int64_t length, int64_t width, float* to);

/// sin(pos f(i)) in the first half of the width and cos(pos f(i)) in the second, f(i) = 10000^(-i /
/// (width / 2 - 1)) (tensor2tensor, Vaswani et al. 2018), for the positions [first, first +
/// length): to [length, width]. The last column of an odd width is 0.
void halved_sinusoids(int64_t first, int64_t length, int64_t width, float* to);

/// The rotations of rotary positions: the cosine and sine of the angle position / 10000^(2i /
/// head), written to [length, head / 2][2].
void unit_rotations(int64_t first, int64_t length, int64_t head, float* to);

/// Returns ALiBi's slope m of each head.
std::vector<double> alibi_slopes(int64_t heads);

/// Distances up to this one have a vector of their own in the positions of Shaw et al.
inline constexpr int64_t kRelativeReach = 16;

/// T5's bucket of a distance key - query, in [0, kT5Buckets). All distances beyond kT5Farthest are
/// in one.
inline constexpr int64_t kT5Buckets = 32, kT5Farthest = 128;
int64_t t5_bucket(int64_t distance, bool causal);

}  // namespace heed::kernels
