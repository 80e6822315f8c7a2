// A lexical shortlist, learned from translations.
#pragma once

#include <cstdint>
#include <string>

#include "text/pairs.h"

namespace heed::text {
class Vocabulary;  // text/vocabulary.h
}  // namespace heed::text

namespace heed::decode {

struct ShortlistSize {
  int64_t best = 100;      // pieces of the target for each piece of the source
  int64_t frequent = 100;  // the most frequent ones, which each translation may have
};

/// Returns shortlist_bytes() of the likeliest translations of each piece (study/lexicon.h). Of
/// lines with more than `most` pieces the first `most` count.
std::string learn_shortlist(const text::Pairs& pairs, int64_t most, const ShortlistSize& size,
                            const text::Vocabulary& source, const text::Vocabulary& target);

}  // namespace heed::decode
