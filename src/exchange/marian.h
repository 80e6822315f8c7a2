// Reads Marian's own files: a .npz, in which the options are YAML, and vocabularies.
#pragma once

#include "exchange/foreign_model.h"
#include "exchange/package.h"

namespace heed::exchange {

ForeignModel read_marian(const Package& package, const SegmentFiles& segments);

}  // namespace heed::exchange
