// The steps of decoding one batch with a recurrent network.
#pragma once

#include <memory>

#include "engine/recurrent.h"

namespace heed::engine {

/// Encodes. `weights` and `threads` must outlive it.
std::unique_ptr<BatchDecoder> start_recurrent(const RecurrentWeights& weights,
                                              const SourceBatch& source, const Threads& threads);

}  // namespace heed::engine
