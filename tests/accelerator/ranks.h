// What NCCL is to GPUs: exchanges of the simulated accelerator's tensors between ranks.
#pragma once

#include "ranks/group.h"

namespace heed::accelerator {

/// Ranks that exchange the device's tensors, too.
ranks::GroupOptions group_options();

}  // namespace heed::accelerator
