// Whether work of a GPU is recorded as graphs: a value of several sections.
#pragma once

#include "config/schema.h"

namespace heed::config {

HEED_ENUM(Graphs, (auto_, "Recorded where that is possible."),
          (off, "Each operation is launched on its own."))

}  // namespace heed::config
