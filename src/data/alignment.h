// Word alignments of a training corpus: a file in the Pharaoh format, a line for each pair, and
// what its links are in pieces.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/lines.h"
#include "text/vocabulary.h"

namespace heed::data {

/// From 0: of words or of pieces.
struct PieceLink {
  int32_t target = 0, source = 0;
  auto operator<=>(const PieceLink&) const = default;
};

/// Of one line, "0-0 1-2": source word - target word. Each link once, by target, then source.
/// `where` ("train.align:12") begins the message of the UserError that anything else throws.
std::vector<PieceLink> parse_links(std::string_view line, const std::string& where);

/// Each piece of a linked source word with each piece of the target word that it is linked to;
/// words without a piece, as where a sentence was cut, have no links. Each link once, by target,
/// then source.
std::vector<PieceLink> links_of_pieces(const std::vector<PieceLink>& words,
                                       const text::WordsOfPieces& source,
                                       const text::WordsOfPieces& target);

/// An alignment file, read beside the lines of its corpus.
class AlignmentReader {
 public:
  /// Throws UserError where the file is missing.
  explicit AlignmentReader(const std::string& path);

  /// The links of the next pair, whose raw lines are these. Throws UserError naming file and line
  /// for a malformed line and for a word that a side does not have. No links behind the last line.
  std::vector<PieceLink> next(std::string_view source, std::string_view target);

  /// Throws UserError unless there were as many lines as pairs.
  void end(int64_t pairs);

 private:
  text::LineReader reader_;
  std::string line_;
  bool ended_ = false;
};

}  // namespace heed::data
