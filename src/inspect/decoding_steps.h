// The numbers that an attention computes at each step while a model reads a pair.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "decode/translator.h"
#include "inspect/attention_maps.h"
#include "model/description/config.h"
#include "study/decoding_steps.h"

namespace heed::inspect {

/// One per line of `sources` that is not blank, by the translator's first model; without `targets`
/// of its own best translation. Works for a model without attention, too. `request.kinds` that
/// the model does not have are left out, and heads that there are not. Throws UserError as
/// attention_maps(), and where no layer or head is left.
std::vector<study::DecodingSteps> decoding_steps(
    decode::Translator& translator, const model::ModelConfig& config,
    const std::vector<std::string>& sources, const std::optional<std::vector<std::string>>& targets,
    const AttentionRequest& request);

}  // namespace heed::inspect
