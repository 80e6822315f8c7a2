// Lines out of plain, gzip and zstd files, one at a time and always clean; and files that can be
// read only once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace heed::text {

class ByteSource;

/// Cleans a line before anything else sees it: one carriage return at the end and byte order marks
/// (U+FEFF) go; bytes that are no UTF-8 become U+FFFD; NUL becomes a space. Nothing else changes.
std::string clean_line(std::string_view raw);

/// Counts of what in a file is not text in UTF-8.
struct Encoding {
  int64_t beyond_ascii = 0;    // lines with bytes beyond ASCII
  int64_t repaired = 0;        // lines with bytes that are not UTF-8, or with NUL
  int64_t first_repaired = 0;  // number of the first of these, 0 where there is none
  int64_t with_nul = 0;        // among the repaired
  int64_t not_utf8 = 0;        // among the repaired; a line may also have NUL
  int64_t inner_returns = 0;   // carriage returns inside lines, not at their ends
  int64_t bytes = 0;           // of all lines with their ends
  int64_t nuls[2] = {};        // NUL at even and at odd bytes, counted from 0
  bool has_mark = false;       // the first line begins with the byte order mark of UTF-16
};

/// How LineReader treats a line of more than 4 MiB, and a file that does not begin like text.
enum class LongLines {
  refuse,
  cut,  // cut lines to at most 4 MiB of whole characters; and read a file of tags
};

/// Streams the lines of a file. Compression is recognised by the first bytes, not by the name.
/// Holds one line and a buffer in memory, however long the file.
class LineReader {
 public:
  /// `path` "-" is stdin. Throws UserError where the file cannot be opened, is an archive of a kind
  /// that heed does not read, or begins with the byte order mark of UTF-16 or UTF-32.
  explicit LineReader(const std::string& path, LongLines long_lines = LongLines::refuse);
  /// The lines of `text`, which messages call `name`.
  LineReader(std::string text, const std::string& name, LongLines long_lines);
  ~LineReader();
  LineReader(LineReader&&) noexcept;
  LineReader& operator=(LineReader&&) noexcept;

  /// Puts the next line, cleaned, into `line`; false at the end. A last line needs no line feed,
  /// and a line feed at the end makes no line of its own. From a terminal or pipe, a line comes as
  /// soon as it is complete. Throws UserError naming file and line where reading fails, an archive
  /// is cut off or damaged, a line is longer than 4 MiB and not to be cut, or the first line shows
  /// that the file is not text (text/no_text.h): a pointer of Git LFS, or tags that are not to be
  /// read.
  bool next(std::string& line);

  /// Whether next() would not wait: a line is complete, or the end is reached. Waits at most
  /// `milliseconds` for that. Files are always ready, and so is what has to be decompressed.
  bool ready(int milliseconds = 0);

  /// Number of the line that next() gave last, from 1; 0 before the first.
  int64_t line_number() const { return line_number_; }
  /// Whether that line was cut.
  bool was_cut() const { return was_cut_; }
  /// Whether that line had no line feed, like the last line of a file that was cut off.
  bool was_open() const { return was_open_; }
  /// A sentence that says what the file is instead of text, with its name and the cure; "" where it
  /// is text, and before the first line.
  const std::string& no_text() const { return no_text_; }
  const std::string& path() const { return path_; }
  std::string name() const;  // the path, or "stdin"
  /// The counts for the lines read so far.
  const Encoding& encoding() const { return encoding_; }
  /// The shell command that sends this file through `program`, which reads standard input, into a
  /// new file. That of a table has the ending .tsv, by which it is read as one.
  std::string command_through(const std::string& program, bool makes_table = false) const;
  /// The shell command that writes this file, which is in another encoding, to a new file in UTF-8.
  std::string command_to_convert(const std::string& encoding) const;

 private:
  bool fill();
  bool find_end();
  void refuse_unless_cut() const;
  void look_for_text();
  std::string path_, no_text_;
  LongLines long_lines_;
  std::unique_ptr<ByteSource> bytes_;  // decompressed
  std::string buffer_;
  std::size_t start_ = 0;    // where the next line begins in buffer_
  std::size_t scanned_ = 0;  // no line feed in [start_, scanned_)
  bool ended_ = false, was_cut_ = false, was_open_ = false;
  int64_t line_number_ = 0;
  Encoding encoding_;
};

/// The message, with the cure, for a file that is not UTF-8 or has other line ends; nothing for a
/// sound file. It looks at the lines read so far. The file is not UTF-8 where at least ten of them,
/// and more than half of those with bytes beyond ASCII, are broken. (Fewer are accidents, and are
/// repaired.) It is likely UTF-16 where at least ten lines, and more than half of all, have NUL.
/// Carriage returns alone end its lines where there are more of them inside lines than there are
/// lines, or some in the only line.
std::optional<std::string> encoding_flaw(const LineReader& reader);

/// The message, with the cure, for a whole document in another encoding than UTF-8: more than half
/// of its lines with bytes beyond ASCII are broken, however few they are, more than half of all
/// have NUL, or it begins with the byte order mark of UTF-16 or UTF-32. Nothing for a sound
/// document and for one with accidents. `unpacked_by`: see ByteSource.
std::optional<std::string> encoding_flaw(std::string_view document, const std::string& path,
                                         const std::string& unpacked_by);

/// Throws UserError with the message of encoding_flaw(), if there is one.
void require_utf8(const LineReader& reader);

/// Returns the number of lines of a file; reads it all.
int64_t count_lines(const std::string& path);

/// Whether `path` is stdin ("-"), a descriptor (/dev/fd/N), a FIFO, a device or another file whose
/// lines are gone once they are read. False where there is no such file.
bool is_stream(const std::string& path);

}  // namespace heed::text
