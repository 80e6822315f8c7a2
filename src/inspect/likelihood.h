// The log-probabilities that a model gives to pairs.
#pragma once

#include <string>
#include <vector>

#include "decode/translator.h"

namespace heed::inspect {

/// -log P per piece of each target, `</s>` counted, given its source; 0 of pairs of which a side is
/// longer than Translator::pair_limit().
std::vector<double> nats_per_piece(decode::Translator& translator,
                                   const std::vector<std::string>& sources,
                                   const std::vector<std::string>& targets);

}  // namespace heed::inspect
