// Attention of a model that reads pairs of lines (decode/search/reading.h), as tables and pages
// show it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "config/attention_kind.h"
#include "data/batch.h"
#include "decode/search/batches.h"
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

/// How many copies of a pair are read together: a bound on memory, which holds their [target,
/// vocab].
inline int64_t copies_at_once(const data::Example& pair) {
  const int64_t length = decode::padded_length(std::ssize(pair.source), std::ssize(pair.target));
  return std::max<int64_t>(1, 1024 / (length + 1));
}

/// Sets AttentionMatrix::softmax of a model's matrices, for the page. A mean over several heads is
/// none.
void mark_softmax(std::vector<study::AttentionMatrix>& matrices, const model::ModelConfig& config);

using Matrices = std::vector<study::AttentionMatrix>;

struct Shape {
  bool words = false, with_signs = false, drop_eos = false;
};

/// Of pieces: whether a word has several of them.
bool has_long_words(const study::AttentionMatrix& matrix);

/// As the tables have them.
Matrices for_tables(const Matrices& matrices, const Shape& wanted);

/// Without signs, and in the other unit, too, where words have several pieces.
Matrices for_page(const Matrices& matrices, const Shape& wanted);

}  // namespace heed::inspect
