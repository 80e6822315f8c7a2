// Terms in sources (data.terms): behind some words stand their translations, between two symbols,
// so that a model learns to use what stands there (Dinu et al. 2019):
//   "Ein Hund bellt." -> "Ein Hund <term> dog </term> bellt."
// No Torch here.
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

/// "Hund <term> dog </term>"
std::string with_term(std::string_view words, std::string_view translation);

/// The pair with terms, which `seed` alone decides. `links` are of words, of the pair before it had
/// noise: pair.words says where its words are now. Each word of four or more letters that is linked
/// to one word only, which has no other link, has so with probability `share`; the punctuation
/// behind it comes behind its translation. A source without blanks between words has none.
NoisyPair with_terms(NoisyPair pair, std::span<const PieceLink> links, double share, uint64_t seed);

}  // namespace heed::data
