// A zip archive of files that are stored as they are, which is what .npz files and packages of
// other programs are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/atomic_file.h"

namespace heed::exchange {

/// Writes an archive, file by file. The same files give the same bytes: their time is 1980. Without
/// commit() the old file stays.
class ZipWriter {
 public:
  explicit ZipWriter(const std::string& path) : path_(path), file_(path) {}

  /// Throws UserError where the archive becomes larger than 4 GiB, which readers such as Marian's
  /// do not open.
  void add(const std::string& name, std::string_view bytes);
  void commit();

 private:
  void write(std::string_view bytes);

  std::string path_;
  AtomicFile file_;
  uint64_t written_ = 0;
  std::string directory_;
  uint16_t files_ = 0;
};

}  // namespace heed::exchange
