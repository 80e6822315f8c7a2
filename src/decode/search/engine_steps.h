// The steps of engines: one network, or the mean of several.
#pragma once

#include <memory>
#include <vector>

#include "data/batch.h"
#include "decode/search/search.h"
#include "engine/network.h"

namespace heed::decode {

/// As the other search(), with engines. `sources`: one per network, of the same sentences.
std::vector<std::vector<Hypothesis>> search(
    const std::vector<std::shared_ptr<const engine::Network>>& networks,
    const std::vector<data::Batch>& sources, const SearchOptions& options, int64_t longest,
    const engine::Threads& threads);

}  // namespace heed::decode
