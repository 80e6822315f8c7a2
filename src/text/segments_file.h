// SentencePiece files made of the parts of other tokenizers.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace heed::text {

struct SegmentsParts {
  bool is_bpe = true;  // else unigram
  /// Pieces of text, each with its score: of BPE a merge with a higher score comes first, of
  /// unigram it is a log-probability.
  std::vector<std::pair<std::string, float>> pieces;
  std::string unknown = "<unk>";
  std::string charsmap;  // the table of SentencePiece's normaliser; empty: it changes nothing
};

/// The bytes of a SentencePiece file with the ids of fairseq: unknown, <s>, </s> and the pieces.
std::string segments_file(const SegmentsParts& parts);

}  // namespace heed::text
