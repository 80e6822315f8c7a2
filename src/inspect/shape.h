// What becomes of matrices of pieces before they are shown: pieces or words, signs or shares.
#pragma once

#include <vector>

#include "study/attention_matrix.h"

namespace heed::inspect {

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
