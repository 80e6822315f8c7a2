#include "base/memory_file.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

namespace heed {

MemoryFile::MemoryFile(const char* name, std::string_view bytes)
    : descriptor_(::memfd_create(name, MFD_CLOEXEC)) {
  int error = descriptor_ < 0 ? errno : 0;
  while (error == 0 && !bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written >= 0)
      bytes.remove_prefix(static_cast<std::size_t>(written));
    else if (errno != EINTR)
      error = errno;
  }
  if (error != 0) {
    if (descriptor_ >= 0) ::close(descriptor_);
    throw std::system_error(error, std::generic_category());
  }
  // Not getpid(): /proc may belong to another namespace of processes than this one.
  std::error_code ignored;
  path_ = "/proc/" + std::filesystem::read_symlink("/proc/self", ignored).string() + "/fd/" +
          std::to_string(descriptor_);
}

MemoryFile::~MemoryFile() {
  ::close(descriptor_);
}

}  // namespace heed
