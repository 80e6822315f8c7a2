// Which word of a line each piece is part of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/vocabulary.h"

namespace heed::text {

/// A piece's name with blanks for U+2581.
std::string surface_of(const std::string& piece);

struct WordsOfPieces {
  std::vector<int32_t> word_of;  // piece -> word of its first letter; `words` behind the last one
  std::vector<int32_t> last_of;  // piece -> word of its last letter
  int64_t words = 0;             // as text::words_in() has them
};

/// Of the pieces that encode() or sample() gave, all or the first of them. A piece without a name
/// (kUnknown) counts as a letter.
WordsOfPieces words_of(const Vocabulary& vocabulary, const std::vector<int32_t>& ids);

}  // namespace heed::text
