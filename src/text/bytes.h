// The bytes of a file after decompression: plain, gzip or zstd. Inside text/ only.
#pragma once

#include <cstddef>
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
};

/// What messages call `path`: "stdin" where it is "-".
std::string shown_name(const std::string& path);

/// What a command that converts `path` calls it: "OLD" where it is stdin.
std::string name_to_convert(const std::string& path);

/// Opens `path` ("-": stdin) and looks at its first bytes. Throws UserError where it cannot be
/// opened, BadBytes where its first bytes cannot be read or are of an unknown archive or UTF-16.
std::unique_ptr<ByteSource> open_bytes(const std::string& path);

}  // namespace heed::text
