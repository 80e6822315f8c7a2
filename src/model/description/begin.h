// With what vector a Transformer's decoder begins.
#pragma once

#include "model/description/config.h"

namespace heed::model {

/// Whether a Transformer's decoder begins with the vector of its first position alone: the word
/// vector of kBegin counts as zero there.
bool begins_with_zeros(const ModelConfig& config);

}  // namespace heed::model
