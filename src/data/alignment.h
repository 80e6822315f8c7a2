// Word alignments of a training corpus: a file in the Pharaoh format, a line for each pair.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/links.h"
#include "text/lines.h"

namespace heed::data {

/// An alignment file, read beside the lines of its corpus.
class AlignmentReader {
 public:
  /// Throws UserError where the file is missing.
  explicit AlignmentReader(const std::string& path);

  /// The links of the next pair. `source` and `target` are its raw lines. Throws UserError naming
  /// file and line for a malformed line and for a word that a side does not have. After the last
  /// line there are no links.
  std::vector<PieceLink> next(std::string_view source, std::string_view target);

  /// Throws UserError unless there were as many lines as pairs.
  void end(int64_t pairs);

 private:
  text::LineReader reader_;
  std::string line_;
  bool ended_ = false;
};

}  // namespace heed::data
