// The destination of translations: a file or standard output.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/descriptor.h"

namespace heed {

/// Standard output, or a file that can be continued.
class Destination {
 public:
  /// `file`: "" and "-" are standard output. Waits for a reader where it is a pipe with a name. An
  /// unfinished file is continued with `resume`. Throws UserError where it has lines and is not to
  /// be continued, where it is no regular file and is to be, and where another process writes it.
  Destination(std::string file, bool resume);

  /// Whether the lines go into a regular file, so that nobody reads them meanwhile.
  bool is_file() const;
  /// Returns the number of whole lines that the file had.
  int64_t lines() const { return lines_; }
  /// Removes the incomplete line after them. It is called before the first write().
  void cut_to_whole_lines();
  /// Whole lines. They are in the file, or on their way through the pipe, when this returns. Throws
  /// Failure where they cannot be written.
  void write(std::string_view lines);

 private:
  void count_lines();
  [[noreturn]] void fail(int error) const;

  std::string file_;
  Descriptor descriptor_;                     // none: standard output
  int64_t lines_ = 0, size_ = 0, whole_ = 0;  // bytes, and those of the whole lines
};

}  // namespace heed
