// How many sentences are searched or scored together.
#pragma once

#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "decode/config.h"
#include "model/pointer.h"

namespace heed::decode {

/// Bounds of a batch.
struct BatchLimits {
  int64_t sentences = 0;
  int64_t tokens = 0;  // padded pieces of the side that it is sorted by, with eos
};

/// What a batch of a search may take.
struct SearchRoom {
  at::Device device;
  at::ScalarType precision;
  int64_t vocabulary = 0;  // of the target
  int64_t free = 0;        // bytes of the device's memory; for decoding.batch_size: 0 on a GPU
};

/// decoding.batch_size sentences; for 0 on a CPU 32, on a GPU as many as fit in its memory where
/// translations are about as long as their sources. `tokens` are of sources.
BatchLimits search_limits(const std::vector<model::Model*>& models, const DecodeConfig& config,
                          const SearchRoom& room);

/// The same while targets are scored. `tokens` are of targets.
BatchLimits score_limits(const DecodeConfig& config, const at::Device& device);

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
