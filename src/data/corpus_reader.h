// Corpora read line by line from two files each, and encoded in blocks on several threads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/scratch.h"
#include "data/config.h"
#include "data/flaws.h"

namespace heed::text {
class Vocabulary;  // text/vocabulary.h
}  // namespace heed::text

namespace heed::data {

class Corpus;  // data/corpus.h

/// Options of reading a corpus.
struct CorpusReading {
  int64_t max_length = 0;                 // pieces on either side; 0 for no limit
  std::string limit = "data.max_length";  // the key that sets it, for messages
  LongSentences long_sentences = LongSentences::drop;
  int64_t max_words = 0;    // between blanks, on either side; 0 for no limit
  bool keep_text = false;   // for subword sampling and noise
  bool aligned = false;     // whether the corpora's alignments are read
  int64_t threads = 1;      // the result does not depend on it
  Cleaning cleaning{};      // which pairs are left out for their flaws
  ScratchFolder scratch{};  // where a large corpus is kept on disk
};

/// Reads and encodes all files. Pairs with a blank side are left out; those longer than max_length
/// are treated as `long_sentences` says. Throws UserError for a missing or empty file, one that is
/// mostly not UTF-8, files of different length, a long pair under `error`, and where no pair is
/// left; and for an alignment what AlignmentReader throws. Where the vocabulary finds other words
/// in a pair than the text has, its links are left out.
Corpus read_corpus(const std::vector<CorpusFiles>& files, const text::Vocabulary& source,
                   const text::Vocabulary& target, const CorpusReading& reading);

}  // namespace heed::data
