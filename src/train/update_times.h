// The speed of a CPU's products in training, in fp32 and in bf16, for the choice between them.
#pragma once

#include <cstdint>

#include "base/precision_times.h"
#include "model/description/config.h"

namespace heed::train {

/// The size of the work that one thread computes at a time.
struct UpdatePart {
  int64_t vocabulary = 0;  // of the target
  int64_t tokens = 0;      // of the target
};

/// Measures the matrix products of some tokens in all layers of the network, forwards and
/// backwards, by one thread on the CPU. It takes 200 to 320 ms.
PrecisionTimes update_times(const model::ModelConfig& config, const UpdatePart& part);

}  // namespace heed::train
