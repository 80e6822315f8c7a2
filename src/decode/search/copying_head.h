// The attention of a Transformer that links words, found without text in its languages.
#pragma once

#include "decode/search/line_translator.h"
#include "study/alignment.h"

namespace heed::decode {

/// Returns the layer, head and step of the translator's first model whose weights link words best,
/// by a probe: the model reads lines of numbers, and as their translations the same numbers in
/// another order, in which no head finds them that attends to a place. Heads that link copied words
/// link others, too; each of the other heads finds hardly any number. Where no head finds most of
/// them, as in a model that copies no numbers, returns `usual`. The model has cross-attention.
study::AlignmentChoice copying_head(const LineTranslator& translator,
                                    const study::AlignmentChoice& usual);

}  // namespace heed::decode
