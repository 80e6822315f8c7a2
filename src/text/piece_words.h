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

/// Numbers the words of a text, which blanks separate, while its pieces come one by one. A piece
/// belongs to the word that its first letter is in, and one of blanks alone to the word after it.
class WordCounter {
 public:
  /// The word of the next piece, from 0. `surface`: what it adds to the text, with its blanks.
  std::size_t next(std::string_view surface);

  /// The words so far.
  const std::vector<std::string>& words() const { return words_; }

 private:
  std::vector<std::string> words_;
  bool inside_ = false;
};

struct WordsOfPieces {
  std::vector<int32_t> word_of;  // piece -> word; `words` behind the last one
  int64_t words = 0;
};

/// Of the pieces that encode() or sample() gave, all or the first of them. A piece without a name
/// (kUnknown) counts as a letter.
WordsOfPieces words_of(const Vocabulary& vocabulary, const std::vector<int32_t>& ids);

}  // namespace heed::text
