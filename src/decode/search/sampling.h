// Drawing the next piece: top-k, nucleus (top-p, Holtzman et al. 2020) and temperature. Torch-free.
#pragma once

#include <cstdint>
#include <span>

#include "base/random.h"
#include "decode/search/config.h"

namespace heed::decode {

/// A generator of its own for each draw of each sentence, so that neither neighbours nor batches
/// matter.
Random sampling_stream(const SamplingConfig& config, uint64_t sentence, uint64_t draw);

/// Index into `log_probabilities`, which need no order; -inf is never drawn. Returns -1 when all
/// are -inf. The top_k likeliest (0: all), of equal ones the first, and of these the fewest that
/// hold top_p of their probability (0: all) take part.
int64_t draw(std::span<const float> log_probabilities, const SamplingConfig& config,
             Random& random);

}  // namespace heed::decode
