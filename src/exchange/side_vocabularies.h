// The vocabularies of another program's model, made of its SentencePiece files and the pieces that
// its network knows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "exchange/foreign_model.h"
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
/// The names of rows without a piece among those of a model that heed exported.
std::vector<std::string> unused_among(const std::vector<std::string>& names);

/// The bytes of a SentencePiece file, and its name in messages.
struct SegmentFile {
  std::string bytes, place;
};

SegmentFile segment_file(const Package& package, const std::string& file);

/// The SentencePiece file that the user has named. Throws UserError where it cannot be read, or is
/// a pointer of Git LFS.
SegmentFile named_file(const std::string& path);

/// Whether most of the pieces are SentencePiece's: without its file no text can be cut into them.
bool are_of_sentencepiece(const std::vector<std::string>& pieces);

/// In place of a SentencePiece file: the program's own pieces, into which another program has cut
/// the text, or into which the words of the text are cut by `codes`, the text of a file of
/// subword-nmt or fastBPE. Messages call it `place`.
SegmentFile file_of_pieces(const text::ForeignPieces& pieces, const std::string& codes,
                           const std::string& place);

/// The text of the file of codes for a side, and "" where the user has named none. Throws UserError
/// where it cannot be read.
std::string codes_of(const SegmentFiles& given, bool target);

/// What heed does with text for a vocabulary of file_of_pieces(), for the user.
std::string note_of_pieces(const std::string& place, bool has_codes);

struct SideVocabularies {
  text::RearrangedVocabulary source, target;
  bool joint = false;  // one file
};

/// The vocabularies of a model with one file for both sides. Throws UserError where the file
/// belongs to another model: much of it and of the network's pieces is not in the other.
SideVocabularies one_vocabulary(const SegmentFile& file, const text::ForeignPieces& pieces);
/// The vocabularies of a model with a file for each side, perhaps the same. `shared`: both have the
/// ids of `source`. Throws UserError where a file belongs to another model.
SideVocabularies two_vocabularies(const SegmentFile& source_file, const SegmentFile& target_file,
                                  const text::ForeignPieces& source,
                                  const text::ForeignPieces& target, bool shared);

}  // namespace heed::exchange
