#include "base/descriptor.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

namespace heed {

int Descriptor::close() {
  return open() ? ::close(std::exchange(number_, -1)) : 0;
}

bool write_all(const Descriptor& file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file.number(), bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

Mapping::Mapping(const Descriptor& file, std::size_t size, Access access) {
  const int protection = access == Access::read ? PROT_READ : PROT_READ | PROT_WRITE;
  const int sharing = !file.open()             ? MAP_PRIVATE | MAP_ANONYMOUS
                      : access == Access::copy ? MAP_PRIVATE
                                               : MAP_SHARED;
  void* const map = ::mmap(nullptr, size, protection, sharing, file.number(), 0);
  data_ = {map == MAP_FAILED ? nullptr : static_cast<char*>(map), Unmap{size}};
}

void Mapping::Unmap::operator()(char* data) const {
  ::munmap(data, size);
}

MemoryFile::MemoryFile(const char* name, std::string_view bytes)
    : file_(::memfd_create(name, MFD_CLOEXEC)) {
  if (!file_.open() || !write_all(file_, bytes))
    throw std::system_error(errno, std::generic_category());
  // The link is read instead of getpid(), because /proc may belong to another namespace of
  // processes.
  std::error_code ignored;
  path_ = "/proc/" + std::filesystem::read_symlink("/proc/self", ignored).string() + "/fd/" +
          std::to_string(file_.number());
}

}  // namespace heed
