// Lexical shortlists: for each source piece the target pieces that are likely in a translation.
// Their file has Marian's binary format, which models of the Bergamot project come with:
//
//   u64 magic, checksum, frequent, best, offsets, pieces    (little endian, as all that follows)
//   u64 offset[offsets]: the list of source piece s is piece[offset[s]] to piece[offset[s + 1]]
//   u32 piece[pieces]
//
// A translation may have the first `frequent` pieces of the vocabulary, the pieces in the lists of
// all pieces of its source (`</s>` included), and, with one vocabulary for both sides, the pieces
// of the source themselves. A list that is `<pad>` alone, which no translation has, is heed's: no
// translation of this source piece is known, so the translation may have every piece.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/output_product.h"
#include "text/vocabulary.h"

namespace heed::decode {

using engine::PieceList;

/// The list of a source piece whose translations are not known.
inline const PieceList kUnknownTranslations{text::kPad};

/// The lists of a file as they stand there, by the ids of the program that wrote it.
struct ShortlistTable {
  uint64_t frequent = 0;
  std::vector<uint64_t> offsets;  // [source pieces + 1], ascending, from 0 to the number of pieces
  std::vector<uint32_t> pieces;
};

/// Reads the bytes of a file. Throws UserError "NAME: WHAT; CURE" if they are no shortlist, or are
/// damaged, as the checksum says, too.
ShortlistTable read_shortlist(std::string_view bytes, const std::string& name,
                              const std::string& cure);

class Shortlist {
 public:
  /// Reads the bytes of a file; `name` begins messages. Throws UserError if they are no shortlist,
  /// are damaged, or belong to other vocabularies or languages.
  Shortlist(std::string_view bytes, const std::string& name, const text::Vocabulary& source,
            const text::Vocabulary& target);

  /// Whether a translation of `source` may have every piece, because one of its pieces has the list
  /// kUnknownTranslations.
  bool is_open(std::span<const int32_t> source) const;

  /// Returns the pieces that a translation of `source` may have, those of `prefix` included,
  /// ascending.
  PieceList pieces_for(std::span<const int32_t> source, std::span<const int32_t> prefix = {}) const;

 private:
  /// Whether lines or translations begin with other symbols of languages than those that the file
  /// is of.
  bool is_of_other_languages(const text::Vocabulary& source, const text::Vocabulary& target) const;

  bool joint_;
  std::vector<char> always_;  // for each target piece, whether every translation may have it
  std::vector<uint64_t> offsets_;
  std::vector<uint32_t> pieces_;
};

/// Returns the bytes of a file with these lists, one for each source piece, of at most `best`
/// pieces; those of `</s>` and of pieces that are copied may be longer. The list of `<pad>`, which
/// no source has, says which vocabularies the file belongs to: it has the digits of their
/// checksums.
std::string shortlist_bytes(std::vector<PieceList> lists, int64_t best,
                            const text::Vocabulary& source, const text::Vocabulary& target);

}  // namespace heed::decode
