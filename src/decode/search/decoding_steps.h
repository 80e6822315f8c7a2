// What an engine computes at each step while it reads one sentence and its translation, in numbers.
#pragma once

#include <cstdint>
#include <span>

#include "decode/search/line_translator.h"
#include "decode/search/reading.h"
#include "model/description/config.h"
#include "study/decoding_steps.h"
#include "text/vocabulary.h"

namespace heed::decode {

/// Place, normaliser and what positions do, of a head of a model.
study::WorkedHead head_without_numbers(AttentionKind kind, int64_t layer, int64_t head,
                                       const model::ModelConfig& config);

/// The sentence of a line, without heads and outputs.
study::DecodingSteps steps_without_numbers(const Reading& reading, int64_t line,
                                           const model::ModelConfig& config);

/// Adds the likeliest pieces of a step by the logits of all, and how likely the one that is read
/// next is.
void add_output(std::span<const float> logits, int64_t next, const text::Vocabulary& vocabulary,
                study::DecodingSteps& out);

/// Of all heads of the first member, which must attend and have an engine. `config` is its own.
study::DecodingSteps decoding_steps(const LineTranslator& translator,
                                    const model::ModelConfig& config, const Reading& reading);

}  // namespace heed::decode
