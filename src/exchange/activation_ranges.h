// The largest numbers that a student of Marian multiplies its matrices with.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "exchange/marian_network.h"
#include "model/description/config.h"

namespace heed::exchange {

/// A pair of lines by Marian's ids, each with </s> at its end.
struct IdPair {
  std::vector<int64_t> source, target;
};

/// For each matrix of the network, by its name, the largest absolute value of what it is multiplied
/// with while the network reads these pairs; of the output layer as "Wemb", and as "none", which is
/// its name with a shortlist. The network must have nothing missing_in_bergamot().
std::map<std::string, float> largest_inputs(const MarianNetwork& network,
                                            const model::ModelConfig& config,
                                            const std::vector<IdPair>& pairs);

}  // namespace heed::exchange
