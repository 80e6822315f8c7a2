// The input of `heed translate`: lines, and the prefixes that their translations begin with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "text/lines.h"

namespace heed::decode {

struct InputChunk {
  int64_t first = 1;                  // number of its first line, from 1
  std::vector<std::string> lines;     // source text
  std::vector<std::string> prefixes;  // one for each line, or none at all
};

struct InputOptions {
  std::string file = "-";               // "-": standard input
  std::vector<std::string> texts = {};  // their lines are translated in place of the file
  std::string prefix_file = {};         // has a prefix for each line; "": there is none
  bool prefix_column = false;           // a line may have a tab and a prefix after its source text
  bool markup = false;                  // lines with tags are expected
};

class Input {
 public:
  explicit Input(const InputOptions& options);

  /// Waits for a line and then takes the lines that are already there, at most `most`. So a program
  /// that sends one line at a time gets each answer before it sends the next line, and a file comes
  /// in chunks of `most` lines, or of fewer long ones. Returns an empty chunk at the end. Throws
  /// UserError that names the line where a prefix is missing or a column too many. Warns once of
  /// text that training would refuse because it is not UTF-8 or not text at all (text/no_text.h),
  /// of documents that are read line by line, and of pairs that are read as sources. A pointer of
  /// Git LFS is refused.
  InputChunk next(std::size_t most);

  /// Whether somebody types the lines at a terminal and sees standard error. Then "> " is shown
  /// there before each wait.
  bool is_typed() const { return is_typed_; }
  /// Returns the number of lines; 0 where it cannot be known before they are read. Reads a file to
  /// its end.
  int64_t count() const;

  /// Skips `count` lines and their prefixes. Throws UserError where there are fewer.
  void skip(int64_t count);

 private:
  void add(const std::string& line, InputChunk& chunk);
  void warn_of_documents(const InputChunk& chunk);
  void finish();

  // It comes first, because the prompt is shown before lines_ waits for its first bytes.
  bool is_typed_;
  bool is_given_;  // InputOptions::texts
  text::LineReader lines_;
  std::optional<text::LineReader> prefixes_;
  bool prefix_column_;
  bool warns_of_tabs_, warns_of_documents_, told_of_encoding_ = false;
};

}  // namespace heed::decode
