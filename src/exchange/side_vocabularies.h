// The vocabularies of another program's model, made of its SentencePiece files and the pieces that
// its network knows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "exchange/package.h"
#include "text/foreign_pieces.h"
#include "text/symbol_cut.h"

namespace heed::exchange {

/// The languages for which some of `pieces` stand: >>fra<< (OPUS-MT), __fr__ (M2M-100), fra_Latn
/// (NLLB), fr_XX (mBART-50).
std::vector<std::string> languages_among(const std::vector<std::string>& pieces);

/// These languages among `pieces` as symbols.
std::vector<text::ForeignSymbol> language_symbols(const std::vector<std::string>& pieces,
                                                  const text::SymbolCut& cut = {});

/// Makes names and rows equally many. A row without a piece is a part of the softmax: its name is
/// one that no text has, "<unused 7>". Returns these names.
std::vector<std::string> name_rows(std::vector<std::string>& names, int64_t rows);

/// The bytes of a SentencePiece file, and its name in messages.
struct SegmentFile {
  std::string bytes, place;
};

SegmentFile segment_file(const Package& package, const std::string& file);

struct SideVocabularies {
  text::RearrangedVocabulary source, target;
  bool joint = false;  // one file
};

/// The vocabularies of a model with one file for both sides.
SideVocabularies one_vocabulary(const SegmentFile& file, const text::ForeignPieces& pieces);
/// The vocabularies of a model with a file for each side, perhaps the same. `shared`: both have the
/// ids of `source`.
SideVocabularies two_vocabularies(const SegmentFile& source_file, const SegmentFile& target_file,
                                  const text::ForeignPieces& source,
                                  const text::ForeignPieces& target, bool shared);

}  // namespace heed::exchange
