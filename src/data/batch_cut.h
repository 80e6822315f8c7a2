// Sorting sentences by length and cutting them into batches. Inside data/ only.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace heed::data {

/// Lengths of a pair, eos included, and what decides between equals.
struct PairLength {
  int64_t source = 0, target = 0;
  uint64_t tie = 0;
};

/// Indices so that neighbours are alike on both sides.
std::vector<int64_t> sort_by_length(const std::vector<PairLength>& lengths);

/// Ranges [first, second) of `order`. `tokens`: at most `size` padded target tokens and 2 * size
/// padded source tokens each, or a single pair; else `size` pairs each.
std::vector<std::pair<int64_t, int64_t>> cut(const std::vector<PairLength>& lengths,
                                             const std::vector<int64_t>& order, int64_t size,
                                             bool tokens);

}  // namespace heed::data
