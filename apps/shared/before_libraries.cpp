// What must be done before the libraries begin, which is before main(): the dynamic loader calls
// it when they are loaded, and before any of them is initialised.
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>

namespace heed {
namespace {

/// MKL, which is part of LibTorch, ends the process with a message of its own where the working
/// folder has been deleted.
void require_working_folder() {
  static char path[4096];
  if (::syscall(SYS_getcwd, path, sizeof path) >= 0 || errno != ENOENT) return;
  constexpr std::string_view kMessage =
      "heed: the working folder has been deleted; go to another one (cd)\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kMessage.data(), kMessage.size());
  ::_exit(1);
}

/// Threads that compute a part of a batch together wait for each other some thousand times an
/// update. OpenMP lets them wait for a millisecond before they sleep, which beside another busy
/// program takes the processor from the thread that they wait for. It reads how long when it
/// begins: so the program starts itself again, by its own path, for the system names a process
/// after that.
void let_waiting_threads_sleep(int argc, char** argv, char** variables) {
  const auto trains = [](std::string_view argument) {
    return argument == "train" || argument == "init" || argument == "bench";
  };
  if (std::none_of(argv + std::min(argc, 1), argv + argc, trains)) return;
  static std::array<char*, 4096> copy;
  std::size_t count = 0;
  for (; variables[count] != nullptr && count < copy.size() - 2; ++count) {
    const std::string_view one = copy[count] = variables[count];
    if (one.starts_with("GOMP_SPINCOUNT=") || one.starts_with("OMP_WAIT_POLICY=")) return;
  }
  static char spins[] = "GOMP_SPINCOUNT=1000";  // some microseconds
  copy[count] = spins;
  static char program[4096];
  const ssize_t length = ::readlink("/proc/self/exe", program, sizeof program - 1);
  if (length > 0 && variables[count] == nullptr) ::execve(program, argv, copy.data());
}

[[maybe_unused]] void before_libraries(int argc, char** argv, char** variables) {
  require_working_folder();
  let_waiting_threads_sleep(argc, argv, variables);
}

#ifndef HEED_SANITIZE  // sanitizers begin later, and look at whatever is called
[[gnu::section(".preinit_array"), gnu::used]] void (*const called)(int, char**,
                                                                   char**) = before_libraries;
#endif

}  // namespace
}  // namespace heed
