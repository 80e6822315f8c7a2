#include "text/piece_words.h"

#include "text/vocabulary.h"
#include "text/words.h"

namespace heed::text {
std::string surface_of(const std::string& piece) {
  std::string out;
  for (std::size_t i = 0; i < piece.size();) {
    const bool blank = std::string_view(piece).substr(i).starts_with(kWordStart);
    out += blank ? ' ' : piece[i];
    i += blank ? kWordStart.size() : 1;
  }
  return out;
}

WordsOfPieces words_of(const Vocabulary& vocabulary, const std::vector<int32_t>& ids) {
  std::vector<std::string> surfaces;
  surfaces.reserve(ids.size());
  for (const int32_t id : ids)
    surfaces.push_back(id == kUnknown ? "?" : surface_of(vocabulary.piece(id)));
  const WordsOfParts found = words_of_parts(surfaces);
  return {{found.first.begin(), found.first.end()},
          {found.last.begin(), found.last.end()},
          std::ssize(found.words)};
}

}  // namespace heed::text
