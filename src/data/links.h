// Links of a word alignment: between words, and between their pieces.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heed::text {
struct WordsOfPieces;  // text/vocabulary.h
}  // namespace heed::text

namespace heed::data {

/// From 0: of words or of pieces.
struct PieceLink {
  int32_t target = 0, source = 0;
  auto operator<=>(const PieceLink&) const = default;
};

/// Of one line, "0-0 1-2": source word - target word. Each link once, by target, then source.
/// `where` ("train.align:12") begins the message of the UserError that anything else throws.
std::vector<PieceLink> parse_links(std::string_view line, const std::string& where);

/// Each piece of a linked source word with each piece of the target word that it is linked to;
/// words without a piece, as where a sentence was cut, have no links. Each link once, by target,
/// then source.
std::vector<PieceLink> links_of_pieces(const std::vector<PieceLink>& words,
                                       const text::WordsOfPieces& source,
                                       const text::WordsOfPieces& target);

}  // namespace heed::data
