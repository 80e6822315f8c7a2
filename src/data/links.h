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

/// A link between words or between pieces, counted from 0.
struct PieceLink {
  int32_t target = 0, source = 0;
  auto operator<=>(const PieceLink&) const = default;
};

/// Reads the links of one line such as "0-0 1-2" (source word - target word). Each link is there
/// once, by target, then source. Any other text throws UserError with a message that begins with
/// `where` ("train.align:12").
std::vector<PieceLink> parse_links(std::string_view line, const std::string& where);

/// Links each piece of a source word with each piece of a target word to which the word is linked.
/// Words without a piece, such as those of a sentence that was cut, have no links. Each link is
/// there once, by target, then source.
std::vector<PieceLink> links_of_pieces(const std::vector<PieceLink>& words,
                                       const text::WordsOfPieces& source,
                                       const text::WordsOfPieces& target);

}  // namespace heed::data
