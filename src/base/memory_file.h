// A file in memory, for programs and libraries that read a path.
#pragma once

#include <string>
#include <string_view>

#include "base/descriptor.h"

namespace heed {

/// Programs of the same user open it by its path. It is gone with this process, however that ends.
class MemoryFile {
 public:
  /// `name` is what the system's lists of open files show. Throws std::system_error.
  MemoryFile(const char* name, std::string_view bytes);

  const std::string& path() const { return path_; }

 private:
  Descriptor file_;
  std::string path_;
};

}  // namespace heed
