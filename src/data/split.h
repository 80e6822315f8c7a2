// Takes validation and test pairs out of a corpus. It takes those with the smallest hashes of their
// text, which are the same however the corpus is sorted, and nearly the same when it has grown.
// Pairs whose sides are in no other pair come first, because no other pair has to leave the
// training corpus with them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "data/config.h"
#include "data/slips.h"
#include "text/script.h"

namespace heed::data {

/// How long rare words of the target are, from which the pieces of a vocabulary can be estimated.
struct WordLengths {
  static constexpr std::size_t kRanks = 18;
  /// [i]: letters of target words that are not among the 2^i most frequent words of both sides, per
  /// target word; of the first 100,000 pairs. All 0 where nothing is known.
  std::array<double, kRanks> beyond{};

  /// The same beyond any number of words, between two of these.
  double beyond_rank(double words) const;
};

/// The size and content of a corpus, from one reading.
struct CorpusShape {
  int64_t pairs = 0;                                // pairs without a blank side
  int64_t blank = 0;                                // pairs with a blank side
  int64_t identical = 0;                            // those of `pairs` with two equal sides
  int64_t source_words = 0, target_words = 0;       // text::count_words()
  int64_t target_letters = 0;                       // code points other than blanks
  int64_t longest = 0;                              // words, of either side
  int64_t source_types = 0, target_types = 0;       // different texts between blanks
  int64_t characters = 0;                           // different ones of both sides
  text::Script source_script = text::Script::none;  // of most lines
  text::Script target_script = text::Script::none;
  WordLengths target_lengths;
  bool has_header = false;  // the first pair has names of columns
  Slips slips;              // of the lines against each other
};

/// Reads the corpus once. Throws what PairReader and signals::stop_if_interrupted() throw.
CorpusShape shape_of(const CorpusFiles& files);

struct SplitFiles {
  CorpusFiles train, valid, test;  // paths to write; a part of 0 pairs is not written
};

struct SplitCounts {
  int64_t train = 0, valid = 0, test = 0;
  int64_t left_out = 0;  // pairs that equal one in validation or test
  int64_t overlap = 0;   // training pairs with a side that is in validation or test
};

/// Holds out `valid` and `test` different pairs, each once, and leaves pairs that equal one of them
/// out of training. Blank pairs are left out, too. Reads the corpus three times. Throws what
/// PairReader and signals::stop_if_interrupted() throw, UserError where nothing is left for
/// training, and Failure where a file cannot be written. `pairs`: how many the corpus has, with
/// blank ones, for the progress line; 0: it is not known.
SplitCounts split(const CorpusFiles& files, int64_t valid, int64_t test, const SplitFiles& to,
                  int64_t pairs = 0);

}  // namespace heed::data
