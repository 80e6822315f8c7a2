#include "data/batch_cut.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace heed::data {

std::vector<int64_t> sort_by_length(const std::vector<PairLength>& lengths) {
  // Source lengths rise within one target length and fall within the next, so that a batch that
  // spans two of them does not put the longest sources beside the shortest.
  const auto key = [&](int64_t i) {
    const PairLength& length = lengths[i];
    const int64_t source = length.target % 2 == 0 ? length.source : -length.source;
    return std::tuple(length.target, source, length.tie, i);
  };
  std::vector<int64_t> order(lengths.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return key(a) < key(b); });
  return order;
}

std::vector<std::pair<int64_t, int64_t>> cut(const std::vector<PairLength>& lengths,
                                             const std::vector<int64_t>& order, int64_t size,
                                             bool tokens) {
  std::vector<std::pair<int64_t, int64_t>> batches;
  const auto count = static_cast<int64_t>(order.size());
  int64_t begin = 0, source = 0, target = 0;
  for (int64_t i = 0; i < count; ++i) {
    const PairLength& length = lengths[order[i]];
    const int64_t rows = i + 1 - begin;
    source = std::max(source, length.source);
    target = std::max(target, length.target);
    const bool fits = tokens ? rows * target <= size && rows * source <= 2 * size : rows <= size;
    if (fits || rows == 1) continue;
    batches.emplace_back(begin, i);
    begin = i;
    source = length.source;
    target = length.target;
  }
  if (begin < count) batches.emplace_back(begin, count);
  return batches;
}

}  // namespace heed::data
