// Terms in sources (data.terms): some words are followed by their translations, between two
// symbols, so that a model learns to use these (Dinu et al. 2019):
//   "Ein Hund bellt." -> "Ein Hund <term> dog </term> bellt."
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "data/links.h"
#include "data/noise.h"

namespace heed::data {

/// User-defined symbols of the source vocabulary.
inline constexpr const char *kTermBegin = "<term>", *kTermEnd = "</term>";

/// The words followed by their translation: "Hund <term> dog </term>".
std::string with_term(std::string_view words, std::string_view translation);

/// The pair with terms, which `seed` alone decides. `links` are between words of the pair without
/// noise; pair.words says where these are now. A word of four or more letters that is linked to one
/// word only, which has no other link, is followed by its translation with probability `share`; the
/// punctuation after the word comes after the translation. A source without blanks between words
/// gets no terms.
NoisyPair with_terms(NoisyPair pair, std::span<const PieceLink> links, double share, uint64_t seed);

}  // namespace heed::data
