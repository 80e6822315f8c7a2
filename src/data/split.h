// Validation and test pairs taken out of a corpus, those with the smallest hashes of their text:
// the same ones again however the corpus is sorted, and nearly the same ones when it has grown.
// First come pairs whose sides are in no other pair: training loses nothing with them.
#pragma once

#include <cstdint>

#include "data/config.h"
#include "text/script.h"

namespace heed::data {

/// What a corpus is like, at one reading.
struct CorpusShape {
  int64_t pairs = 0;                                // without blank ones
  int64_t blank = 0;                                // with a blank side
  int64_t identical = 0;                            // of `pairs`, with two equal sides
  int64_t source_words = 0, target_words = 0;       // text::count_words()
  int64_t target_letters = 0;                       // code points other than blanks
  int64_t longest = 0;                              // words, of either side
  int64_t source_types = 0, target_types = 0;       // different texts between blanks
  int64_t characters = 0;                           // different ones, of both sides
  text::Script source_script = text::Script::none;  // of most lines
  text::Script target_script = text::Script::none;
};

/// Throws as PairReader, and as signals::stop_if_interrupted().
CorpusShape shape_of(const CorpusFiles& files);

struct SplitFiles {
  CorpusFiles train, valid, test;  // paths to write; a part of 0 pairs is not written
};

struct SplitCounts {
  int64_t train = 0, valid = 0, test = 0;
  int64_t left_out = 0;  // that stand in validation or test already
  int64_t overlap = 0;   // of training, with a side that is in validation or test
};

/// So many different pairs are held out, each once; what is equal to one of them is left out of
/// training. Blank pairs are left out. Reads the corpus three times. Throws as PairReader and
/// signals::stop_if_interrupted(), UserError where nothing is left for training, and Failure where
/// a file cannot be written. `pairs`: how many the corpus has, with blank ones, for the progress
/// line; 0: it is not known.
SplitCounts split(const CorpusFiles& files, int64_t valid, int64_t test, const SplitFiles& to,
                  int64_t pairs = 0);

}  // namespace heed::data
