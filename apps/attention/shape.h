// What becomes of matrices of pieces before they are shown: pieces or words, signs or shares.
#pragma once

#include <string>
#include <vector>

#include "study/attention_matrix.h"

namespace heed {

using Matrices = std::vector<study::AttentionMatrix>;

struct Shape {
  bool words = false, with_signs = false, drop_eos = false;
};

/// Whether a --kind is evidence of another sort than attention.
bool is_evidence(const std::string& kind);

/// Of pieces: whether a word has several of them.
bool has_long_words(const study::AttentionMatrix& matrix);

/// As the tables have them.
Matrices for_tables(const Matrices& matrices, const Shape& wanted);

/// Without signs, and in the other unit, too, where words have several pieces.
Matrices for_page(const Matrices& matrices, const Shape& wanted);

}  // namespace heed
