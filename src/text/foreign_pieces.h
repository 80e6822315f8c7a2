// Vocabularies of other programs with the ids that heed's have.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/symbol_cut.h"
#include "text/vocabulary.h"

namespace heed::text {

/// How heed treats a piece that the other program's network does not know.
enum class Outside {
  own,     // a piece with an id of its own
  unknown  // a piece with an id, too, but encoding gives kUnknown for it
};

/// A piece that is never made of other text, such as a language, and where the program finds it.
struct ForeignSymbol {
  std::string piece;
  SymbolCut cut = {};
};

/// The pieces of another program by its ids. An empty name: the program has no such piece.
struct ForeignPieces {
  std::vector<std::string> names;
  std::string pad, unknown, begin, end;
  std::vector<ForeignSymbol> symbols;
};

/// Returns all pieces of a SentencePiece file by its own ids, special ones included. Throws
/// UserError that begins with `name` where `model` is no SentencePiece file.
std::vector<std::string> all_pieces(std::string_view model, const std::string& name);

struct RearrangedVocabulary {
  Vocabulary vocabulary;
  /// heed's id -> the program's; -1 for special pieces that the program has not. Pieces `outside`
  /// have the id of `unknown`.
  std::vector<int64_t> foreign_id;
};

/// The pieces into which the SentencePiece file `model` may cut a text, but which the program does
/// not know, in the file's order. Throws UserError that begins with `name` where `model` is no such
/// file.
std::vector<std::string> pieces_outside(const std::string& model, const ForeignPieces& pieces,
                                        const std::string& name);

/// `model` are the bytes of a SentencePiece file, with whose pieces the program segments. The
/// result segments as the program does: pad, unknown, begin and end come first, then the program's
/// pieces in its order, then those `outside`. A piece of the program that is not in the file is
/// marked as unused, unless it is one of the symbols; a run of characters without a piece that is
/// spelled like it is this piece, because the program looks it up by its name. Normaliser and
/// algorithm stay. Two vocabularies with the same `pieces` and `outside` have the same ids. Throws
/// what pieces_outside() throws.
RearrangedVocabulary rearranged(const std::string& model, const ForeignPieces& pieces,
                                const std::vector<std::string>& outside, const std::string& name,
                                Outside as = Outside::own);

/// The vocabulary as a SentencePiece file for another program, with its pieces in another order:
/// those of these ids, and for -1 one that no text is cut into. Throws UserError that begins with
/// `name` where it has what SentencePiece's own files cannot say: pieces that another program cuts,
/// symbols that lines are cut at, and pieces that are looked up by their names.
std::string sentencepiece_file(const Vocabulary& vocabulary, const std::vector<int32_t>& order,
                               const std::string& name);

}  // namespace heed::text
