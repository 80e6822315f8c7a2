// A file in memory, for programs and libraries that read a path.
#pragma once

#include <string>
#include <string_view>

namespace heed {

/// Programs of the same user open it by its path. It is gone with this process, however that ends.
class MemoryFile {
 public:
  /// `name` is what the system's lists of open files show. Throws std::system_error.
  MemoryFile(const char* name, std::string_view bytes);
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  const std::string& path() const { return path_; }

 private:
  int descriptor_;
  std::string path_;
};

}  // namespace heed
