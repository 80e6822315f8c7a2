// A SentencePiece model as the bytes of its file: checks that it is sound, because the library
// trusts its files, and access to parts that its own interface does not offer. Inside text/ only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/piece_rule.h"
#include "text/symbol_cut.h"

namespace heed::text {

/// Whether the parts of a model that SentencePiece uses without a check of its own are sound: the
/// scores of its pieces are finite, and no path through the table of its normalisation (a double
/// array, Aoe 1989) leads out of it.
bool is_sound_model(std::string_view bytes);

/// Types of pieces, with the numbers of sentencepiece_model.proto.
enum class PieceType { normal = 1, unknown, control, user_defined, unused, byte };

/// A piece as the file has it.
struct ModelPiece {
  std::string text;
  float score = 0;
  PieceType type = PieceType::normal;
  /// An extension of heed: text is cut into this piece, which then counts as unknown. It is for
  /// models of programs whose network does not know all pieces of its SentencePiece file.
  bool is_unknown = false;
  /// An extension of heed, too, for unused pieces: a run of characters without a piece that is
  /// spelled like this one is this one. It is for programs that look up by its name what
  /// SentencePiece does not know.
  bool by_name = false;
  /// How the line is cut at a user-defined symbol. In the file a symbol that SentencePiece must not
  /// find is unused.
  SymbolCut cut = {};
};

/// The pieces of a sound model, by id.
std::vector<ModelPiece> pieces_of(std::string_view model);

/// Whether a sound model changes characters of its text before it looks for pieces.
bool changes_characters(std::string_view model);

/// The model with these pieces after its own.
std::string with_pieces(std::string_view model, const std::vector<ModelPiece>& pieces);

/// A sound model with these pieces instead of its own. The first four are pad, unknown, begin and
/// end.
std::string with_other_pieces(std::string_view model, const std::vector<ModelPiece>& pieces);

/// A sound model with its pieces in another order, for programs that read SentencePiece's own
/// files: those of these ids, and for -1 one that no text is cut into. It has no extensions of
/// heed, and says which pieces are pad, unknown, begin and end, or that there are none of them.
std::string plain_model(std::string_view model, const std::vector<int32_t>& order);

/// The rule of a sound model whose text another program cuts: an extension of heed. None: it is
/// SentencePiece's own.
std::optional<PieceRule> rule_of(std::string_view model);

/// A model of these pieces with a rule. The first four are pad, unknown, begin and end.
std::string model_with_rule(const std::vector<ModelPiece>& pieces, const PieceRule& rule);

}  // namespace heed::text
