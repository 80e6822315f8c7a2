// The speed of an engine's products on this machine in each format of weights, for the choice
// among them.
#pragma once

#include <cstdint>

#include "base/precision_times.h"
#include "model/description/config.h"

namespace heed::engine {

/// The sizes of a search, on which the rows of its products depend.
struct SearchRows {
  int64_t vocabulary = 0;  // of the target
  int64_t sentences = 0;   // of a batch
  int64_t beam = 0;
};

/// Measures one step of a search in each layer of the network, by the calling thread. bf16 is
/// measured where the processor multiplies it. It takes 0.1 to 0.3 seconds of processor
/// time, and memory of up to 150 MB until it is done.
PrecisionTimes search_times(const model::ModelConfig& config, const SearchRows& rows);

}  // namespace heed::engine
