// The numbers that an engine computes at each step while it reads one sentence and its translation.
#pragma once

#include <cstdint>
#include <span>

#include "decode/search/line_translator.h"
#include "decode/search/reading.h"
#include "model/description/config.h"
#include "study/decoding_steps.h"
#include "text/vocabulary.h"

namespace heed::decode {

/// Returns a head of a model with its kind, layer and number, its normaliser and the effect of
/// positions, but without numbers.
study::WorkedHead head_without_numbers(AttentionKind kind, int64_t layer, int64_t head,
                                       const model::ModelConfig& config);

/// Returns the steps of a line's sentence, without heads and outputs.
study::DecodingSteps steps_without_numbers(const Reading& reading, int64_t line,
                                           const model::ModelConfig& config);

/// Adds the output of a step: the likeliest pieces by `logits`, which has one number for each piece
/// of the vocabulary, and how likely `next` is, the piece that is read next.
void add_output(std::span<const float> logits, int64_t next, const text::Vocabulary& vocabulary,
                study::DecodingSteps& out);

/// Returns the steps of all heads of the translator's first model, which must attend and have an
/// engine. `config` is the configuration of this model.
study::DecodingSteps decoding_steps(const LineTranslator& translator,
                                    const model::ModelConfig& config, const Reading& reading);

}  // namespace heed::decode
