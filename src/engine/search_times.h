// How fast an engine multiplies on this machine in fp32 and in bf16: for those who have to choose.
#pragma once

#include <cstdint>

#include "base/precision_times.h"
#include "model/description/config.h"

namespace heed::engine {

/// What a search does with its network.
struct SearchRows {
  int64_t vocabulary = 0;  // of the target
  int64_t sentences = 0;   // of a batch
  int64_t beam = 0;
};

/// Of one step of a search in each layer of the network, by the calling thread. Takes about ten
/// milliseconds.
PrecisionTimes search_times(const model::ModelConfig& config, const SearchRows& rows);

}  // namespace heed::engine
