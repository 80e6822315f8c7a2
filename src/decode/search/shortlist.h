// Lexical shortlists: the target pieces that are likely where a source has some piece. Their file
// has Marian's binary format, which models of the Bergamot project come with:
//
//   u64 magic, checksum, frequent, best, offsets, pieces    (little endian, as all that follows)
//   u64 offset[offsets]: the list of source piece s is piece[offset[s]] to piece[offset[s + 1]]
//   u32 piece[pieces]
//
// A translation has the first `frequent` pieces of the vocabulary, those of the lists of all pieces
// of its source, `</s>` included, and with one vocabulary for both sides these pieces themselves.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/output_product.h"

namespace heed::text {
class Vocabulary;  // text/vocabulary.h
}  // namespace heed::text

namespace heed::decode {

using engine::PieceList;

class Shortlist {
 public:
  /// Of the file's bytes; `name` begins messages. Throws UserError for what is no shortlist, is
  /// damaged, or belongs to other vocabularies.
  Shortlist(std::string_view bytes, const std::string& name, const text::Vocabulary& source,
            const text::Vocabulary& target);

  /// What a translation of these pieces may have, `prefix` included. Ascending.
  PieceList pieces_for(std::span<const int32_t> source, std::span<const int32_t> prefix = {}) const;

 private:
  bool joint_;
  std::vector<char> always_;  // of each target piece: whether each translation may have it
  std::vector<uint64_t> offsets_;
  std::vector<uint32_t> pieces_;
};

/// The bytes of a file with these lists, one for each source piece, of `best` pieces or fewer. That
/// of `</s>` may be longer. What says which vocabularies it belongs to stands in the list of
/// `<pad>`, which no source has: the digits of their checksums.
std::string shortlist_bytes(std::vector<PieceList> lists, int64_t best,
                            const text::Vocabulary& source, const text::Vocabulary& target);

}  // namespace heed::decode
