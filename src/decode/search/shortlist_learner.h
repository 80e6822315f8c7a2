// A lexical shortlist, learned from translations: those of a corpus, or a model's own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "decode/search/lines_request.h"
#include "decode/search/shortlist.h"
#include "text/pairs.h"
#include "text/vocabulary.h"

namespace heed::decode {

class LineTranslator;  // decode/search/line_translator.h

struct ShortlistSize {
  int64_t best = 100;      // pieces of the target for each piece of the source
  int64_t frequent = 100;  // the most frequent ones, which each translation may have
};

/// Pairs as pieces, without `</s>`: target[i] translates source[i].
struct PiecePairs {
  std::vector<PieceList> source, target;
};

/// Returns the pieces of a corpus. Of lines with more than `most` pieces the first `most` count.
PiecePairs pieces_of(const text::Pairs& pairs, int64_t most, const text::Vocabulary& source,
                     const text::Vocabulary& target);

/// Translates lines by the first model's search without a shortlist, and adds a pair for each
/// hypothesis: all that the beam has, for the search considers more of them than it returns.
/// Returns the warnings of LinesResult.
std::vector<std::string> add_translations(const LineTranslator& translator, LinesRequest request,
                                          const SearchHooks& hooks, PiecePairs& pairs);

/// Returns source texts, each a piece that no pair has: at most `most`, those of lower ids first,
/// which most vocabularies have more often. Pieces of a script that no pair has are left out, and
/// so are symbols and pieces that no text alone is cut into.
std::vector<std::string> unseen_pieces(const PiecePairs& pairs, const text::Vocabulary& source,
                                       int64_t most);

/// Returns shortlist_bytes() of the likeliest translations of each piece (study/lexicon.h). A
/// source piece in no pair has kUnknownTranslations. Every other one has the piece of the same name
/// in the target's vocabulary, or the pieces of its text, too: names are copied. Each translation
/// may have the most frequent pieces, the pieces of bytes, single ASCII digits and punctuation,
/// other ones that are in a pair, and the symbols that translations begin with.
std::string learn_shortlist(PiecePairs pairs, const ShortlistSize& size,
                            const text::Vocabulary& source, const text::Vocabulary& target);

}  // namespace heed::decode
