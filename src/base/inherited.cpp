#include "base/inherited.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <initializer_list>

namespace heed {

void repair_inherited() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    const bool closed = ::fcntl(number, F_GETFD) < 0 && errno == EBADF;
    // The lowest free number is this one. Opened the wrong way round, each use of it fails.
    if (closed) ::open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
  std::signal(SIGCHLD, SIG_DFL);
  std::signal(SIGXFSZ, SIG_IGN);
  // The first process of a container gets no signal that it does not handle.
  if (::getpid() == 1)
    for (const int number : {SIGINT, SIGTERM, SIGHUP})
      if (std::signal(number, SIG_IGN) != SIG_IGN)
        std::signal(number, [](int which) { ::_exit(128 + which); });
}

}  // namespace heed
