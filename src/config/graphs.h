// The choice whether work of a GPU is recorded as graphs, which several sections have.
#pragma once

#include "config/schema.h"

namespace heed::config {

HEED_ENUM(Graphs, (auto_, "Recorded where that is possible."),
          (off, "Each operation is launched on its own."))

}  // namespace heed::config
