// Attention of a model that reads pairs of lines (decode/search/reading.h), as tables and pages
// show it.
#pragma once

#include <cstdint>
#include <vector>

#include "config/attention_kind.h"
#include "decode/search/reading.h"
#include "model/description/config.h"
#include "study/attention_matrix.h"

namespace heed::inspect {

using config::AttentionKind;
using decode::attention_maps;
using decode::AttentionRequest;
using decode::kEvery;
using decode::kLastLayer;
using decode::kMeanOfHeads;
using decode::names_of;
using decode::Reading;
using decode::readings_of;
using study::AttendedSentence;

/// Sets AttentionMatrix::softmax of a model's matrices, for the page. A mean over several heads is
/// none.
void mark_softmax(std::vector<study::AttentionMatrix>& matrices, const model::ModelConfig& config);

using Matrices = std::vector<study::AttentionMatrix>;

struct Shape {
  bool words = false, with_signs = false, drop_eos = false;
};

/// Whether a word of a matrix of pieces has several pieces.
bool has_long_words(const study::AttentionMatrix& matrix);

/// Returns the matrices in the form that tables have.
Matrices for_tables(const Matrices& matrices, const Shape& form);

/// Returns the matrices without signs, and in the other unit, too, where words have several pieces.
Matrices for_page(const Matrices& matrices, const Shape& form);

}  // namespace heed::inspect
