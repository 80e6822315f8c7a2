// Whether work of a GPU is recorded as graphs: a value of several sections.
#pragma once

#include "config/schema.h"

namespace heed::config {

HEED_ENUM(Graphs, auto_, off)

}  // namespace heed::config
