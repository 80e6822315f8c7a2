// What SentencePiece's own interface does not tell: which pieces a user has defined. Inside text/
// only.
#pragma once

#include <string_view>
#include <vector>

namespace heed::text {

/// As sentencepiece_model.proto numbers them.
enum class PieceType { normal = 1, unknown, control, user_defined, unused, byte };

/// The type of each piece of a serialised model, by id. What follows damage is left out.
std::vector<PieceType> piece_types(std::string_view model);

}  // namespace heed::text
