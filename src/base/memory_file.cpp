#include "base/memory_file.h"

#include <sys/mman.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

namespace heed {

MemoryFile::MemoryFile(const char* name, std::string_view bytes)
    : file_(::memfd_create(name, MFD_CLOEXEC)) {
  if (!file_.open() || !write_all(file_, bytes))
    throw std::system_error(errno, std::generic_category());
  // Not getpid(): /proc may belong to another namespace of processes than this one.
  std::error_code ignored;
  path_ = "/proc/" + std::filesystem::read_symlink("/proc/self", ignored).string() + "/fd/" +
          std::to_string(file_.number());
}

}  // namespace heed
