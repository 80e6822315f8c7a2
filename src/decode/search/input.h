// What there is to translate: lines, and what their translations begin with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "text/lines.h"

namespace heed::decode {

struct InputWindow {
  int64_t first = 1;                  // number of its first line, from 1
  std::vector<std::string> lines;     // source text
  std::vector<std::string> prefixes;  // one a line, or none at all
};

class Input {
 public:
  /// `file`: "-" is standard input. `prefix_file`: a prefix a line, or "". `tsv`: a line may have a
  /// tab and a prefix behind its source text. `markup`: lines with tags are expected.
  Input(const std::string& file, const std::string& prefix_file, bool tsv, bool markup = false);

  /// Waits for a line, then takes those that are there, `most` in all: who feeds heed line by line
  /// gets each answer before the next question, and a file comes in windows of `most`, or of fewer
  /// long lines. Empty at the end. Throws UserError that names the line where a prefix is missing
  /// or a column too many. Warns once of text that training would refuse as not UTF-8 or as none of
  /// lines (text/no_text.h), and of pairs that are read as sources. A pointer of Git LFS is
  /// refused.
  InputWindow next(std::size_t most);

  /// Somebody types the lines, and sees what stderr says: "> " stands there before each wait.
  bool is_typed() const { return is_typed_; }
  /// How many lines there are; 0 where that cannot be known before. Reads a file to its end.
  int64_t count() const;

  /// Passes over lines, and their prefixes. Throws UserError where there are fewer.
  void skip(int64_t count);

 private:
  void add(const std::string& line, InputWindow& window);
  void finish();

  bool is_typed_;  // comes first: it is said before lines_ waits for its first bytes
  text::LineReader lines_;
  std::optional<text::LineReader> prefixes_;
  bool tsv_;
  bool warns_of_tabs_, warns_of_markup_, told_of_encoding_ = false;
};

}  // namespace heed::decode
