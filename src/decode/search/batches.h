// The number of sentences that are searched together.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "decode/search/config.h"

namespace heed::decode {

/// The bounds of a batch.
struct BatchLimits {
  int64_t sentences = 0;
  int64_t tokens = 0;  // padded pieces of the side that it is sorted by, with eos
};

/// Returns how many hypotheses of a sentence a search keeps.
int64_t width_of(const DecodeConfig& config);

/// Returns the bounds of a batch of a search on a CPU: decoding.batch_size sentences, or a usual
/// number where that is 0. Its `tokens` count source pieces.
BatchLimits search_limits(const DecodeConfig& config);

/// Returns the length by which a pair is sorted into batches of targets: the length of its target,
/// unless the source is so long that it takes more memory. Both are in pieces.
inline int64_t padded_length(int64_t source, int64_t target) {
  return std::max(target, source / 2);
}

/// Returns the indices of `lengths` in batches, longest first, within the limits except for a
/// single longer one. Sentences of length `skip` are left out.
std::vector<std::vector<int64_t>> batches_by_length(const std::vector<int64_t>& lengths,
                                                    const BatchLimits& limits, int64_t skip = -1);

}  // namespace heed::decode
