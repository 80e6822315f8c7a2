// Zip archives in memory, also of more than 4 GiB (Zip64).
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "exchange/package.h"

namespace heed::exchange {

class ZipArchive {
 public:
  struct Entry {
    uint64_t begin, packed, size;  // bytes before its header; of its data here, and unpacked
    uint32_t checksum;
    uint16_t method, flags;
  };

  /// `name` begins messages. Throws UserError where it is no zip archive, is truncated, or would
  /// unpack to far more than it holds.
  ZipArchive(Bytes file, std::string name);

  /// The files, without folders, by their names, which may be any bytes.
  const std::map<std::string, Entry>& files() const { return files_; }
  /// The bytes of a file, which are not copied if they are stored uncompressed. Throws UserError
  /// where there is no such file, it is damaged or encrypted, or compressed otherwise than by
  /// deflate.
  Bytes read(const std::string& file) const;

 private:
  Bytes file_;
  std::string name_;
  std::map<std::string, Entry> files_;
};

}  // namespace heed::exchange
