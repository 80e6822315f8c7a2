// How fast ranks of one machine exchange tensors.
#pragma once

#include <cstdint>

#include "study/scale_out.h"

namespace heed {

/// Of so many ranks, which are threads here and in all else as those of `heed train --ranks`, all
/// at once; `bytes` are those of a gradient. Throws Failure where they do not meet.
study::Connection exchange_here(int64_t ranks, double bytes, int repeats);

}  // namespace heed
