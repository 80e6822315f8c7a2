// How many sentences are searched together.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "decode/search/config.h"

namespace heed::decode {

/// Bounds of a batch.
struct BatchLimits {
  int64_t sentences = 0;
  int64_t tokens = 0;  // padded pieces of the side that it is sorted by, with eos
};

/// Hypotheses of a sentence.
int64_t width_of(const DecodeConfig& config);

/// On a CPU: decoding.batch_size sentences, for 0 as many as are usual. `tokens` are of sources.
BatchLimits search_limits(const DecodeConfig& config);

/// By which pairs of so many pieces are sorted into batches of targets: the target's, unless the
/// source is so long that it takes more memory.
inline int64_t padded_length(int64_t source, int64_t target) {
  return std::max(target, source / 2);
}

/// Indices of `lengths` in batches, longest first, within the limits except for a single longer
/// one. Those of length `skip` are left out.
std::vector<std::vector<int64_t>> batches_by_length(const std::vector<int64_t>& lengths,
                                                    const BatchLimits& limits, int64_t skip = -1);

}  // namespace heed::decode
