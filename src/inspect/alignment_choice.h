// How links of words are read from a file, and from a model unless somebody says otherwise.
// Torch-free.
#pragma once

#include <cstdint>

#include "model/description/traits.h"
#include "study/alignment_sweep.h"

namespace heed::inspect {

/// How files of gold alignments write their links.
struct GoldForm {
  bool swapped = false;    // target-source instead of source-target
  bool one_based = false;  // the first word of a sentence is 1, not 0
};

/// -1, the mean over the heads that are left in a layer of cross-attention; 0 where it has but one,
/// for study::AlignmentSweep has no mean there.
int64_t mean_head_of(const model::Traits& traits, int64_t layer);

/// Where an alignment is taken from if nothing has taught a head to align and nobody says
/// otherwise: the step that emits the word, of the layer before the last (Garg et al. 2019,
/// "Jointly learning to align and translate with Transformer models"), or the only one, and
/// mean_head_of() it.
study::AlignmentChoice usual_choice(const model::Traits& traits);

}  // namespace heed::inspect
