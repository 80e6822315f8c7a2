// Two line-aligned files, read together, or one with both sides.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/alignment.h"
#include "data/config.h"
#include "data/line_facts.h"
#include "text/lines.h"

namespace heed::data {

struct PairOfLines {
  int64_t number = 0;  // from 1
  std::string source, target;
  std::vector<PieceLink> links;  // of words
};

PairFacts facts_of(const PairOfLines& lines);

class PairReader {
 public:
  /// `aligned`: with the links of the corpus, where it has any. Throws UserError where a file is
  /// missing.
  explicit PairReader(const CorpusFiles& files, bool aligned = false);

  /// False at the end of both. Throws UserError where one file ends before the other, where both
  /// are empty, where one is mostly not UTF-8 (text::require_utf8), where a line of a file with
  /// both sides has not just these (text::columns_of), and where a file is none of text
  /// (no_corpus()); and for its alignment as AlignmentReader.
  bool next(PairOfLines& pair);

  /// The next 32768 pairs, or fewer where they are long; none at the end. Throws as next().
  std::vector<PairOfLines> block();

  /// Says in the log how many lines so far were not UTF-8, if any, and whether the last one has no
  /// line feed.
  void warn_of_damage() const;

 private:
  [[noreturn]] void mismatch();
  void refuse_what_is_no_corpus(const PairOfLines& first) const;
  std::vector<const text::LineReader*> readers() const;
  text::LineReader source_;  // of both sides where there is no other
  std::optional<text::LineReader> target_;
  std::optional<AlignmentReader> alignment_;
  std::string line_;
};

}  // namespace heed::data
