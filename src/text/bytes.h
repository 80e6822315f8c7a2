// The bytes of a file after decompression: plain, gzip or zstd. Inside text/ only.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace heed::text {

/// The error where bytes are damaged or of an unknown kind; the reader adds file and line.
class BadBytes : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The error where the system cannot read, whatever the bytes are.
class UnreadBytes : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Puts up to `size` bytes at `out`; 0 only at the end. Throws BadBytes.
  virtual std::size_t read(char* out, std::size_t size) = 0;
  /// Whether read() would return without waiting, now or within this many milliseconds.
  virtual bool ready(int /*milliseconds*/) { return true; }
  /// The program that unpacks the file in a shell; "" where the file is not compressed.
  virtual const char* unpacked_by() const { return ""; }
};

/// The name of `path` in messages: "stdin" where it is "-".
std::string shown_name(const std::string& path);

/// Whether the path ends so, also before .gz or .zst.
bool has_ending(std::string_view path, std::string_view ending);

/// The name of a new file in commands of messages, which is made of `path`: NEW, or NEW.tsv where
/// the path ends in .tsv, for this says that a line has both sides.
std::string new_name_for(std::string_view path);

/// The shell command that writes `path`, which is in another encoding, to a new file in UTF-8;
/// stdin is called "OLD" in it. `unpacked_by`: see ByteSource.
std::string command_to_convert(const std::string& path, const std::string& encoding,
                               const std::string& unpacked_by = "");

/// Opens `path` ("-": stdin; `memory.tmx#de`: the lines of a side, text/tmx_lines.h) and looks at
/// its first bytes. Throws UserError where it cannot be
/// opened, BadBytes where its first bytes cannot be read or are of an unknown archive, or of
/// UTF-16 or UTF-32.
std::unique_ptr<ByteSource> open_bytes(const std::string& path);

/// Does `work`. Turns BadBytes into UserError and UnreadBytes into Failure; the message begins with
/// `where`.
void telling(const std::string& where, const std::function<void()>& work);

}  // namespace heed::text
