// What must be done before the libraries begin, which is before main(): the dynamic loader calls
// it when they are loaded, and before any of them is initialised.
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

namespace heed {
namespace {

/// MKL, which is part of LibTorch, ends the process with a message of its own where the working
/// folder has been deleted.
[[maybe_unused]] void require_working_folder(int, char**, char**) {
  static char path[4096];
  if (::syscall(SYS_getcwd, path, sizeof path) >= 0 || errno != ENOENT) return;
  constexpr std::string_view kMessage =
      "heed: the working folder has been deleted; go to another one (cd)\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kMessage.data(), kMessage.size());
  ::_exit(1);
}

#ifndef HEED_SANITIZE  // sanitizers begin later, and look at whatever is called
[[gnu::section(".preinit_array"), gnu::used]] void (*const called)(int, char**,
                                                                   char**) = require_working_folder;
#endif

}  // namespace
}  // namespace heed
