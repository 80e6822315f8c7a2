// The steps of decoding one batch with a recurrent network.
#pragma once

#include <memory>

#include "engine/recurrent.h"

namespace heed::engine {

/// As Network::start(). `weights` must outlive it.
std::unique_ptr<BatchDecoder> start_recurrent(const RecurrentWeights& weights,
                                              const SourceBatch& source, const Threads& threads,
                                              AttentionMaps* maps);

}  // namespace heed::engine
