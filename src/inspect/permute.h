// How far the output moves when one head's weights are exchanged at random (Jain and Wallace 2019,
// section 4.2.1): if it hardly does, the weights explain little.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "decode/translator.h"
#include "model/model.h"
#include "study/faithful.h"

namespace heed::inspect {

/// Permutes each row of this head's weights by itself, at every call into other orders: recurrent
/// models call it for each step. The same `seed` gives the same orders again.
model::Exchange permuting(int64_t of_layer, int64_t of_head, uint64_t seed);

/// One list per line of `sources`, in order, as attention_maps(): every layer and head of
/// cross-attention by itself, each row of its weights permuted over the source pieces `draws`
/// times. Empty for a blank line and for a model that does not attend.
std::vector<std::vector<study::PermutedHead>> permuted_outputs(
    decode::Translator& translator, const std::vector<std::string>& sources,
    const std::optional<std::vector<std::string>>& targets, int64_t draws, int64_t first_line = 1);

}  // namespace heed::inspect
