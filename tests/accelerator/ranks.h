// Exchanges of the simulated accelerator's tensors between ranks, as NCCL's are of GPUs.
#pragma once

#include "ranks/group.h"

namespace heed::accelerator {

/// Ranks that exchange the device's tensors, too.
ranks::GroupOptions group_options();

}  // namespace heed::accelerator
