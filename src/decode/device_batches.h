// How many sentences a device searches or scores together.
#pragma once

#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

#include <cstdint>
#include <vector>

#include "decode/search/batches.h"
#include "model/pointer.h"

namespace heed::decode {

/// What a batch of a search may take.
struct SearchRoom {
  at::Device device;
  at::ScalarType precision;
  int64_t vocabulary = 0;  // of the target
  int64_t free = 0;        // bytes of the device's memory; for decoding.batch_size: 0 on a GPU
};

/// decoding.batch_size sentences; for 0 on a GPU as many as fit in its memory where translations
/// are about as long as their sources. `tokens` are of sources.
BatchLimits search_limits(const std::vector<model::Model*>& models, const DecodeConfig& config,
                          const SearchRoom& room);

/// The same while targets are scored. `tokens` are of targets.
BatchLimits score_limits(const DecodeConfig& config, const at::Device& device);

}  // namespace heed::decode
