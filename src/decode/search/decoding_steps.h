// The numbers that an engine computes at each step while it reads sentences and their translations.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "decode/search/line_translator.h"
#include "decode/search/reading.h"
#include "engine/network.h"
#include "model/description/config.h"
#include "study/decoding_steps.h"
#include "text/vocabulary.h"

namespace heed::decode {

/// Returns the steps of a sentence, with the heads of `request` that the model has; no kinds stand
/// for all of them. `network` is an engine of the model that `config` describes, and `target` its
/// vocabulary. A model without attention has one head, without scores.
study::DecodingSteps decoding_steps(const engine::Network& network, const text::Vocabulary& target,
                                    const model::ModelConfig& config, const Reading& reading,
                                    const AttentionRequest& request = {.kinds = {}});

/// Returns the same for each line of `sources` that is not blank. `network` is an engine of the
/// translator's first model, with any weights; null: the model has none. Without `targets` the
/// model reads its own best translation. Throws UserError as attention_maps(), and where there is
/// no engine, no line to read, or no head of `request`.
std::vector<study::DecodingSteps> decoding_steps(
    const LineTranslator& translator, const engine::Network* network,
    const model::ModelConfig& config, const std::vector<std::string>& sources,
    const std::optional<std::vector<std::string>>& targets, const AttentionRequest& request);

}  // namespace heed::decode
