// The bytes of a file after decompression: plain, gzip or zstd. Inside text/ only.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

namespace heed::text {

/// What went wrong with the bytes; the reader adds file and line.
class BadBytes : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The system could not read, whatever the bytes are.
class UnreadBytes : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Puts up to `size` bytes at `out`; 0 only at the end. Throws BadBytes.
  virtual std::size_t read(char* out, std::size_t size) = 0;
  /// Whether read() would not wait, now or within so many milliseconds.
  virtual bool ready(int /*milliseconds*/) { return true; }
  /// The shell's program that unpacks it; "" where it is not compressed.
  virtual const char* unpacked_by() const { return ""; }
};

/// What messages call `path`: "stdin" where it is "-".
std::string shown_name(const std::string& path);

/// The shell command that makes a file in UTF-8 of `path` in another encoding; "OLD" is what it
/// calls stdin. `unpacked_by`: see ByteSource.
std::string command_to_convert(const std::string& path, const std::string& encoding,
                               const std::string& unpacked_by = "");

/// Opens `path` ("-": stdin) and looks at its first bytes. Throws UserError where it cannot be
/// opened, BadBytes where its first bytes cannot be read or are of an unknown archive or UTF-16.
std::unique_ptr<ByteSource> open_bytes(const std::string& path);

/// Does `work`. Throws UserError and Failure of what goes wrong with bytes, told behind `where`.
void telling(const std::string& where, const std::function<void()>& work);

}  // namespace heed::text
