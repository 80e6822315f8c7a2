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

struct Cut {
  std::vector<int64_t> order;                        // of the pairs
  std::vector<std::pair<int64_t, int64_t>> batches;  // ranges [first, second) of `order`
};

/// Cuts pairs into batches of alike lengths. `tokens`: at most `size` padded target tokens and
/// 2 * size padded source tokens each, or a single pair; else `size` pairs each. The same lengths
/// and ties give the same batches.
Cut cut(const std::vector<PairLength>& lengths, int64_t size, bool tokens);

}  // namespace heed::data
